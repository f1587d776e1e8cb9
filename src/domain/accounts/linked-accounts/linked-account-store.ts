import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { RowShare } from '../../limits/row-share.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredEmail } from '../user-store.ts'
import type { ProviderKey } from './upstream.ts'

export interface AccountReference {
  provider: ProviderKey
  /**
   * Part of the account's identity only if `provider` is `upstream`, because the operator can configure a different
   * authorization server under that key.
   */
  issuer: string
  subject: string
}

export interface NewLinkedAccount extends AccountReference {
  name: string | null
}

export interface LinkedAccount extends NewLinkedAccount {
  /** `null` if the operator linked the account. */
  linkedAtMs: number | null
}

/** A browser's round trip to a provider, from redirect to callback. */
export interface ProviderVisit {
  provider: ProviderKey
  /** The user who is linking an account. `null` for a sign-in. */
  linkingUserId: UserId | null
  /** The page to show after the callback. Only the pages parse this text. */
  onward: string | null
}

/** Digests of the two secrets that only the user's browser knows. */
export interface VisitKey {
  stateDigest: SecretDigest
  browserDigest: SecretDigest
}

export type AddUserOutcome = { kind: 'added' } | { kind: 'account-linked'; userId: UserId } | { kind: 'email-taken' }

export type LinkOutcome = 'linked' | 'account-taken' | 'another-linked' | 'user-unknown'
export type UnlinkOutcome = 'unlinked' | 'not-linked' | 'last-way-to-sign-in'
/** Each method runs in one transaction. */
export interface LinkedAccountStore {
  /** Stores the visit. If its holder now has more than `share.atMost`, deletes the holder's oldest visits. */
  addVisit(key: VisitKey, visit: ProviderVisit, expiresAtMs: number, share: RowShare): Promise<void>
  /**
   * Deletes and returns the visit if it belongs to this browser and provider and has not expired. Otherwise changes
   * nothing. Only one of several concurrent calls gets the visit.
   */
  takeVisit(key: VisitKey, provider: ProviderKey, nowMs: number): Promise<ProviderVisit | undefined>
  /** Deletes up to `atMost` expired visits, oldest first. Returns the number deleted. */
  deleteExpiredVisits(nowMs: number, atMost: number): Promise<number>

  findOwner(account: AccountReference): Promise<UserId | undefined>
  /**
   * Creates a user who signs in with this account. The email address, if any, counts as verified. If the account is
   * already linked, returns its user instead. Only one of several concurrent calls creates a user.
   */
  addUser(
    user: { id: UserId; name: string; email: StoredEmail | null },
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<AddUserOutcome>
  /**
   * Links the account, unless it belongs to another user or this user already has another account from the same issuer.
   * Linking the same account again only updates its name.
   */
  link(
    userId: UserId,
    account: NewLinkedAccount,
    nowMs: number,
    recording?: Recording<LinkOutcome>,
  ): Promise<LinkOutcome>
  /**
   * Unlinks the account, unless it is the user's only way to sign in. Other ways are a password with an email address,
   * a passkey, and a linked account at another configured provider.
   *
   * @param inUse configured providers and their issuers.
   */
  unlink(
    userId: UserId,
    provider: ProviderKey,
    inUse: readonly Omit<AccountReference, 'subject'>[],
    recording?: Recording<UnlinkOutcome>,
  ): Promise<UnlinkOutcome>
  /** Returns the user's linked accounts in the order of {@link providerKeys}. */
  list(userId: UserId): Promise<LinkedAccount[]>
}
