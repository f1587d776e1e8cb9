import type { Recorded } from '../../audit/audit.ts'
import type { SecretDigest, UserId } from '../../ids-and-secrets.ts'
import type { RowShare } from '../../limits/budget.ts'
import type { ProviderReference } from '../linked-accounts/upstream.ts'

export interface Passkey {
  /** Unique within the service and never reused. */
  number: number
  name: string
  /** Whether the authenticator can sync the passkey to other devices. */
  backupEligible: boolean
  backedUp: boolean
  createdAtMs: number
  lastUsedAtMs: number | null
}

export interface CredentialReference {
  /** Credential ID in base64url, chosen by the authenticator. */
  credentialId: string
  /** WebAuthn transports, such as `internal`, `hybrid` or `usb`. */
  transports: readonly string[]
}

export interface Credential extends CredentialReference {
  number: number
  userId: UserId
  /** COSE key (RFC 9052). */
  publicKey: Uint8Array<ArrayBuffer>
}

export interface NewPasskey extends CredentialReference {
  userId: UserId
  publicKey: Uint8Array<ArrayBuffer>
  /** Signatures so far. 0 if the authenticator doesn't count them. */
  counter: number
  backupEligible: boolean
  backedUp: boolean
  /** `null` for a default name, such as `Passkey 2`. */
  name: string | null
}

export type AddPasskeyOutcome =
  | { kind: 'added'; number: number; name: string }
  | { kind: 'credential-taken' | 'too-many' | 'user-unknown' }

/** `proof` confirms the identity of a signed-in user. */
export type ChallengePurpose = 'registration' | 'sign-in' | 'proof'

export interface ChallengeUse {
  purpose: ChallengePurpose
  browser: SecretDigest
  userId: UserId | null
}

export interface ChallengeBounds {
  perBrowser: number
  /** Of the signed-in user, or of the client address. */
  share: RowShare
}

export type RemovePasskeyOutcome = { name: string } | 'unknown' | 'last-way-to-sign-in'
/** Stores passkeys and challenges. Each method runs in one transaction. */
export interface PasskeyStore {
  /** Deletes the oldest challenges that exceed the limits per browser, and per user or client address. */
  addChallenge(challenge: string, use: ChallengeUse, expiresAtMs: number, bounds: ChallengeBounds): Promise<void>
  /** Deletes the challenge if it was issued for this use and is unexpired. Only one of concurrent calls gets `true`. */
  takeChallenge(challenge: string, use: ChallengeUse, nowMs: number): Promise<boolean>

  /** Unless the user already has `atMost` passkeys. */
  addPasskey: Recorded<[passkey: NewPasskey, atMost: number, nowMs: number], AddPasskeyOutcome>
  findCredential(credentialId: string): Promise<Credential | undefined>
  /**
   * Stores the counter and backup state reported with a signature. If a nonzero counter did not increase, changes
   * nothing and returns `counter-behind`: the key may have been cloned (WebAuthn section 6.1.1). Only one of several
   * signatures with the same counter is recorded.
   */
  recordUse(
    number: number,
    reported: { counter: number; backedUp: boolean },
    nowMs: number,
  ): Promise<'recorded' | 'counter-behind' | 'unknown'>
  /** Oldest first. */
  listPasskeys(userId: UserId): Promise<Passkey[]>
  listCredentials(userId: UserId): Promise<CredentialReference[]>
  renamePasskey(userId: UserId, number: number, name: string): Promise<'renamed' | 'unknown'>
  /** Unless it is the only way to sign in: no other passkey, password with email, or account at a provider in use. */
  removePasskey: Recorded<[userId: UserId, number: number, inUse: readonly ProviderReference[]], RemovePasskeyOutcome>
}
