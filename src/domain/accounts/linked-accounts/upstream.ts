import { Refusal } from '../../refusal.ts'

/** Where else people have accounts, as it stands in addresses and settings. */
export const providerKeys = ['chat-platform', 'code-hosting', 'upstream'] as const
export type ProviderKey = (typeof providerKeys)[number]

/** What ties a provider's answer to the browser that was sent there. All of it is random to everybody else. */
export interface VisitProof {
  /** RFC 6749 section 10.12. */
  state: string
  /** RFC 7636. */
  clearTextVerifier: string
  /** OpenID Connect Core section 3.1.2.1; providers without ID tokens never see it. */
  nonce: string
}

/** Who somebody is at a provider, as far as that provider vouches for it. */
export interface UpstreamIdentity {
  /** Never changes and is never given to anybody else there. */
  subject: string
  name: string | undefined
  /** Only an address of which the provider says that it has verified it. */
  verifiedEmail: string | undefined
}

export type UpstreamRefusalReason =
  /** The person said no over there. */
  | 'denied'
  /** No answer in time, or one that says that it is out of order. */
  | 'provider-unreachable'
  /** The provider says no to us: client credentials, redirect URI, code. */
  | 'provider-refused'
  /** An answer that does not follow its protocol, or says nothing of who is there. */
  | 'answer-malformed'

/** A provider's "no". `detail` has error codes only, never what the provider sent. */
export class UpstreamRefusal extends Refusal<UpstreamRefusalReason> {}

/** An authorization server whose client this service is. */
export interface UpstreamProvider {
  readonly key: ProviderKey
  /** As people know it. */
  readonly name: string
  /** Whose subjects they are: two providers with one issuer mean the same accounts. */
  readonly issuer: string
  /**
   * Where to send the browser.
   *
   * @throws UpstreamRefusal `provider-unreachable`, `answer-malformed`.
   */
  authorizationAddress(proof: VisitProof): Promise<string>
  /**
   * Who came back. Exchanges the code and asks for the profile; what it is given for that is kept nowhere.
   *
   * @param query of the callback, as it came.
   * @throws UpstreamRefusal
   */
  identify(query: string, proof: VisitProof): Promise<UpstreamIdentity>
}
