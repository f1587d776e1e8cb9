import { Refusal } from '../../refusal.ts'

/** Sign-in providers, as named in URLs and settings. */
export const providerKeys = ['chat-platform', 'code-hosting', 'upstream'] as const
export type ProviderKey = (typeof providerKeys)[number]

/** Random values that bind a provider's callback to the browser it redirected. */
export interface VisitProof {
  /** RFC 6749 section 10.12. */
  state: string
  /** RFC 7636. */
  clearTextVerifier: string
  /** OpenID Connect Core section 3.1.2.1. Unused by providers without ID tokens. */
  nonce: string
}

/** A user as vouched for by the provider. */
export interface UpstreamIdentity {
  /** The provider never changes it and never gives it to another user. */
  subject: string
  name: string | undefined
  /** Only set if the provider says that it has verified the address. */
  verifiedEmail: string | undefined
}

export type UpstreamRefusalReason =
  | 'denied'
  /** The provider timed out or reported an outage. */
  | 'provider-unreachable'
  /** The provider rejected our client credentials, redirect URI or code. */
  | 'provider-refused'
  /** The response violates the protocol or does not identify the user. */
  | 'answer-malformed'

/** An expected error of a provider. `detail` has error codes only, never the provider's response. */
export class UpstreamRefusal extends Refusal<UpstreamRefusalReason> {}

/** An authorization server that Gatehouse is a client of. */
export interface UpstreamProvider {
  readonly key: ProviderKey
  /** Display name. */
  readonly name: string
  /** Issuer of the subjects. Two providers with the same issuer have the same accounts. */
  readonly issuer: string
  /**
   * Returns the URL to redirect the browser to.
   *
   * @throws UpstreamRefusal `provider-unreachable`, `answer-malformed`.
   */
  authorizationUrl(proof: VisitProof): Promise<string>
  /**
   * Exchanges the code and fetches the user's profile. Discards the provider's tokens afterwards.
   *
   * @param query raw query string of the callback.
   * @throws UpstreamRefusal
   */
  identify(query: string, proof: VisitProof): Promise<UpstreamIdentity>
}
