import { randomBytes } from 'node:crypto'
import { type AccessToken, AuthorizationCode, type ModuleOptions } from 'simple-oauth2'
import type { Registration } from './registration.ts'

/** Runs once, when the application starts. The library's default paths differ from Gatehouse's. */
export function setUp({ gatehouse, clientId, clientSecret }: Registration, options: ModuleOptions['options'] = {}) {
  return new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: {
      tokenHost: gatehouse,
      tokenPath: '/api/oauth/token',
      revokePath: '/api/oauth/revoke',
      authorizePath: '/auth/consent',
    },
    options,
  })
}

/** Starts a sign-in. Keep `state` in the browser's session, then redirect to `url`. */
export function begin(client: AuthorizationCode, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = randomBytes(16).toString('base64url')
  const url = client.authorizeURL({
    redirect_uri: redirectUri,
    scope: ['user.identify', 'offline_access'],
    state,
    ...more,
  })
  return { url, state }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
export async function finish(
  client: AuthorizationCode,
  callback: URL,
  begun: { state: string },
  registration: Registration,
) {
  // The library does not check the state.
  if (callback.searchParams.get('state') !== begun.state) throw new Error('this sign-in was not begun here')
  const refusal = callback.searchParams.get('error')
  if (refusal !== null) throw new Error('not signed in', { cause: refusal })
  const token = await client.getToken({
    code: callback.searchParams.get('code') ?? '',
    redirect_uri: registration.redirectUri,
  })
  const response = await fetch(`${registration.gatehouse}/api/oauth/userinfo`, {
    headers: { authorization: `Bearer ${token.token.access_token}` },
  })
  if (!response.ok) throw new Error(`userinfo answered ${response.status}: ${await response.text()}`)
  return { token, person: await response.json() }
}

/**
 * Returns a valid token. Store it immediately if it is new: the old refresh token is spent, and using it again revokes
 * all tokens of the authorization.
 */
export async function fresh(token: AccessToken): Promise<AccessToken> {
  return token.expired(60) ? token.refresh() : token
}

/** Revokes the entire authorization. `revokeAll()` does the same in two requests. */
export async function signOut(token: AccessToken): Promise<void> {
  await token.revoke('refresh_token')
}

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
export function afterRefusal(error: Error, client: AuthorizationCode, redirectUri: string) {
  if (error.cause === 'consent_required') return begin(client, redirectUri)
  if (error.cause === 'access_denied') return undefined
  throw error
}
