import type {
  AddSessionOutcome,
  ListedSession,
  NewSession,
  SessionStore,
  StoredSession,
  Surface,
} from '../../domain/accounts/session-store.ts'
import type { UserId } from '../../domain/ids.ts'
import type { SecretDigest } from '../../domain/secret.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface SessionRow {
  number: number
  digest: Uint8Array
  surface: Surface
  user_id: string
  user_name: string
  email: string | null
  has_password: number
  has_pin: number
  created_at_ms: number
  expires_at_ms: number
  pin_unlocked_until_ms: number | null
  last_seen_at_ms: number
}

/** Browser sessions in SQLite. */
export class SqliteSessions implements SessionStore {
  readonly #file: SqliteFile
  #lastNumber: number

  constructor(file: SqliteFile) {
    this.#file = file
    const row = file.statement('SELECT coalesce(max(number), 0) AS last FROM sessions').get() as { last: number }
    this.#lastNumber = row.last
  }

  allotNumber(): number {
    this.#lastNumber += 1
    return this.#lastNumber
  }

  addSession(session: NewSession, passwordHash: string | null): Promise<AddSessionOutcome> {
    return this.#file.write(() => {
      const user = this.#file.statement('SELECT password_hash FROM users WHERE id = ?').get(session.userId) as
        | { password_hash: string | null }
        | undefined
      if (user === undefined) return { kind: 'user-unknown' }
      if (passwordHash !== null && user.password_hash !== passwordHash) return { kind: 'password-changed' }
      this.#file
        .statement(
          `INSERT INTO sessions (number, digest, surface, user_id, user_agent, address, created_at_ms, expires_at_ms, last_seen_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7)`,
        )
        .run(
          session.number,
          session.digest,
          session.surface,
          session.userId,
          session.userAgent ?? null,
          session.address,
          session.createdAtMs,
          session.expiresAtMs,
        )
      const stored = this.#find(session.number)
      if (stored === undefined) throw new Error('a session that was just stored is not there')
      return { kind: 'added', session: stored }
    })
  }

  async findSession(number: number): Promise<StoredSession | undefined> {
    return this.#find(number)
  }

  endSession(number: number): Promise<void> {
    return this.#file.write(() => {
      this.#file.statement('DELETE FROM sessions WHERE number = ?').run(number)
    })
  }

  async listSessions(userId: UserId, nowMs: number): Promise<readonly ListedSession[]> {
    return this.#file
      .statement(
        `SELECT number, surface, user_agent AS userAgent, address, created_at_ms AS createdAtMs,
                coalesce(last_seen_at_ms, created_at_ms) AS lastSeenAtMs
         FROM sessions WHERE user_id = ? AND expires_at_ms > ? ORDER BY lastSeenAtMs DESC, number DESC`,
      )
      .all(userId, nowMs) as unknown as ListedSession[]
  }

  endSessionOf(userId: UserId, number: number): Promise<'ended' | 'not-there'> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement('DELETE FROM sessions WHERE number = ? AND user_id = ?')
        .run(number, userId)
      return changes === 0 ? 'not-there' : 'ended'
    })
  }

  endOtherSessions(userId: UserId, keptNumber: number): Promise<number> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement('DELETE FROM sessions WHERE user_id = ? AND number <> ?')
        .run(userId, keptNumber)
      return Number(changes)
    })
  }

  recordSeen(lastSeenAtMs: ReadonlyMap<number, number>): Promise<void> {
    return this.#file.write(() => {
      const update = this.#file.statement('UPDATE sessions SET last_seen_at_ms = ? WHERE number = ?')
      for (const [number, atMs] of lastSeenAtMs) update.run(atMs, number)
    })
  }

  deleteExpiredSessions(nowMs: number, atMost: number): Promise<number> {
    return this.#file.write(() => {
      const { changes } = this.#file
        .statement(
          `DELETE FROM sessions WHERE number IN
             (SELECT number FROM sessions WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
        )
        .run(nowMs, atMost)
      return Number(changes)
    })
  }

  #find(number: number): StoredSession | undefined {
    const row = this.#file
      .statement(
        `SELECT number, digest, surface, user_id, name AS user_name, email, pin_hash IS NOT NULL AS has_pin,
                password_hash IS NOT NULL AS has_password, sessions.created_at_ms, expires_at_ms, pin_unlocked_until_ms,
                coalesce(last_seen_at_ms, sessions.created_at_ms) AS last_seen_at_ms
         FROM sessions JOIN users ON users.id = sessions.user_id WHERE number = ?`,
      )
      .get(number) as SessionRow | undefined
    if (row === undefined) return undefined
    return {
      number: row.number,
      digest: row.digest as SecretDigest,
      surface: row.surface,
      userId: row.user_id as UserId,
      userName: row.user_name,
      email: row.email,
      hasPassword: row.has_password === 1,
      hasPin: row.has_pin === 1,
      createdAtMs: row.created_at_ms,
      expiresAtMs: row.expires_at_ms,
      pinUnlockedUntilMs: row.pin_unlocked_until_ms,
      lastSeenAtMs: row.last_seen_at_ms,
    }
  }
}
