import type { UserId } from '../../ids.ts'
import type { PasskeyResponse } from './passkey-response.ts'
import type { CredentialReference } from './passkey-store.ts'

/** Options for the browser, as JSON (WebAuthn section 5.1.8 and 5.1.9). Only the browser reads them. */
export type CeremonyOptions = object

export interface VerifiedRegistration extends CredentialReference {
  publicKey: Uint8Array<ArrayBuffer>
  counter: number
  backupEligible: boolean
  backedUp: boolean
}

export interface VerifiedAssertion {
  counter: number
  backedUp: boolean
}

/** What was signed is not what was asked for; `why` is for the log. */
export interface NotVerified {
  why: string
}

/** The two ceremonies of WebAuthn (section 7) for this service's host and origin, with the person verified. */
export interface PasskeyCeremonies {
  registrationOptions(ask: {
    challenge: string
    user: { id: UserId; name: string; displayName: string }
    /** Authenticators that hold one of these are not asked again. */
    registered: readonly CredentialReference[]
  }): Promise<CeremonyOptions>
  /** @param allowed empty: any passkey that the browser finds for this service. */
  assertionOptions(ask: { challenge: string; allowed: readonly CredentialReference[] }): Promise<CeremonyOptions>
  verifyRegistration(response: PasskeyResponse): Promise<VerifiedRegistration | NotVerified>
  /** The counter is reported, not judged. */
  verifyAssertion(
    response: PasskeyResponse,
    credential: CredentialReference & { publicKey: Uint8Array<ArrayBuffer> },
  ): Promise<VerifiedAssertion | NotVerified>
}
