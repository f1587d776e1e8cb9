import * as openid from 'openid-client'
import {
  type UpstreamIdentity,
  type UpstreamProvider,
  UpstreamRefusal,
} from '../../domain/accounts/linked-accounts/upstream.ts'
import * as limits from '../../domain/limits/limits.ts'

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>

interface ProviderKind {
  /** May be empty. */
  scope: string
  /** Whether the provider issues ID tokens, whose nonce is checked. */
  issuesIdTokens?: boolean
  client(): openid.Configuration | Promise<openid.Configuration>
  identityOf(tokens: Tokens, client: openid.Configuration): Promise<UpstreamIdentity>
}

export function upstreamProvider(
  { key, name, issuer, redirectUri }: Pick<UpstreamProvider, 'key' | 'name' | 'issuer'> & { redirectUri: string },
  { scope, issuesIdTokens = false, client, identityOf }: ProviderKind,
): UpstreamProvider {
  return {
    key,
    name,
    issuer,
    authorizationUrl: ({ state, clearTextVerifier, nonce }) =>
      translatingErrors(async () => {
        const address = openid.buildAuthorizationUrl(await client(), {
          redirect_uri: redirectUri,
          ...(scope !== '' && { scope }),
          state,
          ...(issuesIdTokens && { nonce }),
          code_challenge: await openid.calculatePKCECodeChallenge(clearTextVerifier),
          code_challenge_method: 'S256',
        })
        return address.href
      }),
    identify: (query, { state, clearTextVerifier, nonce }) =>
      translatingErrors(async () => {
        const used = await client()
        const tokens = await openid.authorizationCodeGrant(used, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          pkceCodeVerifier: clearTextVerifier,
          ...(issuesIdTokens && { expectedNonce: nonce, idTokenExpected: true }),
        })
        return identityOf(tokens, used)
      }),
  }
}

export function upstreamClient(
  server: openid.ServerMetadata,
  client: { clientId: string },
  authentication: openid.ClientAuth,
): openid.Configuration {
  const configuration = new openid.Configuration(server, client.clientId, undefined, authentication)
  configuration.timeout = limits.upstreamDeadlineSeconds
  configuration[openid.customFetch] = upstreamFetch
  // The configuration accepts http:// URLs only for providers on this machine.
  if (server.issuer.startsWith('http://')) openid.allowInsecureRequests(configuration)
  return configuration
}

/** Reads a profile from the provider's userinfo endpoint. This is the only use of the access token. */
export async function readProfile(
  configuration: openid.Configuration,
  clearTextAccessToken: string,
  address: string,
): Promise<Record<string, unknown>> {
  const response = await openid.fetchProtectedResource(
    configuration,
    clearTextAccessToken,
    new URL(address),
    'GET',
    undefined,
    new Headers({ accept: 'application/json' }),
  )
  if (response.status !== 200) {
    throw new UpstreamRefusal('provider-refused', { detail: `profile, status ${response.status}` })
  }
  const profile: unknown = await response.json().catch(() => undefined)
  if (profile === null || typeof profile !== 'object' || Array.isArray(profile)) {
    throw new UpstreamRefusal('answer-malformed', { detail: 'the profile is not a JSON object' })
  }
  return profile as Record<string, unknown>
}

/** Converts errors to refusals, copying only the error code: the library's errors contain grant codes and tokens. */
async function translatingErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw refusalOf(error)
  }
}

function refusalOf(error: unknown): UpstreamRefusal {
  if (error instanceof UpstreamRefusal) return error
  const cause = error instanceof Error ? error.cause : undefined
  for (const one of [error, cause]) {
    if (one instanceof ProviderUnreachable)
      return new UpstreamRefusal('provider-unreachable', { detail: reasonOf(one) })
    if (one instanceof ResponseTooLarge) return new UpstreamRefusal('answer-malformed', { detail: 'too large' })
  }
  if (error instanceof openid.AuthorizationResponseError) {
    const detail = `authorization, ${errorCode(error.error)}`
    if (error.error === 'access_denied') return new UpstreamRefusal('denied', { detail })
    const away = error.error === 'temporarily_unavailable' || error.error === 'server_error'
    return new UpstreamRefusal(away ? 'provider-unreachable' : 'provider-refused', { detail })
  }
  if (error instanceof openid.ResponseBodyError) {
    return new UpstreamRefusal('provider-refused', { detail: `token, ${errorCode(error.error)}` })
  }
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    return new UpstreamRefusal('provider-refused', { detail: `status ${error.status}` })
  }
  const { code } = error as { code?: unknown }
  // All other library errors have a code. An error without a code is a bug in Gatehouse.
  if (typeof code !== 'string') throw error
  return new UpstreamRefusal('answer-malformed', { detail: code })
}

/** Returns the error code (such as `ECONNREFUSED`), the status, or a note that the request timed out. */
function reasonOf(error: ProviderUnreachable): string {
  const failed = error.cause as { name?: unknown; cause?: { code?: unknown } } | undefined
  if (failed === undefined) return error.message
  if (failed.name === 'TimeoutError') return `no answer within ${limits.upstreamDeadlineSeconds} s`
  return typeof failed.cause?.code === 'string' ? failed.cause.code : error.message
}

/** Returns the OAuth error code (RFC 6749, section 4.1.2.1). Replaces any other text, which could contain secrets. */
function errorCode(text: string): string {
  return /^[a-z_]{1,40}$/.test(text) ? text : 'an error without a code'
}

class ProviderUnreachable extends Error {}

class ResponseTooLarge extends Error {}

/** Fetches the whole response by the signal's deadline, up to a limit. Throws ProviderUnreachable, ResponseTooLarge. */
export async function upstreamFetch(url: string, options: object): Promise<Response> {
  const { response, body } = await readWhole(url, options)
  if (response.status >= 500) throw new ProviderUnreachable(`status ${response.status}`)
  const bodyless = response.status === 204 || response.status === 205 || response.status === 304
  return new Response(bodyless ? null : body, { status: response.status, headers: response.headers })
}

async function readWhole(url: string, options: object) {
  try {
    const response = await fetch(url, options)
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > limits.upstreamAnswerMaxBytes) throw new ResponseTooLarge()
      chunks.push(chunk)
    }
    return { response, body: Buffer.concat(chunks) }
  } catch (error) {
    if (error instanceof ResponseTooLarge) throw error
    throw new ProviderUnreachable('no response', { cause: error })
  }
}
