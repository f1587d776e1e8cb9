import * as openid from 'openid-client'
import type { UpstreamIdentity, UpstreamProvider, VisitProof } from '../../domain/accounts/linked-accounts/upstream.ts'
import type { Clock } from '../../domain/clock.ts'
import * as limits from '../../domain/limits/limits.ts'
import { translatingErrors, upstreamClient, upstreamFetch } from './upstream-client.ts'

export interface OpenIdProviderParts {
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  redirectUri: string
  clock: Clock
}

/** Cache lifetime of a provider's discovery document. */
const describedForMs = 3_600_000

/**
 * A provider that supports OpenID Connect Discovery. The discovery document is fetched when the first user signs in, so
 * an unreachable provider doesn't keep the service from starting.
 */
export class OpenIdProvider implements UpstreamProvider {
  readonly key = 'upstream'
  readonly name: string
  readonly issuer: string
  readonly #parts: OpenIdProviderParts
  #described: { client: Promise<openid.Configuration>; atMs: number } | undefined

  constructor(parts: OpenIdProviderParts) {
    this.name = parts.name
    this.issuer = parts.issuer
    this.#parts = parts
  }

  authorizationUrl({ state, clearTextVerifier, nonce }: VisitProof): Promise<string> {
    return translatingErrors(async () => {
      const address = openid.buildAuthorizationUrl(await this.#client(), {
        redirect_uri: this.#parts.redirectUri,
        scope: 'openid profile email',
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(clearTextVerifier),
        code_challenge_method: 'S256',
      })
      return address.href
    })
  }

  identify(query: string, { state, clearTextVerifier, nonce }: VisitProof): Promise<UpstreamIdentity> {
    return translatingErrors(async () => {
      const client = await this.#client()
      const tokens = await openid.authorizationCodeGrant(client, new URL(`${this.#parts.redirectUri}?${query}`), {
        expectedState: state,
        pkceCodeVerifier: clearTextVerifier,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      // The cast is safe: `authorizationCodeGrant` throws if the response has no ID token.
      const claims = tokens.claims() as openid.IDToken
      const profile =
        client.serverMetadata().userinfo_endpoint === undefined
          ? claims
          : { ...claims, ...(await openid.fetchUserInfo(client, tokens.access_token, claims.sub)) }
      return identityIn(claims.sub, profile)
    })
  }

  /**
   * Returns the client after discovery. Concurrent callers share one request. A failed request is not cached, so the
   * next caller retries.
   */
  #client(): Promise<openid.Configuration> {
    const nowMs = this.#parts.clock.nowMs()
    if (this.#described === undefined || nowMs - this.#described.atMs >= describedForMs) {
      const described = { client: this.#discover(), atMs: nowMs }
      this.#described = described
      described.client.catch(() => {
        if (this.#described === described) this.#described = undefined
      })
    }
    return this.#described.client
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#parts
    const insecure = issuer.startsWith('http://')
    const discovered = await openid.discovery(new URL(issuer), clientId, undefined, undefined, {
      timeout: limits.upstreamDeadlineSeconds,
      [openid.customFetch]: upstreamFetch,
      ...(insecure && { execute: [openid.allowInsecureRequests] }),
    })
    const server = discovered.serverMetadata()
    // Basic is the default if a provider lists no methods (OpenID Connect Discovery, section 3).
    const inBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true
    const authentication = inBody ? openid.ClientSecretPost(clientSecret) : openid.ClientSecretBasic(clientSecret)
    return upstreamClient(server, { clientId }, authentication)
  }
}

function identityIn(subject: string, profile: Record<string, unknown>): UpstreamIdentity {
  const { name, preferred_username: username, email, email_verified: verified } = profile
  const called = [name, username].find((value) => typeof value === 'string' && value !== '')
  return {
    subject,
    name: called as string | undefined,
    verifiedEmail: typeof email === 'string' && verified === true ? email : undefined,
  }
}
