import * as client from 'openid-client'
import type { Registration } from './registration.ts'

/** Runs once, when the application starts. */
export function discover({ gatehouse, clientId, clientSecret }: Registration): Promise<client.Configuration> {
  return client.discovery(new URL(gatehouse), clientId, clientSecret, undefined, {
    // Use RFC 8414 metadata; Gatehouse is not an OpenID provider.
    algorithm: 'oauth2',
    // Plain http is for development only.
    execute: gatehouse.startsWith('http:') ? [client.allowInsecureRequests] : [],
  })
}

/** Starts a sign-in. Keep `state` and `verifier` in the browser's session, then redirect to `url`. */
export async function begin(config: client.Configuration, redirectUri: string, more: { consent?: 'skip' } = {}) {
  const state = client.randomState()
  const verifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'user.identify offline_access',
    state,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...more,
  })
  return { url, state, verifier }
}

/** Finishes the sign-in. `callback` is the full URL to which the browser was redirected, including its query. */
export async function finish(config: client.Configuration, callback: URL, begun: { state: string; verifier: string }) {
  const tokens = await client.authorizationCodeGrant(config, callback, {
    expectedState: begun.state,
    pkceCodeVerifier: begun.verifier,
  })
  // Gatehouse issues no ID token to compare the subject with.
  const person = await client.fetchUserInfo(config, tokens.access_token, client.skipSubjectCheck)
  return { tokens, person }
}

/**
 * Handles an error from `finish`. Returns a new sign-in, with the consent page, if `consent=skip` was not enough.
 * Returns `undefined` if the user chose Deny.
 */
export async function afterRefusal(error: unknown, config: client.Configuration, redirectUri: string) {
  if (!(error instanceof client.AuthorizationResponseError)) throw error
  if (error.error === 'consent_required') return begin(config, redirectUri)
  if (error.error === 'access_denied') return undefined
  throw error
}

/**
 * Refreshes the tokens. Store the new refresh token immediately: the old one is spent, and using it again revokes all
 * tokens of the authorization.
 */
export function refresh(config: client.Configuration, refreshToken: string) {
  return client.refreshTokenGrant(config, refreshToken)
}

/** Revokes the entire authorization, including all its tokens. */
export async function signOut(config: client.Configuration, refreshToken: string): Promise<void> {
  await client.tokenRevocation(config, refreshToken)
}
