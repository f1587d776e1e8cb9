import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { RowShare } from '../../limits/row-share.ts'
import type { SecretDigest } from '../../secret.ts'
import type { AccountReference } from '../linked-accounts/linked-account-store.ts'

/** A passkey as its owner sees it. */
export interface Passkey {
  /** Names it among the passkeys of the service; never given out twice. */
  number: number
  name: string
  /** The authenticator keeps it where it can be copied to the person's other devices. */
  backupEligible: boolean
  /** It is copied there now. */
  backedUp: boolean
  createdAtMs: number
  /** Null: not since it was added. */
  lastUsedAtMs: number | null
}

/** What a browser must know to find a passkey. */
export interface CredentialReference {
  /** Base64url, as the authenticator chose it. */
  credentialId: string
  /** How it can be reached, such as `internal`, `hybrid` or `usb`. */
  transports: readonly string[]
}

/** What a signature is verified with. */
export interface Credential extends CredentialReference {
  number: number
  userId: UserId
  /** COSE key (RFC 9052). */
  publicKey: Uint8Array<ArrayBuffer>
}

export interface NewPasskey extends CredentialReference {
  userId: UserId
  publicKey: Uint8Array<ArrayBuffer>
  /** Signatures made so far, as the authenticator counts; 0 for one that does not count. */
  counter: number
  backupEligible: boolean
  backedUp: boolean
  /** Null: named by its place among the person's passkeys. */
  name: string | null
}

export type AddPasskeyOutcome =
  | { kind: 'added'; passkey: Passkey }
  | { kind: 'credential-taken' }
  | { kind: 'too-many' }
  | { kind: 'user-unknown' }

/** What the browser is asked to sign for: adding a passkey, signing in, or showing that one is still oneself. */
export type ChallengePurpose = 'registration' | 'sign-in' | 'proof'

/** For what, at which browser and for whom a challenge stands. */
export interface ChallengeUse {
  purpose: ChallengePurpose
  browser: SecretDigest
  /** Null: nobody is signed in yet. */
  userId: UserId | null
}

export interface ChallengeBounds {
  perBrowser: number
  /** Share of the signed-in user, or of the client address when no user is signed in. */
  share: RowShare
  inAll: number
}

export type RemovePasskeyOutcome = 'removed' | 'unknown' | 'last-way-to-sign-in'
/** Each method is one transaction. */
export interface PasskeyStore {
  /** Stores the challenge. Deletes the oldest ones beyond the bounds: per browser, per holder and in all. */
  addChallenge(challenge: string, use: ChallengeUse, expiresAtMs: number, bounds: ChallengeBounds): Promise<void>
  /**
   * Takes the challenge away if it stands for this use and has not run out, and says whether it did: of two
   * callers at once one gets it. One that stands for another use stays.
   */
  takeChallenge(challenge: string, use: ChallengeUse, nowMs: number): Promise<boolean>
  /** Deletes at most `atMost` challenges that have run out, oldest first; returns how many. */
  deleteExpiredChallenges(nowMs: number, atMost: number): Promise<number>

  /** @param atMost how many passkeys one user may have. */
  addPasskey(
    passkey: NewPasskey,
    atMost: number,
    nowMs: number,
    recording?: Recording<AddPasskeyOutcome>,
  ): Promise<AddPasskeyOutcome>
  findCredential(credentialId: string): Promise<Credential | undefined>
  /**
   * Keeps what the authenticator reported with a signature. `counter-behind`, and nothing is changed, when it
   * counts and did not count on from what is stored: the key may exist twice (WebAuthn section 6.1.1). Of two
   * signatures with one count one is recorded.
   */
  recordUse(
    number: number,
    reported: { counter: number; backedUp: boolean },
    nowMs: number,
  ): Promise<'recorded' | 'counter-behind' | 'unknown'>
  /** The user's passkeys, the oldest first. */
  listPasskeys(userId: UserId): Promise<Passkey[]>
  listCredentials(userId: UserId): Promise<CredentialReference[]>
  renamePasskey(userId: UserId, number: number, name: string): Promise<'renamed' | 'unknown'>
  /**
   * Refuses to remove what is the user's only way to sign in: no other passkey, no password with an address, and
   * no account at one of the providers in use.
   *
   * @param inUse providers that people can sign in with now, each with its issuer.
   */
  removePasskey(
    userId: UserId,
    number: number,
    inUse: readonly Omit<AccountReference, 'subject'>[],
    recording?: Recording<RemovePasskeyOutcome>,
  ): Promise<RemovePasskeyOutcome>
}
