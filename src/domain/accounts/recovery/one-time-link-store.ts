import type { Recording } from '../../audit/audit.ts'
import type { RuntimeId, SubscriptionId, UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { SecretDigest } from '../../secret.ts'

/** Purpose of a link. A user has at most one link per purpose. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'set-pin'

export interface NewLink {
  userId: UserId
  purpose: LinkPurpose
  digest: SecretDigest
  /** Key of the recipient's email address. `null` if the operator gives the link to the user. */
  emailKey: string | null
  expiresAtMs: number
}

export interface LiveLink {
  userId: UserId
  userName: string
  /** Email address that the link verifies or was sent to. `null` for a link from the operator. */
  email: string | null
  /**
   * State of the address in `email`. `pending` means that the address replaces the user's address when the link is
   * used. `null` if `email` is `null`.
   */
  emailState: 'verified' | 'unverified' | 'pending' | null
}

export interface PasswordReset {
  /** Hash of the new password, as a PHC string. */
  passwordHash: string
  /**
   * Whether the user asked to remove passkeys, linked accounts, the PIN and consents as well. See
   * {@link OneTimeLinkStore.resetPassword}.
   */
  removesAccess: boolean
}

/** What the first proof of an address ended, beyond the ways to sign in to the account. */
export interface EndedByFirstProof {
  runtimeIds: RuntimeId[]
  subscriptionIds: SubscriptionId[]
  /** Number of removed secrets of the user's applications. */
  clientSecrets: number
}

export type PasswordResetOutcome =
  | {
      kind: 'used'
      userId: UserId
      emailKey: string | null
      accessRemoved: boolean
      /** `undefined` unless this was the first proof of the address. */
      ended: EndedByFirstProof | undefined
    }
  | { kind: 'link-invalid' }

export type LinkUse = { kind: 'used'; userId: UserId; emailKey: string | null } | { kind: 'link-invalid' }

export type VerifyEmailOutcome = LinkUse | { kind: 'email-taken' | 'sign-in-first' }
/**
 * Stores single-use links. An emailed link works only while its address is the user's current or pending one. Each
 * method runs in one transaction.
 */
export interface OneTimeLinkStore {
  /** Stores the link, replacing the user's existing link for the same purpose. */
  putLink(link: NewLink): Promise<'stored' | 'user-unknown'>
  /**
   * Returns the link, or `undefined` if it is unknown, used, replaced, expired or for another purpose, or if its
   * address is no longer the user's.
   */
  findLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Promise<LiveLink | undefined>
  /**
   * Consumes the link: stores the password, ends all the user's sessions and cancels a pending address change. An
   * emailed link also verifies the address.
   *
   * If `removesAccess` is set, also removes passkeys, linked accounts, the PIN and consents, and revokes all tokens.
   * Always does so if the address was unverified, because someone else may have created the account. In that case, also
   * removes the user's runtimes, subscriptions and client secrets. Otherwise, keeps the PIN and its lock.
   */
  resetPassword(
    digest: SecretDigest,
    reset: PasswordReset,
    nowMs: number,
    recording?: Recording<PasswordResetOutcome>,
  ): Promise<PasswordResetOutcome>
  /** Consumes the link: stores the PIN, lifts its lock, and locks all the user's sessions. */
  setPin(digest: SecretDigest, pinHash: string, nowMs: number, recording?: Recording<LinkUse>): Promise<LinkUse>
  /**
   * Consumes the link and verifies its address. A pending address replaces the current address, and an email to the old
   * address is queued in `language`.
   *
   * Replacing an address requires one of the user's sessions. Without a session, returns `sign-in-first` and keeps the
   * link. If another user has taken the address in the meantime, the link is consumed and nothing else changes.
   */
  verifyEmail(
    digest: SecretDigest,
    sessionNumber: number | undefined,
    language: Language,
    nowMs: number,
    recording?: Recording<VerifyEmailOutcome>,
  ): Promise<VerifyEmailOutcome>
  /** Deletes up to `atMost` expired links. Returns the number deleted. */
  deleteExpiredLinks(nowMs: number, atMost: number): Promise<number>
}
