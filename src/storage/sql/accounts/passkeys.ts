import type { Credential, Passkey, PasskeyStore } from '../../../domain/accounts/passkeys/passkey-store.ts'
import type { UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, inserted, rows, type Work } from '../database.ts'
import { userExists } from '../existence.ts'
import { keepShare, keepTotal } from '../row-share.ts'
import { hasAccountAt } from './linked-accounts.ts'

interface PasskeyRow {
  number: number
  name: string
  backupEligible: number
  backedUp: number
  createdAtMs: number
  lastUsedAtMs: number | null
}

interface CredentialRow {
  number: number
  userId: string
  credentialId: string
  publicKey: Uint8Array<ArrayBuffer>
  transports: string
}

const challenges = { table: 'passkey_challenges', key: 'number', age: 'number' }

export function sqlPasskeys(database: Database): PasskeyStore {
  return {
    addChallenge: (challenge, use, expiresAtMs, bounds) =>
      database.write({ row: 'passkey challenges' }, function* () {
        const number = yield* inserted(
          `INSERT INTO passkey_challenges (challenge, purpose, browser, user_id, expires_at_ms, holder)
           VALUES (?, ?, ?, ?, ?, ?)`,
          challenge,
          use.purpose,
          use.browser,
          use.userId,
          expiresAtMs,
          bounds.share.holder,
        )
        yield* changes(
          `DELETE FROM passkey_challenges WHERE browser = ?1 AND number <= (
           SELECT number FROM passkey_challenges WHERE browser = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`,
          use.browser,
          bounds.perBrowser,
        )
        yield* keepShare(challenges, bounds.share, number)
      }),

    takeChallenge: (challenge, use, nowMs) =>
      database.write({}, function* () {
        const taken = yield* changes(
          `DELETE FROM passkey_challenges
           WHERE challenge = ? AND purpose = ? AND browser = ? AND user_id IS NOT DISTINCT FROM ? AND expires_at_ms > ?`,
          challenge,
          use.purpose,
          use.browser,
          use.userId,
          nowMs,
        )
        return taken === 1
      }),

    trimChallenges: (total, limit) => database.write({}, () => keepTotal(challenges, total, limit)),

    deleteExpiredChallenges: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM passkey_challenges WHERE number IN
           (SELECT number FROM passkey_challenges WHERE expires_at_ms <= ? ORDER BY number LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),

    addPasskey: (passkey, atMost, nowMs, recording) =>
      database.write({ row: `user ${passkey.userId}`, recording }, function* () {
        if (!(yield* userExists(passkey.userId))) return { kind: 'user-unknown' }
        if ((yield* find(passkey.credentialId)) !== undefined) return { kind: 'credential-taken' }
        const owned = yield* passkeysOf(passkey.userId)
        if (owned.length >= atMost) return { kind: 'too-many' }
        const name = passkey.name ?? nextName(owned)
        const number = yield* inserted(
          `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, backup_eligible, backed_up,
           name, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
          passkey.userId,
          passkey.credentialId,
          passkey.publicKey,
          passkey.counter,
          JSON.stringify(passkey.transports),
          passkey.backupEligible ? 1 : 0,
          passkey.backedUp ? 1 : 0,
          name,
          nowMs,
        )
        const { backupEligible, backedUp } = passkey
        return {
          kind: 'added',
          passkey: { number, name, backupEligible, backedUp, createdAtMs: nowMs, lastUsedAtMs: null },
        }
      }),

    findCredential: (credentialId) => database.read(() => find(credentialId)),

    recordUse: (number, reported, nowMs) =>
      database.write({ row: `passkey ${number}` }, function* () {
        const row = yield* firstRow<{ counter: number }>('SELECT counter FROM passkeys WHERE number = ?', number)
        if (row === undefined) return 'unknown'
        const counts = row.counter > 0 || reported.counter > 0
        if (counts && reported.counter <= row.counter) return 'counter-behind'
        yield* changes(
          'UPDATE passkeys SET counter = ?, backed_up = ?, last_used_at_ms = ? WHERE number = ?',
          reported.counter,
          reported.backedUp ? 1 : 0,
          nowMs,
          number,
        )
        return 'recorded'
      }),

    listPasskeys: (userId) => database.read(() => passkeysOf(userId)),

    async listCredentials(userId) {
      const found = await database.read(() =>
        rows<Pick<CredentialRow, 'credentialId' | 'transports'>>(
          'SELECT credential_id, transports FROM passkeys WHERE user_id = ? ORDER BY number',
          userId,
        ),
      )
      return found.map(({ credentialId, transports }) => ({
        credentialId,
        transports: JSON.parse(transports),
      }))
    },

    renamePasskey: (userId, number, name) =>
      database.write({}, function* () {
        const renamed = yield* changes(
          'UPDATE passkeys SET name = ? WHERE number = ? AND user_id = ?',
          name,
          number,
          userId,
        )
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
        yield* changes('DELETE FROM passkeys WHERE number = ?', number)
        return { name: passkey.name }
      }),
  }
}

function* canSignInByPassword(userId: UserId): Work<boolean> {
  const row = yield* firstRow(
    'SELECT 1 FROM users WHERE id = ? AND password_hash IS NOT NULL AND email IS NOT NULL',
    userId,
  )
  return row !== undefined
}

function* find(credentialId: string): Work<Credential | undefined> {
  const row = yield* firstRow<CredentialRow>(
    'SELECT number, user_id, credential_id, public_key, transports FROM passkeys WHERE credential_id = ?',
    credentialId,
  )
  if (row === undefined) return undefined
  return {
    number: row.number,
    userId: row.userId as UserId,
    credentialId: row.credentialId,
    publicKey: row.publicKey,
    transports: JSON.parse(row.transports),
  }
}

function* passkeysOf(userId: UserId): Work<Passkey[]> {
  const found = yield* rows<PasskeyRow>(
    `SELECT number, name, backup_eligible, backed_up, created_at_ms, last_used_at_ms
       FROM passkeys WHERE user_id = ? ORDER BY number`,
    userId,
  )
  return found.map((row) => ({
    number: row.number,
    name: row.name,
    backupEligible: row.backupEligible === 1,
    backedUp: row.backedUp === 1,
    createdAtMs: row.createdAtMs,
    lastUsedAtMs: row.lastUsedAtMs,
  }))
}

/** Returns the first unused name among `Passkey`, `Passkey 2`, `Passkey 3` and so on. */
function nextName(owned: readonly Passkey[]): string {
  const taken = new Set(owned.map(({ name }) => name))
  let name = 'Passkey'
  for (let number = 2; taken.has(name); number += 1) name = `Passkey ${number}`
  return name
}
