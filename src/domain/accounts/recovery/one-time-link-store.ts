import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { SecretDigest } from '../../secret.ts'

/** Purpose of a link. A user has at most one link per purpose. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'set-pin'

export interface NewLink {
  userId: UserId
  purpose: LinkPurpose
  digest: SecretDigest
  /** Key of the recipient's address. `null` if the operator hands the link over. */
  emailKey: string | null
  expiresAtMs: number
}

/** A link that can still be used. */
export interface LiveLink {
  userId: UserId
  userName: string
  /** Address that the link verifies or was sent to. `null` for a link from the operator. */
  email: string | null
  /**
   * State of that address. `pending` means that it replaces the user's address when the link is used. `null` as for
   * `email`.
   */
  emailState: 'verified' | 'unverified' | 'pending' | null
}

export interface PasswordReset {
  /** PHC string. */
  passwordHash: string
  /**
   * Whether to remove all other access as well. Always happens for an unverified address, see {@link
   * OneTimeLinkStore.resetPassword}.
   */
  removesAccess: boolean
}

export type PasswordResetOutcome =
  | { kind: 'used'; userId: UserId; emailKey: string | null; accessRemoved: boolean }
  | { kind: 'link-invalid' }

export type VerifyEmailOutcome = LinkUse | { kind: 'email-taken' | 'sign-in-first' }
/**
 * Links that work once. A mailed link works only while its address is the user's current or pending one. Each method is
 * one transaction.
 */
export interface OneTimeLinkStore {
  /** Stores the link and replaces the user's link with the same purpose. */
  putLink(link: NewLink): Promise<'stored' | 'user-unknown'>
  /**
   * Returns `undefined` if the link is unknown, used, replaced, expired or for another purpose, or its address was
   * dropped.
   */
  findLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Promise<LiveLink | undefined>
  /**
   * Consumes the link: stores the password, ends all sessions of the user and cancels a change of address. A mailed
   * link also verifies the address.
   *
   * Removes passkeys, linked accounts, the PIN and consents on request, and always if the address was unverified:
   * someone else may have created the account. Otherwise the PIN and its lock stay.
   */
  resetPassword(
    digest: SecretDigest,
    reset: PasswordReset,
    nowMs: number,
    recording?: Recording<PasswordResetOutcome>,
  ): Promise<PasswordResetOutcome>
  /** Consumes the link: stores the PIN, lifts its lock, and ends the PIN unlock of all the user's sessions. */
  setPin(digest: SecretDigest, pinHash: string, nowMs: number, recording?: Recording<LinkUse>): Promise<LinkUse>
  /**
   * Consumes the link and verifies its address. A pending address replaces the current one and queues a mail in this
   * language to the old address.
   *
   * Replacing an address requires a session of the user. Without one, returns `sign-in-first` and keeps the link. If
   * another user has the address by now, the link is consumed and nothing else changes.
   */
  verifyEmail(
    digest: SecretDigest,
    sessionNumber: number | undefined,
    language: Language,
    nowMs: number,
    recording?: Recording<VerifyEmailOutcome>,
  ): Promise<VerifyEmailOutcome>
  /** Deletes up to `atMost` expired links. Returns their number. */
  deleteExpiredLinks(nowMs: number, atMost: number): Promise<number>
}

export type LinkUse = { kind: 'used'; userId: UserId; emailKey: string | null } | { kind: 'link-invalid' }
