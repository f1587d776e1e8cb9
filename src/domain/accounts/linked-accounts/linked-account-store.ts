import type { Recorded } from '../../audit/audit.ts'
import { oneLine } from '../../clean-text.ts'
import { parseChatPlatformId, type SecretDigest, type UserId } from '../../ids-and-secrets.ts'
import type { RowShare } from '../../limits/budget.ts'
import * as limits from '../../limits/limits.ts'
import { Refusal } from '../../refusal.ts'
import { parseCodeHostingId, parseEmail } from '../credential-rules.ts'
import type { StoredEmail } from '../user-store.ts'
import {
  type ProviderKey,
  type ProviderReference,
  type UpstreamIdentity,
  UpstreamRefusal,
  type UpstreamRefusalReason,
} from './upstream.ts'

export interface AccountReference {
  provider: ProviderKey
  /** Matters only for the provider `upstream`, whose authorization server the operator can change. */
  issuer: string
  subject: string
}

export interface NewLinkedAccount extends AccountReference {
  name: string | null
}

export interface LinkedAccount extends NewLinkedAccount {
  /** `null` if the operator linked it. */
  linkedAtMs: number | null
}

/** From the redirect to the callback. */
export interface ProviderVisit {
  provider: ProviderKey
  /** `null` for a sign-in. */
  linkingUserId: UserId | null
  /** Page to open after the callback. Opaque here: only the pages parse this text. */
  onward: string | null
}

/** Digests of the `state` parameter and of a secret in the browser's cookie. */
export interface VisitKey {
  stateDigest: SecretDigest
  browserDigest: SecretDigest
}

export type AddUserOutcome = { kind: 'added' } | { kind: 'account-linked'; userId: UserId } | { kind: 'email-taken' }

type LinkOutcome = 'linked' | 'account-taken' | 'another-linked' | 'user-unknown'
type UnlinkOutcome = 'unlinked' | 'not-linked' | 'last-way-to-sign-in'
/** Stores linked accounts and visits to providers. Each method runs in one transaction. */
export interface LinkedAccountStore {
  /** Deletes the client address's oldest visits beyond `share.atMost`. */
  addVisit(key: VisitKey, visit: ProviderVisit, expiresAtMs: number, share: RowShare): Promise<void>
  /** Deletes and returns this browser's unexpired visit to the provider. Only one of concurrent calls gets it. */
  takeVisit(key: VisitKey, provider: ProviderKey, nowMs: number): Promise<ProviderVisit | undefined>

  findOwner(account: AccountReference): Promise<UserId | undefined>
  /** Returns the account's user, or creates it, once for concurrent calls. Any email address counts as verified. */
  addUser(
    user: { id: UserId; name: string; email: StoredEmail | null },
    account: NewLinkedAccount,
    nowMs: number,
  ): Promise<AddUserOutcome>
  /** Links or renames, unless the account is another user's, or the user has another one from the same issuer. */
  link: Recorded<[userId: UserId, account: NewLinkedAccount, nowMs: number], LinkOutcome>
  /** Unless it is the only way to sign in: no password with email, passkey, or other account at a provider in use. */
  unlink: Recorded<[userId: UserId, provider: ProviderKey, inUse: readonly ProviderReference[]], UnlinkOutcome>
  /** In the order of {@link providerKeys}. */
  list(userId: UserId): Promise<LinkedAccount[]>
}

/** Returns `undefined` if the account's ID doesn't match the provider's format. */
export function accountOf(
  { key, issuer }: ProviderReference,
  { subject, name }: UpstreamIdentity,
): NewLinkedAccount | undefined {
  if (!isSubject(key, subject)) return undefined
  // Shortens a long name and drops an empty one, because neither may prevent the user from signing in.
  const kept = [...oneLine(name ?? '')].slice(0, limits.personNameMaxCharacters).join('').trim()
  return { provider: key, issuer, subject, name: kept === '' ? null : kept }
}

/** Returns `null` for a malformed address, because it must not prevent the user from signing in. */
export function verifiedEmailOf({ verifiedEmail }: UpstreamIdentity): StoredEmail | null {
  const parsed = verifiedEmail === undefined ? undefined : parseEmail(verifiedEmail)
  return parsed !== undefined && 'value' in parsed ? parsed.value : null
}

function isSubject(key: ProviderKey, subject: string): boolean {
  switch (key) {
    case 'chat-platform':
      return parseChatPlatformId(subject) !== undefined
    case 'code-hosting':
      return 'value' in parseCodeHostingId(subject)
    case 'upstream':
      return subject !== '' && subject.length <= limits.upstreamSubjectMaxCharacters && !/\p{Cc}/u.test(subject)
  }
}

export type LinkRefusalReason =
  | UpstreamRefusalReason
  | 'provider-unknown'
  | 'visit-unknown'
  | 'signed-out-meanwhile'
  | 'sign-in-again'
  | 'sign-up-closed'
  | 'user-disabled'
  | 'email-taken'
  | 'account-taken'
  | 'another-linked'
  | 'not-linked'
  | 'last-way-to-sign-in'

export interface LinkContext extends Pick<ProviderVisit, 'onward'> {
  providerName: string
  /** `false` if the user was signing in. */
  linking: boolean
}

export class LinkRefusal extends Refusal<LinkRefusalReason, LinkContext> {}

/** Adds the context that the error page needs to a provider's refusal. */
export async function withContext<T>(context: LinkContext, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof UpstreamRefusal)) throw error
    throw new LinkRefusal(error.reason, { ...context, detail: error.detail })
  }
}
