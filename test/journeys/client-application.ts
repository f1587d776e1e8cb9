import type { TestContext } from 'node:test'
import * as oauth from 'openid-client'
import { begin, discover, finish } from '../../examples/libraries/openid-client.ts'
import type { Registration } from '../../examples/libraries/registration.ts'
import { serve } from '../support/local-server.ts'

export interface ClientApplication {
  address: string
  redirectUri: string
  /** Sets the application's credentials, as its owner does after registration. */
  configure(credentials: Omit<Registration, 'redirectUri'> & { scope: string }): Promise<void>
}

/**
 * A small application that signs users in with the code of the guide for openid-client. Its pages show results as plain
 * text.
 */
export async function startClientApplication(t: TestContext): Promise<ClientApplication> {
  let config: oauth.Configuration
  let scope = ''
  /** Pending sign-ins, by `state`. */
  const begun = new Map<string, Awaited<ReturnType<typeof begin>>>()

  const address = await serve(t, async (request, response) => {
    const url = new URL(request.url ?? '/', address)
    if (url.pathname === '/') {
      const signIn = await begin(config, redirectUri)
      begun.set(signIn.state, signIn)
      signIn.url.searchParams.set('scope', scope)
      response.writeHead(302, { location: signIn.url.href }).end()
    } else if (url.pathname === '/callback') {
      const said = await finish(config, url, begun.get(url.searchParams.get('state') ?? '')!).then(
        ({ person }) => `Signed in: ${JSON.stringify(person)}`,
        (error) => `Not signed in: ${error instanceof oauth.AuthorizationResponseError ? error.error : error}`,
      )
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(said)
    } else {
      response.writeHead(204).end()
    }
  })
  const redirectUri = `${address}/callback`

  return {
    address,
    redirectUri,
    async configure({ scope: wanted, ...credentials }) {
      scope = wanted
      config = await discover({ ...credentials, redirectUri })
    },
  }
}
