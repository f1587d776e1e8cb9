import type {
  AccountReference,
  LinkedAccount,
  LinkedAccountStore,
  NewLinkedAccount,
} from '../../../domain/accounts/linked-accounts/linked-account-store.ts'
import { type ProviderKey, providerKeys } from '../../../domain/accounts/linked-accounts/upstream.ts'
import type { UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { keepShare, keepTotal } from '../row-share.ts'

interface VisitRow {
  provider: ProviderKey
  linkingUserId: UserId | null
  onward: string | null
}

interface AccountRow {
  provider: ProviderKey
  issuer: string
  subject: string
  name: string | null
  linkedAtMs: number | null
}

/** Columns of `users` that hold a user's account IDs at the chat platform and at code hosting. */
const columns = { 'chat-platform': 'chat_platform_id', 'code-hosting': 'code_hosting_id' } as const

const accountsOfUser = `
  SELECT 'chat-platform' AS provider, 'chat-platform' AS issuer, chat_platform_id AS subject, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'chat-platform' AND subject = chat_platform_id AND user_id = id
  WHERE id = ?1 AND chat_platform_id IS NOT NULL
  UNION ALL
  SELECT 'code-hosting', 'code-hosting', code_hosting_id, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'code-hosting' AND subject = code_hosting_id AND user_id = id
  WHERE id = ?1 AND code_hosting_id IS NOT NULL
  UNION ALL
  SELECT 'upstream', issuer, subject, name, linked_at_ms FROM linked_accounts
  WHERE user_id = ?1 AND issuer NOT IN ('chat-platform', 'code-hosting')`

const visits = { table: 'provider_visits', key: 'state_digest', age: 'expires_at_ms' }

/** Stores linked accounts, and the state of browsers that were redirected to a provider and have not returned yet. */
export function sqlLinkedAccounts(database: Database): LinkedAccountStore {
  return {
    addVisit: (key, visit, expiresAtMs, share) =>
      database.write({}, function* () {
        yield* changes(
          `INSERT INTO provider_visits (state_digest, browser_digest, provider, linking_user_id, onward, expires_at_ms, holder)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          key.stateDigest,
          key.browserDigest,
          visit.provider,
          visit.linkingUserId,
          visit.onward,
          expiresAtMs,
          share.holder,
        )
        yield* keepShare(visits, share, key.stateDigest)
      }),

    takeVisit: (key, provider, nowMs) =>
      database.write({}, function* () {
        const row = yield* firstRow<VisitRow>(
          `DELETE FROM provider_visits
           WHERE state_digest = ? AND browser_digest = ? AND provider = ? AND expires_at_ms > ?
           RETURNING provider, linking_user_id, onward`,
          key.stateDigest,
          key.browserDigest,
          provider,
          nowMs,
        )
        if (row === undefined) return undefined
        return { provider: row.provider, linkingUserId: row.linkingUserId, onward: row.onward }
      }),

    trimVisits: (total, limit) => database.write({}, () => keepTotal(visits, total, limit)),

    deleteExpiredVisits: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM provider_visits WHERE state_digest IN
           (SELECT state_digest FROM provider_visits WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),

    findOwner: (account) => database.read(() => ownerOf(account)),

    addUser: (user, account, nowMs) =>
      database.write({}, function* () {
        const owner = yield* ownerOf(account)
        if (owner !== undefined) return { kind: 'account-linked', userId: owner }
        const { id, name, email } = user
        if (email !== null && (yield* firstRow('SELECT 1 FROM users WHERE email_key = ?', email.key))) {
          return { kind: 'email-taken' }
        }
        yield* changes(
          `INSERT INTO users (id, name, email, email_key, email_verified_at_ms, created_at_ms, updated_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
          id,
          name,
          email?.address ?? null,
          email?.key ?? null,
          email === null ? null : nowMs,
          nowMs,
          nowMs,
        )
        yield* storeLink(id, account, nowMs)
        return { kind: 'added' }
      }),

    link: (userId, account, nowMs, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        if (!(yield* userExists(userId))) return 'user-unknown'
        const owner = yield* ownerOf(account)
        if (owner !== undefined && owner !== userId) return 'account-taken'
        const { issuer, subject } = keyOf(account)
        const linked = (yield* accountsOf(userId)).find((candidate) => candidate.issuer === issuer)
        if (linked !== undefined && linked.subject !== subject) return 'another-linked'
        yield* storeLink(userId, account, linked?.linkedAtMs ?? nowMs)
        return 'linked'
      }),

    unlink: (userId, provider, inUse, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const issuers = inUse.map((reference) => keyOf({ ...reference, subject: '' }).issuer)
        const usable = (yield* accountsOf(userId)).filter(({ issuer }) => issuers.includes(issuer))
        const account = usable.find((candidate) => candidate.provider === provider)
        if (account === undefined) return 'not-linked'
        if (usable.length === 1 && !(yield* canSignInLocally(userId))) return 'last-way-to-sign-in'
        const column = columnOf(provider)
        if (column !== undefined) yield* changes(`UPDATE users SET ${column} = NULL WHERE id = ?`, userId)
        yield* changes('DELETE FROM linked_accounts WHERE user_id = ? AND issuer = ?', userId, account.issuer)
        return 'unlinked'
      }),

    list: (userId) => database.read(() => accountsOf(userId)),
  }
}

