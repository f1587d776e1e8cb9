import type { UserId } from '../../ids.ts'
import type { PasskeyResponse } from './passkey-response.ts'
import type { CredentialReference } from './passkey-store.ts'

/** Options for the browser as JSON (WebAuthn sections 5.1.8 and 5.1.9). Only the browser interprets them. */
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

/** A failed verification. `why` is the reason, for the log. */
export interface NotVerified {
  why: string
}

/** The two WebAuthn ceremonies (section 7) for this service's host and origin. Both require user verification. */
export interface PasskeyCeremonies {
  registrationOptions(ask: {
    challenge: string
    user: { id: UserId; name: string; displayName: string }
    /** The user's passkeys. Authenticators that already hold one of them are excluded. */
    registered: readonly CredentialReference[]
  }): Promise<CeremonyOptions>
  /** @param allowed the accepted passkeys. If empty, any passkey that the browser has for this service is accepted. */
  assertionOptions(ask: { challenge: string; allowed: readonly CredentialReference[] }): Promise<CeremonyOptions>
  verifyRegistration(response: PasskeyResponse): Promise<VerifiedRegistration | NotVerified>
  /** Verifies the signature. Returns the signature counter without checking it. */
  verifyAssertion(
    response: PasskeyResponse,
    credential: CredentialReference & { publicKey: Uint8Array<ArrayBuffer> },
  ): Promise<VerifiedAssertion | NotVerified>
}
