import type {
  AccountReference,
  LinkedAccount,
  LinkedAccountStore,
  NewLinkedAccount,
  ProviderVisit,
} from '../../../domain/accounts/linked-accounts/linked-account-store.ts'
import {
  type ProviderKey,
  type ProviderReference,
  providerKeys,
} from '../../../domain/accounts/linked-accounts/upstream.ts'
import type {
  Credential,
  CredentialReference,
  Passkey,
  PasskeyStore,
} from '../../../domain/accounts/passkeys/passkey-store.ts'
import type { UserId } from '../../../domain/ids-and-secrets.ts'
import { keepShare, Rows, userExists } from '../rows.ts'
import { type Database, inserted, insertInto, raw, type Sql, sql, type Work } from '../sql.ts'
import { insertUser } from './users.ts'

const passkeys = new Rows<Passkey>(
  'passkeys',
  'number, name, backup_eligible, backed_up, created_at_ms, last_used_at_ms',
  { backupEligible: 'flag', backedUp: 'flag' },
)
const credentials = new Rows<Credential>('passkeys', 'number, user_id, credential_id, public_key, transports', {
  transports: 'json',
})
const references = new Rows<CredentialReference>('passkeys', 'credential_id, transports', { transports: 'json' })

export function sqlPasskeys(database: Database): PasskeyStore {
  return {
    addChallenge: (challenge, use, expiresAtMs, bounds) =>
      database.write({ row: 'passkey challenges' }, function* () {
        const { holder } = bounds.share
        const number = yield* inserted('passkey_challenges', { challenge, ...use, expiresAtMs, holder })
        yield* sql`DELETE FROM passkey_challenges WHERE browser = ${use.browser} AND number <= (
          SELECT number FROM passkey_challenges WHERE browser = ${use.browser} ORDER BY number DESC
          LIMIT 1 OFFSET ${bounds.perBrowser})`.changes()
        yield* keepShare('passkey_challenges', bounds.share, number)
      }),

    takeChallenge: (challenge, use, nowMs) =>
      database.write({}, function* () {
        const taken = yield* sql`DELETE FROM passkey_challenges
          WHERE challenge = ${challenge} AND purpose = ${use.purpose} AND browser = ${use.browser}
          AND user_id IS NOT DISTINCT FROM ${use.userId} AND expires_at_ms > ${nowMs}`.changes()
        return taken === 1
      }),

    addPasskey: (passkey, atMost, nowMs, recording) =>
      database.write({ row: `user ${passkey.userId}`, recording }, function* () {
        if (!(yield* userExists(passkey.userId))) return { kind: 'user-unknown' }
        if ((yield* find(passkey.credentialId)) !== undefined) return { kind: 'credential-taken' }
        const owned = yield* passkeysOf(passkey.userId)
        if (owned.length >= atMost) return { kind: 'too-many' }
        const name = passkey.name ?? nextName(owned)
        const transports = JSON.stringify(passkey.transports)
        const number = yield* inserted('passkeys', { ...passkey, transports, name, createdAtMs: nowMs })
        return { kind: 'added', number, name }
      }),

    findCredential: (credentialId) => database.read(() => find(credentialId)),

    recordUse: (number, reported, nowMs) =>
      database.write({ row: `passkey ${number}` }, function* () {
        const row = yield* sql`SELECT counter FROM passkeys WHERE number = ${number}`.first<{ counter: number }>()
        if (row === undefined) return 'unknown'
        const counts = row.counter > 0 || reported.counter > 0
        if (counts && reported.counter <= row.counter) return 'counter-behind'
        yield* sql`UPDATE passkeys SET counter = ${reported.counter},
          backed_up = ${reported.backedUp}, last_used_at_ms = ${nowMs} WHERE number = ${number}`.changes()
        return 'recorded'
      }),

    listPasskeys: (userId) => database.read(() => passkeysOf(userId)),

    listCredentials: (userId) => references.query(database, sql`WHERE user_id = ${userId} ORDER BY number`),

    renamePasskey: (userId, number, name) =>
      database.write({}, function* () {
        const renamed = yield* sql`UPDATE passkeys SET name = ${name}
          WHERE number = ${number} AND user_id = ${userId}`.changes()
        return renamed === 1 ? 'renamed' : 'unknown'
      }),

    removePasskey: (userId, number, inUse, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const owned = yield* passkeysOf(userId)
        const passkey = owned.find((one) => one.number === number)
        if (passkey === undefined) return 'unknown'
        const canStillSignIn =
          owned.length > 1 || (yield* canSignInByPassword(userId)) || (yield* accountsAt(userId, inUse)).length > 0
        if (!canStillSignIn) return 'last-way-to-sign-in'
        yield* sql`DELETE FROM passkeys WHERE number = ${number}`.changes()
        return { name: passkey.name }
      }),
  }
}