/** Returns whether the user has a linked account at any of the given providers. */
export function* hasAccountAt(userId: UserId, providers: readonly Omit<AccountReference, 'subject'>[]): Work<boolean> {
  const issuers = providers.map((provider) => keyOf({ ...provider, subject: '' }).issuer)
  return (yield* rows<AccountRow>(accountsOfUser, userId)).some(({ issuer }) => issuers.includes(issuer))
}

function* ownerOf({ provider, issuer, subject }: AccountReference): Work<UserId | undefined> {
  const column = columnOf(provider)
  const row =
    column === undefined
      ? yield* firstRow<{ id: UserId }>(
          'SELECT user_id AS id FROM linked_accounts WHERE issuer = ? AND subject = ?',
          issuer,
          subject,
        )
      : yield* firstRow<{ id: UserId }>(`SELECT id FROM users WHERE ${column} = ?`, subject)
  return row?.id
}

/**
 * Stores the link, replacing any existing one. The caller has checked that the account isn't linked to another user,
 * and that the user has no other account at this issuer.
 */
function* storeLink(userId: UserId, account: NewLinkedAccount, linkedAtMs: number): Work<void> {
  const { issuer, subject } = keyOf(account)
  const column = columnOf(account.provider)
  if (column !== undefined) yield* changes(`UPDATE users SET ${column} = ? WHERE id = ?`, subject, userId)
  // Deletes the link if it is already stored, and links that no longer match `users`, because the operator changed the
  // account ID there.
  yield* changes(
    'DELETE FROM linked_accounts WHERE issuer = ? AND (subject = ? OR user_id = ?)',
    issuer,
    subject,
    userId,
  )
  yield* changes(
    'INSERT INTO linked_accounts (issuer, subject, user_id, name, linked_at_ms) VALUES (?, ?, ?, ?, ?)',
    issuer,
    subject,
    userId,
    account.name,
    linkedAtMs,
  )
}

function* accountsOf(userId: UserId): Work<LinkedAccount[]> {
  return (yield* rows<AccountRow>(accountsOfUser, userId))
    .map(({ linkedAtMs, ...row }) => ({ ...row, linkedAtMs }))
    .sort((one, other) => providerKeys.indexOf(one.provider) - providerKeys.indexOf(other.provider))
}

function* canSignInLocally(userId: UserId): Work<boolean> {
  const row = yield* firstRow(
    `SELECT 1 FROM users WHERE id = ?1 AND ((password_hash IS NOT NULL AND email IS NOT NULL)
       OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?1))`,
    userId,
  )
  return row !== undefined
}

/** Returns the account's key columns in `linked_accounts`. */
function keyOf({ provider, issuer, subject }: AccountReference): { issuer: string; subject: string } {
  return { issuer: provider === 'upstream' ? issuer : provider, subject }
}

function columnOf(provider: ProviderKey): (typeof columns)[keyof typeof columns] | undefined {
  return provider === 'upstream' ? undefined : columns[provider]
}
