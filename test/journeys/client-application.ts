import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import * as oauth from 'openid-client'
import { serve } from '../support/local-server.ts'

export interface ClientApplication {
  address: string
  redirectUri: string
  /** Sets the application's credentials, as its owner does after registration. */
  configure(credentials: { issuer: string; clientId: string; clientSecret: string; scope: string }): Promise<void>
}

/**
 * A small application that signs users in with the unmodified openid-client package. It uses discovery, the
 * authorization code grant with state and PKCE, and userinfo. Its pages show results as plain text.
 */
export async function startClientApplication(t: TestContext): Promise<ClientApplication> {
  let config: oauth.Configuration | undefined
  let scope = ''
  /** Pending sign-ins, by `state`. */
  const begun = new Map<string, string>()

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (config === undefined) throw new Error('the client application has no credentials yet')
    const url = new URL(request.url ?? '/', address)
    if (url.pathname === '/') {
      const state = oauth.randomState()
      const verifier = oauth.randomPKCECodeVerifier()
      begun.set(state, verifier)
      const to = oauth.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      response.writeHead(302, { location: to.href }).end()
    } else if (url.pathname === '/callback') {
      const expectedState = url.searchParams.get('state') ?? ''
      const pkceCodeVerifier = begun.get(expectedState) ?? ''
      begun.delete(expectedState)
      const tokens = await oauth.authorizationCodeGrant(config, url, { expectedState, pkceCodeVerifier })
      const userinfo = new URL(config.serverMetadata().userinfo_endpoint ?? '')
      const person = await oauth.fetchProtectedResource(config, tokens.access_token, userinfo, 'GET')
      say(response, `Signed in: ${await person.text()}`)
    } else {
      response.writeHead(204).end()
    }
  }

  const address = await serve(t, (request, response) =>
    answer(request, response).catch((error: unknown) => {
      const refusal = error instanceof oauth.AuthorizationResponseError ? error.error : String(error)
      say(response, `Not signed in: ${refusal}`)
    }),
  )
  const redirectUri = `${address}/callback`

  return {
    address,
    redirectUri,
    async configure({ issuer, clientId, clientSecret, scope: wanted }) {
      scope = wanted
      config = await oauth.discovery(new URL(issuer), clientId, clientSecret, undefined, {
        algorithm: 'oauth2',
        execute: [oauth.allowInsecureRequests],
      })
    },
  }
}

function say(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(text)
}
