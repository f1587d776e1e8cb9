import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { RowShare } from '../../limits/row-share.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredEmail } from '../user-store.ts'
import type { ProviderKey } from './upstream.ts'

export interface AccountReference {
  provider: ProviderKey
  /** Only compared for `upstream`, whose settings may point to another provider later. */
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

/** A round trip of a browser to a provider, from redirect to callback. */
export interface ProviderVisit {
  provider: ProviderKey
  /** The user linking an account. `null` for a sign-in. */
  linkingUserId: UserId | null
  /** Destination after the callback, in a format that only the pages interpret. */
  onward: string | null
}

/** Digests of the two secrets that only this browser knows. */
export interface VisitKey {
  stateDigest: SecretDigest
  browserDigest: SecretDigest
}

export type AddUserOutcome = { kind: 'added' } | { kind: 'account-linked'; userId: UserId } | { kind: 'email-taken' }

export type LinkOutcome = 'linked' | 'account-taken' | 'another-linked' | 'user-unknown'
export type UnlinkOutcome = 'unlinked' | 'not-linked' | 'last-way-to-sign-in'
/** Each method is one transaction. */
export interface LinkedAccountStore {
  /** Stores the visit. Deletes the holder's oldest visits beyond its share in the same transaction. */
  addVisit(key: VisitKey, visit: ProviderVisit, expiresAtMs: number, share: RowShare): Promise<void>
  /**
   * Deletes and returns the visit if it belongs to this browser and provider and has not expired. Only one of several
   * concurrent calls gets it. Otherwise nothing changes.
   */
  takeVisit(key: VisitKey, provider: ProviderKey, nowMs: number): Promise<ProviderVisit | undefined>
  /** Deletes up to `atMost` expired visits, oldest first. Returns their number. */
  deleteExpiredVisits(nowMs: number, atMost: number): Promise<number>

  findOwner(account: AccountReference): Promise<UserId | undefined>
  /**
   * Creates a user who signs in with this account, with a verified email address. If the account is already linked,
   * returns its user and creates none. Only one of several concurrent calls creates the user.
   */
  addUser(
    user: { id: UserId; name: string; email: StoredEmail | null },
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<AddUserOutcome>
  /**
   * Links the account, unless it belongs to another user or this user has another account of that issuer. Linking the
   * same account again only updates its name.
   */
  link(
    userId: UserId,
    account: NewLinkedAccount,
    nowMs: number,
    recording?: Recording<LinkOutcome>,
  ): Promise<LinkOutcome>
  /**
   * Unlinks the account, unless it is the user's only way to sign in. Other ways are a password with an email address,
   * a passkey, and an account at another provider in use.
   *
   * @param inUse configured providers and their issuers.
   */
  unlink(
    userId: UserId,
    provider: ProviderKey,
    inUse: readonly Omit<AccountReference, 'subject'>[],
    recording?: Recording<UnlinkOutcome>,
  ): Promise<UnlinkOutcome>
  /** Returns the user's accounts in the order of {@link providerKeys}. */
  list(userId: UserId): Promise<LinkedAccount[]>
}
