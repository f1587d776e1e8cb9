import type { Recording } from '../../audit/audit-event.ts'
import type { UserId } from '../../ids.ts'
import type { RowShare } from '../../limits/row-share.ts'
import type { SecretDigest } from '../../secret.ts'
import type { StoredEmail } from '../user-store.ts'
import type { ProviderKey } from './upstream.ts'

/** One account at one provider. */
export interface AccountReference {
  provider: ProviderKey
  /** Counts for `upstream` only, which may stand for another provider after a change of settings. */
  issuer: string
  subject: string
}

export interface NewLinkedAccount extends AccountReference {
  /** What it is called over there. */
  name: string | null
}

export interface LinkedAccount extends NewLinkedAccount {
  /** Null: the operator linked it. */
  linkedAtMs: number | null
}

/** A browser that was sent to a provider. */
export interface ProviderVisit {
  provider: ProviderKey
  /** Who links an account. Null: nobody is signed in yet. */
  linkingUserId: UserId | null
  /** Where the person goes on then, in the pages' own words. */
  onward: string | null
}

/** What only that browser can show. */
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
   * Takes the visit away and returns it, if it was made by this browser, to this provider, and has not run out:
   * of two callers at once one gets it. Otherwise nothing changes.
   */
  takeVisit(key: VisitKey, provider: ProviderKey, nowMs: number): Promise<ProviderVisit | undefined>
  /** Deletes at most `atMost` visits that have run out, oldest first; returns how many. */
  deleteExpiredVisits(nowMs: number, atMost: number): Promise<number>

  findOwner(account: AccountReference): Promise<UserId | undefined>
  /**
   * Creates a user who signs in with this account; their address counts as verified. When the account is
   * linked already, its user is reported and nobody is created: of two callers at once one creates.
   */
  addUser(
    user: { id: UserId; name: string; email: StoredEmail | null },
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<AddUserOutcome>
  /**
   * Links the account, unless another user has it or this user has another account of that issuer. Linking
   * it again only keeps its name.
   */
  link(
    userId: UserId,
    account: NewLinkedAccount,
    nowMs: number,
    recording?: Recording<LinkOutcome>,
  ): Promise<LinkOutcome>
  /**
   * Refuses to unlink what is the user's only way to sign in: no password with an address, no passkey, and no
   * other account at one of the providers in use.
   *
   * @param inUse providers that people can sign in with now, each with its issuer.
   */
  unlink(
    userId: UserId,
    provider: ProviderKey,
    inUse: readonly Omit<AccountReference, 'subject'>[],
    recording?: Recording<UnlinkOutcome>,
  ): Promise<UnlinkOutcome>
  /** The user's accounts, in the order of {@link providerKeys}. */
  list(userId: UserId): Promise<LinkedAccount[]>
}
