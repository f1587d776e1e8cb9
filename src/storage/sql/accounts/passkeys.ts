import type {
  Credential,
  CredentialReference,
  Passkey,
  PasskeyStore,
} from '../../../domain/accounts/passkeys/passkey-store.ts'
import type { UserId } from '../../../domain/ids.ts'
import { type Database, prune } from '../database.ts'
import { keepShare, keepTotal, Rows, userExists } from '../rows.ts'
import { inserted, sql, type Work } from '../sql.ts'
import { hasAccountAt } from './linked-accounts.ts'

const passkeys = new Rows<Passkey>(
  'passkeys',
  'number, name, backup_eligible, backed_up, created_at_ms, last_used_at_ms',
  { backupEligible: 'flag', backedUp: 'flag' },
)
const credentials = new Rows<Credential>('passkeys', 'number, user_id, credential_id, public_key, transports', {
  transports: 'json',
})
const references = new Rows<CredentialReference>('passkeys', 'credential_id, transports', { transports: 'json' })
const challenges = { table: 'passkey_challenges', key: 'number', age: 'number' }

export function sqlPasskeys(database: Database): PasskeyStore {
  return {
    addChallenge: (challenge, use, expiresAtMs, bounds) =>
      database.write({ row: 'passkey challenges' }, function* () {
        const { holder } = bounds.share
        const number = yield* inserted('passkey_challenges', { challenge, ...use, expiresAtMs, holder })
        yield* sql`DELETE FROM passkey_challenges WHERE browser = ${use.browser} AND number <= (
          SELECT number FROM passkey_challenges WHERE browser = ${use.browser} ORDER BY number DESC
          LIMIT 1 OFFSET ${bounds.perBrowser})`.changes()
        yield* keepShare(challenges, bounds.share, number)
      }),

    takeChallenge: (challenge, use, nowMs) =>
      database.write({}, function* () {
        const taken = yield* sql`DELETE FROM passkey_challenges
          WHERE challenge = ${challenge} AND purpose = ${use.purpose} AND browser = ${use.browser}
          AND user_id IS NOT DISTINCT FROM ${use.userId} AND expires_at_ms > ${nowMs}`.changes()
        return taken === 1
      }),

    trimChallenges: (total, limit) => database.write({}, () => keepTotal(challenges, total, limit)),

    deleteExpiredChallenges: (nowMs, atMost) =>
      prune(database, 'passkey_challenges', 'number', sql`expires_at_ms <= ${nowMs} ORDER BY number`, atMost),

    addPasskey: (passkey, atMost, nowMs, recording) =>
      database.write({ row: `user ${passkey.userId}`, recording }, function* () {
        if (!(yield* userExists(passkey.userId))) return { kind: 'user-unknown' }
        if ((yield* find(passkey.credentialId)) !== undefined) return { kind: 'credential-taken' }
        const owned = yield* passkeysOf(passkey.userId)
        if (owned.length >= atMost) return { kind: 'too-many' }
        const name = passkey.name ?? nextName(owned)
        const transports = JSON.stringify(passkey.transports)
        const number = yield* inserted('passkeys', { ...passkey, transports, name, createdAtMs: nowMs })
        const { backupEligible, backedUp } = passkey
        return {
          kind: 'added',
          passkey: { number, name, backupEligible, backedUp, createdAtMs: nowMs, lastUsedAtMs: null },
        }
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
          owned.length > 1 || (yield* canSignInByPassword(userId)) || (yield* hasAccountAt(userId, inUse))
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
