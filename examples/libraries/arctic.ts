import * as arctic from 'arctic'
import type { Registration } from './registration.ts'

/** Runs once, when the application starts. */
export function setUp({ clientId, clientSecret, redirectUri }: Registration): arctic.OAuth2Client {
  return new arctic.OAuth2Client(clientId, clientSecret, redirectUri)
}

/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
export function begin(client: arctic.OAuth2Client, gatehouse: string, more: { consent?: 'skip' } = {}) {
  const state = arctic.generateState()
  const verifier = arctic.generateCodeVerifier()
  const url = client.createAuthorizationURLWithPKCE(
    `${gatehouse}/auth/consent`,
    state,
    arctic.CodeChallengeMethod.S256,
    verifier,
    ['user.identify', 'offline_access'],
  )
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value)
  return { url, state, verifier }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
export async function finish(
  client: arctic.OAuth2Client,
  callback: URL,
  begun: { state: string; verifier: string },
  gatehouse: string,
) {
  // The library does not check the state.
  if (callback.searchParams.get('state') !== begun.state) throw new Error('this sign-in was not begun here')
  const refusal = callback.searchParams.get('error')
  if (refusal !== null) throw new Error('not signed in', { cause: refusal })
  const code = callback.searchParams.get('code') ?? ''
  const tokens = await client.validateAuthorizationCode(`${gatehouse}/api/oauth/token`, code, begun.verifier)
  const response = await fetch(`${gatehouse}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${tokens.accessToken()}` },
  })
  if (!response.ok) throw new Error(`userinfo answered ${response.status}: ${await response.text()}`)
  return { tokens, person: await response.json() }
}

/**
 * Refreshes the tokens. No scopes are listed, so all granted scopes are kept. Store the new refresh token immediately:
 * the old one is spent, and using it again revokes all tokens of the authorization.
 */
export function refresh(
  client: arctic.OAuth2Client,
  refreshToken: string,
  gatehouse: string,
): Promise<arctic.OAuth2Tokens> {
  return client.refreshAccessToken(`${gatehouse}/api/oauth/token`, refreshToken, [])
}

/** Revokes the entire authorization, including all its tokens. */
export function signOut(client: arctic.OAuth2Client, refreshToken: string, gatehouse: string): Promise<void> {
  return client.revokeToken(`${gatehouse}/api/oauth/revoke`, refreshToken)
}

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
export function afterRefusal(error: Error, client: arctic.OAuth2Client, gatehouse: string) {
  if (error.cause === 'consent_required') return begin(client, gatehouse)
  if (error.cause === 'access_denied') return undefined
  throw error
}
