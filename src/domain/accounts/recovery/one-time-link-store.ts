import type { Recorded } from '../../audit/audit.ts'
import type { RuntimeId, SecretDigest, SubscriptionId, UserId } from '../../ids-and-secrets.ts'
import type { Language } from '../../language.ts'

/** A user has at most one link per purpose. */
export type LinkPurpose = 'verify-email' | 'reset-password' | 'set-pin'

export interface NewLink {
  userId: UserId
  purpose: LinkPurpose
  digest: SecretDigest
  /** Of the recipient. `null` if the operator gives the link to the user. */
  emailKey: string | null
  expiresAtMs: number
}

export interface LiveLink {
  userId: UserId
  userName: string
  /** The address that the link verifies or was sent to. `null` for a link from the operator. */
  email: string | null
  /** `pending`: the address replaces the user's address when the link is used. `null` if `email` is `null`. */
  emailState: 'verified' | 'unverified' | 'pending' | null
}

export interface PasswordReset {
  passwordHash: string
  /** Whether the user asked for this; see {@link OneTimeLinkStore.resetPassword}. */
  removesAccess: boolean
}

/** What the first proof of an address ended, beyond the ways to sign in to the account. */
export interface EndedByFirstProof {
  runtimeIds: RuntimeId[]
  subscriptionIds: SubscriptionId[]
  clientSecrets: number
}

export type PasswordResetOutcome =
  | {
      kind: 'used'
      userId: UserId
      accessRemoved: boolean
      /** `undefined` unless this was the first proof of the address. */
      ended: EndedByFirstProof | undefined
    }
  | { kind: 'link-invalid' }

export type LinkUse = { kind: 'used'; userId: UserId } | { kind: 'link-invalid' }

export type VerifyEmailOutcome = LinkUse | { kind: 'email-taken' | 'sign-in-first' }
/** Single-use links. An emailed one works while its address is the user's, current or pending. One transaction each. */
export interface OneTimeLinkStore {
  /** Replaces the user's existing link for the same purpose. */
  putLink(link: NewLink): Promise<'stored' | 'user-unknown'>
  /** Finds no link that is used, replaced, expired, for another purpose, or whose address is no longer the user's. */
  findLink(digest: SecretDigest, purpose: LinkPurpose, nowMs: number): Promise<LiveLink | undefined>
  /**
   * Consumes the link: stores the password, ends all the user's sessions and cancels a pending address change. An
   * emailed link also verifies the address.
   *
   * If `removesAccess` is set, also removes passkeys, linked accounts, the PIN and consents, and revokes all tokens.
   * Always does so if the address was unverified, because someone else may have created the account. In that case, also
   * removes the user's runtimes, subscriptions and client secrets. Otherwise, keeps the PIN and its lock.
   */
  resetPassword: Recorded<[digest: SecretDigest, reset: PasswordReset, nowMs: number], PasswordResetOutcome>
  /** Lifts the PIN's lock, and locks all the user's sessions. */
  setPin: Recorded<[digest: SecretDigest, pinHash: string, nowMs: number], LinkUse>
  /**
   * A pending address replaces the current address, and an email to the old address is queued in `language`.
   *
   * Replacing an address requires one of the user's sessions. Without a session, returns `sign-in-first` and keeps the
   * link. If another user has taken the address in the meantime, the link is consumed and nothing else changes.
   */
  verifyEmail: Recorded<
    [digest: SecretDigest, sessionNumber: number | undefined, language: Language, nowMs: number],
    VerifyEmailOutcome
  >
}
