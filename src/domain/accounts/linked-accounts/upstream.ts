import { Refusal } from '../../refusal.ts'

/** Sign-in providers, as named in URLs and settings. */
export const providerKeys = ['chat-platform', 'code-hosting', 'upstream'] as const
export type ProviderKey = (typeof providerKeys)[number]

export interface VisitProof {
  /** Protects the callback from CSRF (RFC 6749 section 10.12). */
  state: string
  /** PKCE (RFC 7636). */
  clearTextVerifier: string
  /** OpenID Connect Core section 3.1.2.1. Unused if the provider issues no ID tokens. */
  nonce: string
}

export interface UpstreamIdentity {
  /** Never changes and is never reassigned to another user. */
  subject: string
  name: string | undefined
  verifiedEmail: string | undefined
}

export type UpstreamRefusalReason =
  | 'denied'
  /** The provider timed out or reported an outage. */
  | 'provider-unreachable'
  /** The provider rejected our client credentials, redirect URI or code. */
  | 'provider-refused'
  /** The response violates the protocol or doesn't identify the user. */
  | 'answer-malformed'

/** An expected error from a provider. `detail` contains only error codes, never the provider's response. */
export class UpstreamRefusal extends Refusal<UpstreamRefusalReason> {}

/** Two providers with the same issuer share their accounts. */
export interface ProviderReference {
  readonly key: ProviderKey
  readonly issuer: string
}

/** An authorization server at which Gatehouse is a client. */
export interface UpstreamProvider extends ProviderReference {
  readonly name: string
  /** @throws UpstreamRefusal `provider-unreachable`, `answer-malformed`. */
  authorizationUrl(proof: VisitProof): Promise<string>
  /**
   * Exchanges the code and fetches the user's profile. Discards the provider's tokens afterwards.
   *
   * @param query raw query string of the callback.
   * @throws UpstreamRefusal
   */
  identify(query: string, proof: VisitProof): Promise<UpstreamIdentity>
}
