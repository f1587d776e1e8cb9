import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { Language } from '../../language.ts'
import type { SecretDigest } from '../../secret.ts'

/** What a link is good for. Of each purpose a user has one link at most. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'set-pin'

export interface NewLink {
  userId: UserId
  purpose: LinkPurpose
  digest: SecretDigest
  /** Key of the address it is sent to. Null: the operator hands it over. */
  emailKey: string | null
  expiresAtMs: number
}

/** Whom a link that still works is for. */
export interface LiveLink {
  userId: UserId
  userName: string
  /** The address that is the user's once the link is followed, or is already. Null where the link is not about one. */
  email: string | null
  /** State of that address. `pending`: it replaces the user's address once the link is used. Null as with `email`. */
  emailState: 'verified' | 'unverified' | 'pending' | null
}

export interface PasswordReset {
  /** PHC string. */
  passwordHash: string
  /**
   * Whether to remove all other access as well. Always done for an unverified address, see
   * {@link OneTimeLinkStore.resetPassword}.
   */
  removesAccess: boolean
}

export type PasswordResetOutcome =
  | { kind: 'used'; userId: UserId; emailKey: string | null; accessRemoved: boolean }
  | { kind: 'link-invalid' }

export type VerifyEmailOutcome = LinkUse | { kind: 'email-taken' | 'sign-in-first' }
/**
 * Links that work once. A link that was sent by mail works only while the address it went to is the user's, or
 * is about to be. Each method is one transaction.
 */
export interface OneTimeLinkStore {
  /** Stores a link in place of the one with the same purpose. */
  putLink(link: NewLink): Promise<'stored' | 'user-unknown'>
  /** Undefined when it is unknown, used, replaced, out of time, of another purpose, or its address was given up. */
  findLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Promise<LiveLink | undefined>
  /**
   * Uses the link up: stores the password, ends all sessions of the user and cancels a change of address. A link that
   * came by mail verifies the address. Passkeys, linked accounts, the PIN and consents are removed on request, and when
   * the address was unverified: someone else may have created the account. Otherwise the PIN and its lock stay.
   */
  resetPassword(
    digest: SecretDigest,
    reset: PasswordReset,
    nowMs: number,
    recording?: Recording<PasswordResetOutcome>,
  ): Promise<PasswordResetOutcome>
  /** Uses the link up: stores the PIN, lifts a lock of it, and locks it in all sessions of the user. */
  setPin(digest: SecretDigest, pinHash: string, nowMs: number, recording?: Recording<LinkUse>): Promise<LinkUse>
  /**
   * Uses the link up: the address is verified. One that was asked for in place of another takes its place, and
   * a mail to the other one is queued that says so in this language. Replacing an address requires a session of the
   * user; without one, `sign-in-first` is returned and the link stays. If another user has the address by now, the link
   * is used up and nothing else changes.
   */
  verifyEmail(
    digest: SecretDigest,
    sessionNumber: number | undefined,
    language: Language,
    nowMs: number,
    recording?: Recording<VerifyEmailOutcome>,
  ): Promise<VerifyEmailOutcome>
  /** Deletes at most `atMost` links that are out of time; returns how many. */
  deleteExpiredLinks(nowMs: number, atMost: number): Promise<number>
}

export type LinkUse = { kind: 'used'; userId: UserId; emailKey: string | null } | { kind: 'link-invalid' }
