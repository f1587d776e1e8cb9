import * as oauth from 'oauth4webapi'
import type { Registration } from './registration.ts'

/** Runs once, when the application starts. */
export async function discover({ gatehouse, clientId, clientSecret }: Registration) {
  const issuer = new URL(gatehouse)
  // Plain http is for development only.
  const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
  const server = await oauth.processDiscoveryResponse(issuer, response)
  const client: oauth.Client = { client_id: clientId }
  // Gatehouse also accepts credentials in the body: oauth.ClientSecretPost(clientSecret).
  return { server, client, secret: oauth.ClientSecretBasic(clientSecret), options }
}
type Gatehouse = Awaited<ReturnType<typeof discover>>

/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
export async function begin({ server, client }: Gatehouse, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'user.identify offline_access',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  }).toString()
  return { url, state, verifier, redirectUri }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
export async function finish(gatehouse: Gatehouse, callback: URL, begun: Awaited<ReturnType<typeof begin>>) {
  const { server, client, secret, options } = gatehouse
  const answer = oauth.validateAuthResponse(server, client, callback, begun.state)
  const { redirectUri, verifier } = begun
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    answer,
    redirectUri,
    verifier,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
  const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, options)
  // Gatehouse issues no ID token to compare the subject with.
  const person = await oauth.processUserInfoResponse(server, client, oauth.skipSubjectCheck, userinfo)
  return { tokens, person }
}

/**
 * Refreshes the tokens. Store the new refresh token immediately: the old one is spent, and using it again revokes all
 * tokens of the authorization.
 */
export async function refresh({ server, client, secret, options }: Gatehouse, refreshToken: string) {
  const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options)
  return oauth.processRefreshTokenResponse(server, client, response)
}

/** Revokes the entire authorization, including all its tokens. */
export async function signOut({ server, client, secret, options }: Gatehouse, refreshToken: string): Promise<void> {
  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, secret, refreshToken, options))
}

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
export async function afterRefusal(error: unknown, gatehouse: Gatehouse, redirectUri: string) {
  if (!(error instanceof oauth.AuthorizationResponseError)) throw error
  if (error.error === 'consent_required') return begin(gatehouse, redirectUri)
  if (error.error === 'access_denied') return undefined
  throw error
}