function canSignInByPassword(userId: UserId): Work<boolean> {
  return sql`SELECT 1 FROM users WHERE id = ${userId} AND password_hash IS NOT NULL AND email IS NOT NULL`.exists()
}

function find(credentialId: string): Work<Credential | undefined> {
  return credentials.first(sql`WHERE credential_id = ${credentialId}`)
}

function passkeysOf(userId: UserId): Work<Passkey[]> {
  return passkeys.list(sql`WHERE user_id = ${userId} ORDER BY number`)
}

/** Returns the first unused name among `Passkey`, `Passkey 2`, `Passkey 3` and so on. */
function nextName(owned: readonly Passkey[]): string {
  const taken = new Set(owned.map(({ name }) => name))
  let name = 'Passkey'
  for (let number = 2; taken.has(name); number += 1) name = `Passkey ${number}`
  return name
}

const columns = { 'chat-platform': 'chat_platform_id', 'code-hosting': 'code_hosting_id' } as const

/** Stores linked accounts, and the state of browsers that were redirected to a provider and have not returned yet. */
export function sqlLinkedAccounts(database: Database): LinkedAccountStore {
  return {
    addVisit: (key, visit, expiresAtMs, share) =>
      database.write({}, function* () {
        yield* insertInto('provider_visits', { ...key, ...visit, expiresAtMs, holder: share.holder }).run()
        yield* keepShare('provider_visits', share, key.stateDigest)
      }),

    takeVisit: (key, provider, nowMs) =>
      database.write({}, () =>
        sql`DELETE FROM provider_visits
          WHERE state_digest = ${key.stateDigest} AND browser_digest = ${key.browserDigest} AND provider = ${provider}
          AND expires_at_ms > ${nowMs} RETURNING provider, linking_user_id, onward`.first<ProviderVisit>(),
      ),

    findOwner: (account) => database.read(() => ownerOf(account)),

    addUser: (user, account, nowMs) =>
      database.write({}, function* () {
        const owner = yield* ownerOf(account)
        if (owner !== undefined) return { kind: 'account-linked', userId: owner }
        const { id, email } = user
        if (email !== null && (yield* sql`SELECT 1 FROM users WHERE email_key = ${email.key}`.first())) {
          return { kind: 'email-taken' }
        }
        yield* insertUser(user, nowMs, email === null ? null : nowMs)
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
        const usable = yield* accountsAt(userId, inUse)
        const account = usable.find((candidate) => candidate.provider === provider)
        if (account === undefined) return 'not-linked'
        const signsInLocally = (yield* canSignInByPassword(userId)) || (yield* passkeysOf(userId)).length > 0
        if (usable.length === 1 && !signsInLocally) return 'last-way-to-sign-in'
        const column = columnOf(provider)
        if (column !== undefined) yield* sql`UPDATE users SET ${column} = NULL WHERE id = ${userId}`.changes()
        yield* sql`DELETE FROM linked_accounts WHERE user_id = ${userId} AND issuer = ${account.issuer}`.changes()
        return 'unlinked'
      }),

    list: (userId) => database.read(() => accountsOf(userId)),
  }
}

function* accountsAt(userId: UserId, providers: readonly ProviderReference[]): Work<LinkedAccount[]> {
  const issuers = providers.map(({ key, issuer }) => (key === 'upstream' ? issuer : key))
  return (yield* accountsOf(userId)).filter(({ issuer }) => issuers.includes(issuer))
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

/** Replaces any existing link. The caller has checked that neither account nor user has a conflicting one. */
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

function keyOf({ provider, issuer, subject }: AccountReference): { issuer: string; subject: string } {
  return { issuer: provider === 'upstream' ? issuer : provider, subject }
}

function columnOf(provider: ProviderKey): Sql | undefined {
  return provider === 'upstream' ? undefined : raw(columns[provider])
}
