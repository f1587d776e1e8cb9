import type { Recording } from '../../audit/audit.ts'
import type { UserId } from '../../ids.ts'
import type { RowShare } from '../../limits/row-share.ts'
import type { SecretDigest } from '../../secret.ts'
import type { AccountReference } from '../linked-accounts/linked-account-store.ts'

export interface Passkey {
  /** Number of the passkey, unique within the service and never reused. */
  number: number
  name: string
  /** Whether the authenticator can sync the passkey to other devices. */
  backupEligible: boolean
  backedUp: boolean
  createdAtMs: number
  /** When the passkey was last used. `null` if it has never been used. */
  lastUsedAtMs: number | null
}

/** The data by which a browser finds a passkey. */
export interface CredentialReference {
  /** Credential ID in base64url, chosen by the authenticator. */
  credentialId: string
  /** WebAuthn transports, such as `internal`, `hybrid` or `usb`. */
  transports: readonly string[]
}

export interface Credential extends CredentialReference {
  number: number
  userId: UserId
  /** Public key as a COSE key (RFC 9052). */
  publicKey: Uint8Array<ArrayBuffer>
}

export interface NewPasskey extends CredentialReference {
  userId: UserId
  publicKey: Uint8Array<ArrayBuffer>
  /** Number of signatures so far, as counted by the authenticator. 0 if the authenticator doesn't count them. */
  counter: number
  backupEligible: boolean
  backedUp: boolean
  /** Name of the passkey. `null` for a default name, such as `Passkey 2`. */
  name: string | null
}

export type AddPasskeyOutcome =
  | { kind: 'added'; passkey: Passkey }
  | { kind: 'credential-taken' }
  | { kind: 'too-many' }
  | { kind: 'user-unknown' }

/** Purpose of a challenge. `proof` confirms the identity of a signed-in user. */
export type ChallengePurpose = 'registration' | 'sign-in' | 'proof'

/** The purpose, browser and user for which a challenge is valid. */
export interface ChallengeUse {
  purpose: ChallengePurpose
  browser: SecretDigest
  userId: UserId | null
}

export interface ChallengeBounds {
  perBrowser: number
  /** Limit on challenges for the signed-in user, or for the client address if no user is signed in. */
  share: RowShare
}

/** The name of the removed passkey, or why it was not removed. */
export type RemovePasskeyOutcome = { name: string } | 'unknown' | 'last-way-to-sign-in'
/** Stores passkeys and challenges. Each method runs in one transaction. */
export interface PasskeyStore {
  /**
   * Stores the challenge. Deletes the oldest challenges that exceed the limits per browser, and per user or client
   * address.
   */
  addChallenge(challenge: string, use: ChallengeUse, expiresAtMs: number, bounds: ChallengeBounds): Promise<void>
  /**
   * Deletes the challenge if it was issued for this purpose, browser and user, and has not expired. Returns whether it
   * was deleted. Only one of several concurrent calls gets `true`. A challenge that was issued for another use is kept.
   */
  takeChallenge(challenge: string, use: ChallengeUse, nowMs: number): Promise<boolean>
  /** Deletes up to `atMost` expired challenges, oldest first. Returns the number deleted. */
  deleteExpiredChallenges(nowMs: number, atMost: number): Promise<number>
  /** Deletes up to `limit` challenges beyond `total`, from those who hold the most. Returns the number deleted. */
  trimChallenges(total: number, limit: number): Promise<number>

  /** Stores the passkey, unless the user already has `atMost` passkeys. */
  addPasskey(
    passkey: NewPasskey,
    atMost: number,
    nowMs: number,
    recording?: Recording<AddPasskeyOutcome>,
  ): Promise<AddPasskeyOutcome>
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
  /** Returns the user's passkeys, oldest first. */
  listPasskeys(userId: UserId): Promise<Passkey[]>
  listCredentials(userId: UserId): Promise<CredentialReference[]>
  renamePasskey(userId: UserId, number: number, name: string): Promise<'renamed' | 'unknown'>
  /**
   * Removes the passkey, unless it is the user's only way to sign in. Other ways are another passkey, a password with
   * an email address, and a linked account at a configured provider.
   *
   * @param inUse the configured providers with their issuers.
   */
  removePasskey(
    userId: UserId,
    number: number,
    inUse: readonly Omit<AccountReference, 'subject'>[],
    recording?: Recording<RemovePasskeyOutcome>,
  ): Promise<RemovePasskeyOutcome>
}
