import type {
  AccountReference,
  LinkedAccount,
  LinkedAccountStore,
  NewLinkedAccount,
  ProviderVisit,
} from '../../../domain/accounts/linked-accounts/linked-account-store.ts'
import { type ProviderKey, providerKeys } from '../../../domain/accounts/linked-accounts/upstream.ts'
import type { UserId } from '../../../domain/ids.ts'
import { type Database, prune } from '../database.ts'
import { keepShare, keepTotal, userExists } from '../rows.ts'
import { insertInto, raw, type Sql, sql, type Work } from '../sql.ts'

const columns = { 'chat-platform': 'chat_platform_id', 'code-hosting': 'code_hosting_id' } as const

const visits = { table: 'provider_visits', key: 'state_digest', age: 'expires_at_ms' }

/** Stores linked accounts, and the state of browsers that were redirected to a provider and have not returned yet. */
export function sqlLinkedAccounts(database: Database): LinkedAccountStore {
  return {
    addVisit: (key, visit, expiresAtMs, share) =>
      database.write({}, function* () {
        yield* insertInto('provider_visits', { ...key, ...visit, expiresAtMs, holder: share.holder }).run()
        yield* keepShare(visits, share, key.stateDigest)
      }),

    takeVisit: (key, provider, nowMs) =>
      database.write({}, () =>
        sql`DELETE FROM provider_visits
          WHERE state_digest = ${key.stateDigest} AND browser_digest = ${key.browserDigest} AND provider = ${provider}
          AND expires_at_ms > ${nowMs} RETURNING provider, linking_user_id, onward`.first<ProviderVisit>(),
      ),

    trimVisits: (total, limit) => database.write({}, () => keepTotal(visits, total, limit)),

    deleteExpiredVisits: (nowMs, atMost) =>
      prune(database, 'provider_visits', 'state_digest', sql`expires_at_ms <= ${nowMs} ORDER BY expires_at_ms`, atMost),

    findOwner: (account) => database.read(() => ownerOf(account)),

    addUser: (user, account, nowMs) =>
      database.write({}, function* () {
        const owner = yield* ownerOf(account)
        if (owner !== undefined) return { kind: 'account-linked', userId: owner }
        const { id, name, email } = user
        if (email !== null && (yield* sql`SELECT 1 FROM users WHERE email_key = ${email.key}`.first())) {
          return { kind: 'email-taken' }
        }
        yield* insertInto('users', {
          id,
          name,
          email: email?.address ?? null,
          emailKey: email?.key ?? null,
          emailVerifiedAtMs: email === null ? null : nowMs,
          createdAtMs: nowMs,
          updatedAtMs: nowMs,
        }).changes()
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
        if (column !== undefined) yield* sql`UPDATE users SET ${column} = NULL WHERE id = ${userId}`.changes()
        yield* sql`DELETE FROM linked_accounts WHERE user_id = ${userId} AND issuer = ${account.issuer}`.changes()
        return 'unlinked'
      }),

    list: (userId) => database.read(() => accountsOf(userId)),
  }
}

export function* hasAccountAt(userId: UserId, providers: readonly Omit<AccountReference, 'subject'>[]): Work<boolean> {
  const issuers = providers.map((provider) => keyOf({ ...provider, subject: '' }).issuer)
  return (yield* accountsOf(userId)).some(({ issuer }) => issuers.includes(issuer))
}

function* ownerOf({ provider, issuer, subject }: AccountReference): Work<UserId | undefined> {
  const column = columnOf(provider)
  const row =
    column === undefined
      ? yield* sql`SELECT user_id AS id FROM linked_accounts
        WHERE issuer = ${issuer} AND subject = ${subject}`.first<{ id: UserId }>()
      : yield* sql`SELECT id FROM users WHERE ${column} = ${subject}`.first<{ id: UserId }>()
  return row?.id
}

/**
 * Stores the link, replacing any existing one. The caller has checked that the account isn't linked to another user,
 * and that the user has no other account at this issuer.
 */
function* storeLink(userId: UserId, account: NewLinkedAccount, linkedAtMs: number): Work<void> {
  const { issuer, subject } = keyOf(account)
  const column = columnOf(account.provider)
  if (column !== undefined) yield* sql`UPDATE users SET ${column} = ${subject} WHERE id = ${userId}`.changes()
  // Deletes the link if it is already stored, and links that no longer match `users`, because the operator changed the
  // account ID there.
  yield* sql`DELETE FROM linked_accounts WHERE issuer = ${issuer} AND (subject = ${subject}
    OR user_id = ${userId})`.changes()
  yield* insertInto('linked_accounts', { issuer, subject, userId, name: account.name, linkedAtMs }).changes()
}

function* accountsOf(userId: UserId): Work<LinkedAccount[]> {
  const found = yield* sql`
  SELECT 'chat-platform' AS provider, 'chat-platform' AS issuer, chat_platform_id AS subject, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'chat-platform' AND subject = chat_platform_id AND user_id = id
  WHERE id = ${userId} AND chat_platform_id IS NOT NULL
  UNION ALL
  SELECT 'code-hosting', 'code-hosting', code_hosting_id, a.name, a.linked_at_ms
  FROM users LEFT JOIN linked_accounts AS a ON issuer = 'code-hosting' AND subject = code_hosting_id AND user_id = id
  WHERE id = ${userId} AND code_hosting_id IS NOT NULL
  UNION ALL
  SELECT 'upstream', issuer, subject, name, linked_at_ms FROM linked_accounts
  WHERE user_id = ${userId} AND issuer NOT IN ('chat-platform', 'code-hosting')`.rows<LinkedAccount>()
  return found.toSorted((one, other) => providerKeys.indexOf(one.provider) - providerKeys.indexOf(other.provider))
}

function* canSignInLocally(userId: UserId): Work<boolean> {
  const row = yield* sql`SELECT 1 FROM users WHERE id = ${userId} AND ((password_hash IS NOT NULL AND email IS NOT NULL)
       OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = ${userId}))`.first()
  return row !== undefined
}

function keyOf({ provider, issuer, subject }: AccountReference): { issuer: string; subject: string } {
  return { issuer: provider === 'upstream' ? issuer : provider, subject }
}

function columnOf(provider: ProviderKey): Sql | undefined {
  return provider === 'upstream' ? undefined : raw(columns[provider])
}
