import type { AccountReference } from '../../domain/accounts/linked-account-store.ts'
import type {
  AddPasskeyOutcome,
  ChallengeBounds,
  ChallengeUse,
  Credential,
  CredentialReference,
  NewPasskey,
  Passkey,
  PasskeyStore,
} from '../../domain/accounts/passkey-store.ts'
import type { UserId } from '../../domain/ids.ts'
import { hasAccountAt } from './linked-accounts.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface PasskeyRow {
  number: number
  name: string
  backup_eligible: number
  backed_up: number
  created_at_ms: number
  last_used_at_ms: number | null
}

interface CredentialRow {
  number: number
  user_id: string
  credential_id: string
  public_key: Uint8Array<ArrayBuffer>
  transports: string
}

/** Passkeys and their challenges in SQLite. */
export class SqlitePasskeys implements PasskeyStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  addChallenge(challenge: string, use: ChallengeUse, expiresAtMs: number, bounds: ChallengeBounds): Promise<void> {
    return this.#file.write(() => {
      const { lastInsertRowid } = this.#file
        .statement(
          'INSERT INTO passkey_challenges (challenge, purpose, browser, user_id, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
        )
        .run(challenge, use.purpose, use.browser, use.userId, expiresAtMs)
      this.#file
        .statement(
          `DELETE FROM passkey_challenges WHERE number IN
             (SELECT number FROM passkey_challenges WHERE browser = ? ORDER BY number DESC LIMIT -1 OFFSET ?)`,
        )
        .run(use.browser, bounds.perBrowser)
      // Numbers only rise, so that many at most lie above this one.
      this.#file
        .statement('DELETE FROM passkey_challenges WHERE number <= ?')
        .run(Number(lastInsertRowid) - bounds.inAll)
    })
  }

  takeChallenge(challenge: string, use: ChallengeUse, nowMs: number): Promise<boolean> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `DELETE FROM passkey_challenges
           WHERE challenge = ? AND purpose = ? AND browser = ? AND user_id IS ? AND expires_at_ms > ?`,
        )
        .run(challenge, use.purpose, use.browser, use.userId, nowMs)
      return changes === 1
    })
  }

  deleteExpiredChallenges(nowMs: number, atMost: number): Promise<number> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `DELETE FROM passkey_challenges WHERE number IN
             (SELECT number FROM passkey_challenges WHERE expires_at_ms <= ? ORDER BY number LIMIT ?)`,
        )
        .run(nowMs, atMost)
      return Number(changes)
    })
  }

  addPasskey(passkey: NewPasskey, atMost: number, nowMs: number): Promise<AddPasskeyOutcome> {
    return this.#file.write(() => {
      if (this.#file.statement('SELECT 1 FROM users WHERE id = ?').get(passkey.userId) === undefined) {
        return { kind: 'user-unknown' }
      }
      if (this.#find(passkey.credentialId) !== undefined) return { kind: 'credential-taken' }
      const owned = this.#passkeys(passkey.userId)
      if (owned.length >= atMost) return { kind: 'too-many' }
      const name = passkey.name ?? nextName(owned)
      const { lastInsertRowid } = this.#file
        .statement(
          `INSERT INTO passkeys (user_id, credential_id, public_key, counter, transports, backup_eligible, backed_up,
             name, created_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(
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
      const number = Number(lastInsertRowid)
      return {
        kind: 'added',
        passkey: { number, name, backupEligible, backedUp, createdAtMs: nowMs, lastUsedAtMs: null },
      }
    })
  }

  async findCredential(credentialId: string): Promise<Credential | undefined> {
    return this.#find(credentialId)
  }

  recordUse(
    number: number,
    reported: { counter: number; backedUp: boolean },
    nowMs: number,
  ): Promise<'recorded' | 'counter-behind' | 'unknown'> {
    return this.#file.write(() => {
      const row = this.#file.statement('SELECT counter FROM passkeys WHERE number = ?').get(number) as
        | { counter: number }
        | undefined
      if (row === undefined) return 'unknown'
      const counts = row.counter > 0 || reported.counter > 0
      if (counts && reported.counter <= row.counter) return 'counter-behind'
      this.#file
        .statement('UPDATE passkeys SET counter = ?, backed_up = ?, last_used_at_ms = ? WHERE number = ?')
        .run(reported.counter, reported.backedUp ? 1 : 0, nowMs, number)
      return 'recorded'
    })
  }

  async listPasskeys(userId: UserId): Promise<Passkey[]> {
    return this.#passkeys(userId)
  }

  async listCredentials(userId: UserId): Promise<CredentialReference[]> {
    const rows = this.#file
      .statement('SELECT credential_id, transports FROM passkeys WHERE user_id = ? ORDER BY number')
      .all(userId) as unknown as Pick<CredentialRow, 'credential_id' | 'transports'>[]
    return rows.map(({ credential_id, transports }) => ({
      credentialId: credential_id,
      transports: JSON.parse(transports),
    }))
  }

  renamePasskey(userId: UserId, number: number, name: string): Promise<'renamed' | 'unknown'> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement('UPDATE passkeys SET name = ? WHERE number = ? AND user_id = ?')
        .run(name, number, userId)
      return changes === 1 ? 'renamed' : 'unknown'
    })
  }

  removePasskey(
    userId: UserId,
    number: number,
    inUse: readonly Omit<AccountReference, 'subject'>[],
  ): Promise<'removed' | 'unknown' | 'last-way-to-sign-in'> {
    return this.#file.write(() => {
      const owned = this.#passkeys(userId)
      if (!owned.some((passkey) => passkey.number === number)) return 'unknown'
      const otherwise = owned.length > 1 || this.#signsInByPassword(userId) || hasAccountAt(this.#file, userId, inUse)
      if (!otherwise) return 'last-way-to-sign-in'
      this.#file.statement('DELETE FROM passkeys WHERE number = ?').run(number)
      return 'removed'
    })
  }

  #signsInByPassword(userId: UserId): boolean {
    const row = this.#file
      .statement('SELECT 1 FROM users WHERE id = ? AND password_hash IS NOT NULL AND email IS NOT NULL')
      .get(userId)
    return row !== undefined
  }

  #find(credentialId: string): Credential | undefined {
    const row = this.#file
      .statement('SELECT number, user_id, credential_id, public_key, transports FROM passkeys WHERE credential_id = ?')
      .get(credentialId) as CredentialRow | undefined
    if (row === undefined) return undefined
    return {
      number: row.number,
      userId: row.user_id as UserId,
      credentialId: row.credential_id,
      publicKey: row.public_key,
      transports: JSON.parse(row.transports),
    }
  }

  #passkeys(userId: UserId): Passkey[] {
    const rows = this.#file
      .statement(
        `SELECT number, name, backup_eligible, backed_up, created_at_ms, last_used_at_ms
         FROM passkeys WHERE user_id = ? ORDER BY number`,
      )
      .all(userId) as unknown as PasskeyRow[]
    return rows.map((row) => ({
      number: row.number,
      name: row.name,
      backupEligible: row.backup_eligible === 1,
      backedUp: row.backed_up === 1,
      createdAtMs: row.created_at_ms,
      lastUsedAtMs: row.last_used_at_ms,
    }))
  }
}

/** `Passkey`, or with the first number from 2 on that makes it another name than those there are. */
function nextName(owned: readonly Passkey[]): string {
  const taken = new Set(owned.map(({ name }) => name))
  let name = 'Passkey'
  for (let number = 2; taken.has(name); number += 1) name = `Passkey ${number}`
  return name
}
