import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as oauth from 'openid-client'

/** All scopes that the application requests. `user.email` and `user.connections.read` require the PIN. */
const scope =
  'user.identify user.email user.connections.read offline_access bots.read flows.read guilds.read logs.read cowork.read'

interface Visit {
  verifier?: string
  state?: string
  tokens?: { accessToken: string; refreshToken: string | undefined; subject: string }
}

interface ClientApplication {
  url: string
  redirectUris: readonly string[]
  /** Sets the client's credentials and loads the service's metadata. */
  register(client: { clientId: string; clientSecret: string }): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the demo's client application on a free port. It uses an unmodified openid-client for the authorization code
 * grant with PKCE and state, and for userinfo, refresh and revoke.
 */
export async function startClientApplication(baseUrl: string): Promise<ClientApplication> {
  const visits = new Map<string, Visit>()
  let configuration: oauth.Configuration | undefined

  const server = createServer(async (request, response) => {
    const visit = visitOf(request, response, visits)
    try {
      await answer(request, response, visit)
    } catch (error) {
      if (error instanceof oauth.AuthorizationResponseError) page(response, 200, refusedPage(error.error))
      else page(response, 500, failurePage(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}`
  const callback = `${url}/callback`

  async function answer(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    if (configuration === undefined) throw new Error('The demo is still setting up; try again.')
    const address = new URL(request.url ?? '/', url)
    switch (`${request.method} ${address.pathname}`) {
      case 'GET /':
        if (visit.tokens === undefined) return page(response, 200, signedOutPage(scope.split(' ')))
        return page(response, 200, signedInPage(await readUserinfo(configuration, visit)))

      case 'POST /sign-in': {
        visit.verifier = oauth.randomPKCECodeVerifier()
        visit.state = oauth.randomState()
        const challenge = await oauth.calculatePKCECodeChallenge(visit.verifier)
        const authorization = oauth.buildAuthorizationUrl(configuration, {
          redirect_uri: callback,
          scope,
          state: visit.state,
          code_challenge: challenge,
          code_challenge_method: 'S256',
        })
        return redirect(response, authorization.href)
      }

      case 'GET /callback': {
        const { verifier, state } = visit
        delete visit.verifier
        delete visit.state
        if (verifier === undefined || state === undefined) return redirect(response, '/')
        const answered = await oauth.authorizationCodeGrant(configuration, address, {
          pkceCodeVerifier: verifier,
          expectedState: state,
        })
        const userinfo = await oauth.fetchUserInfo(configuration, answered.access_token, oauth.skipSubjectCheck)
        visit.tokens = {
          accessToken: answered.access_token,
          refreshToken: answered.refresh_token,
          subject: userinfo.sub,
        }
        return redirect(response, '/')
      }

      case 'POST /refresh':
        await refresh(configuration, visit)
        return redirect(response, '/')

      case 'POST /revoke': {
        const { tokens } = visit
        delete visit.tokens
        if (tokens !== undefined) {
          await oauth.tokenRevocation(configuration, tokens.refreshToken ?? tokens.accessToken)
        }
        return redirect(response, '/')
      }

      default:
        response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found.\n')
    }
  }

  return {
    url,
    redirectUris: [callback],
    async register(registered) {
      configuration = await oauth.discovery(
        new URL(baseUrl),
        registered.clientId,
        undefined,
        oauth.ClientSecretPost(registered.clientSecret),
        { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
      )
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads userinfo. If the access token has expired, refreshes the tokens and retries. */
async function readUserinfo(configuration: oauth.Configuration, visit: Visit): Promise<object> {
  const read = () => oauth.fetchUserInfo(configuration, visit.tokens?.accessToken ?? '', visit.tokens?.subject ?? '')
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error
    await refresh(configuration, visit)
    return read()
  }
}

async function refresh(configuration: oauth.Configuration, visit: Visit): Promise<void> {
  const { tokens } = visit
  if (tokens?.refreshToken === undefined) return
  // Discards the refresh token before the call, because even a failed call may spend it. Using it again would count as
  // reuse.
  delete visit.tokens
  const answered = await oauth.refreshTokenGrant(configuration, tokens.refreshToken)
  visit.tokens = { ...tokens, accessToken: answered.access_token, refreshToken: answered.refresh_token }
}

/** Returns the state of this browser, which is identified by a cookie. */
function visitOf(request: IncomingMessage, response: ServerResponse, visits: Map<string, Visit>): Visit {
  const name = 'acme-visit'
  const known = new RegExp(`(?:^|; )${name}=([0-9a-f-]{36})`).exec(request.headers.cookie ?? '')?.[1]
  const found = known === undefined ? undefined : visits.get(known)
  if (found !== undefined) return found
  const fresh = randomUUID()
  const visit: Visit = {}
  visits.set(fresh, visit)
  response.setHeader('set-cookie', `${name}=${fresh}; Path=/; HttpOnly; SameSite=Lax`)
  return visit
}

function page(response: ServerResponse, status: number, markup: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(markup)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end()
}

function signedOutPage(scopes: readonly string[]): string {
  return frame(`
    <p>This is a third-party application. It uses Gatehouse to find out who you are.</p>
    <form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>
    <p class="soft">It requests: ${scopes.map(escaped).join(', ')}.</p>`)
}

function signedInPage(userinfo: object): string {
  return frame(`
    <p>You are signed in. Refreshing rotates the refresh token. Revoking ends the whole token family.</p>
    <form method="post"><button formaction="/refresh">Refresh the tokens</button>
    <button class="quiet" formaction="/revoke">Revoke and sign out</button></form>
    <p>Userinfo for the scopes that you allowed:</p>
    <pre data-testid="userinfo">${escaped(JSON.stringify(userinfo, null, 2))}</pre>`)
}

/** Page shown when the user or the service has denied the authorization. */
function refusedPage(error: string): string {
  return frame(`
    <p>Nothing was shared. Gatehouse returned <code>${escaped(error)}</code>.</p>
    <form method="post" action="/sign-in"><button>Sign in with Gatehouse</button></form>`)
}

function failurePage(error: unknown): string {
  const { message, error: code } = error as Error & { error?: string }
  return frame(`
    <p>Request failed: ${escaped(code === undefined ? message : `${message} (${code})`)}.</p>
    <form method="post" action="/sign-in"><button>Sign in again</button></form>`)
}

/** Renders a page. The application represents a third-party program, so it shares no code with the service. */
function frame(body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Acme Dashboards</title>
<link rel="icon" href="data:,">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 24px }
h1 { font-size: 1.25rem } .soft { opacity: .7 } form { margin: 16px 0 }
pre { overflow-x: auto; padding: 16px; border: 1px solid #8886; border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere }
button { font: inherit; padding: 8px 16px; border: 1px solid #2563eb; border-radius: 8px; background: #2563eb; color: #fff }
button.quiet { background: transparent; color: inherit; border-color: #8886 }
</style>
</head>
<body><h1>Acme Dashboards</h1>${body}</body>
</html>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
