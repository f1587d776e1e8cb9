import type { ListedSession, SessionStore, StoredSession, Surface } from '../../../domain/accounts/sessions/session.ts'
import type { UserId } from '../../../domain/ids.ts'
import type { SecretDigest } from '../../../domain/secret.ts'
import { changes, type Database, firstRow, type Numbers, rows, storeLastUses, type Work } from '../database.ts'

interface SessionRow {
  number: number
  digest: Uint8Array
  surface: Surface
  userId: string
  userName: string
  email: string | null
  hasPassword: number
  hasPin: number
  createdAtMs: number
  expiresAtMs: number
  pinUnlockedUntilMs: number | null
  lastSeenAtMs: number
}

export function sqlSessions(database: Database, numbers: Numbers): SessionStore {
  return {
    allotNumber: () => numbers.next(),

    addSession: (session, passwordHash, atMost, recording) =>
      database.write({ row: `user ${session.userId}`, recording }, function* () {
        const user = yield* firstRow<{ passwordHash: string | null; disabledAtMs: number | null }>(
          'SELECT password_hash, disabled_at_ms FROM users WHERE id = ?',
          session.userId,
        )
        if (user === undefined) return { kind: 'user-unknown' }
        if (passwordHash !== null && user.passwordHash !== passwordHash) return { kind: 'password-changed' }
        if (user.disabledAtMs !== null) return { kind: 'user-disabled' }
        yield* changes(
          `INSERT INTO sessions (number, digest, surface, user_id, user_agent, address, created_at_ms, expires_at_ms, last_seen_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7)`,
          session.number,
          session.digest,
          session.surface,
          session.userId,
          session.userAgent ?? null,
          session.address,
          session.createdAtMs,
          session.expiresAtMs,
        )
        yield* changes(
          `DELETE FROM sessions WHERE number IN (
           SELECT number FROM sessions WHERE user_id = ? AND number <> ?
           ORDER BY coalesce(last_seen_at_ms, created_at_ms) DESC, number DESC LIMIT 1000 OFFSET ?)`,
          session.userId,
          session.number,
          atMost - 1,
        )
        const stored = yield* findSession(session.number)
        if (stored === undefined) throw new Error('session missing after its insert')
        return { kind: 'added', session: stored }
      }),

    findSession: (number) => database.read(() => findSession(number)),

    endSession: (number) =>
      database.write({}, function* () {
        yield* changes('DELETE FROM sessions WHERE number = ?', number)
      }),

    listSessions: (userId, nowMs) =>
      database.read(() =>
        rows<ListedSession>(
          `SELECT number, surface, user_agent AS "userAgent", address, created_at_ms AS "createdAtMs",
                  coalesce(last_seen_at_ms, created_at_ms) AS "lastSeenAtMs"
           FROM sessions WHERE user_id = ? AND expires_at_ms > ? ORDER BY "lastSeenAtMs" DESC, number DESC`,
          userId,
          nowMs,
        ),
      ),

    endSessionOf: (userId, number, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const ended = yield* changes('DELETE FROM sessions WHERE number = ? AND user_id = ?', number, userId)
        return ended === 0 ? 'not-there' : 'ended'
      }),

    endOtherSessions: (userId, keptNumber, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const sessions = yield* changes('DELETE FROM sessions WHERE user_id = ? AND number <> ?', userId, keptNumber)
        const tokens = yield* changes('DELETE FROM personal_tokens WHERE user_id = ?', userId)
        return { sessions, tokens }
      }),

    recordSeen: (lastSeenAtMs) =>
      storeLastUses(database, 'UPDATE sessions SET last_seen_at_ms = ?2 WHERE number = ?1', lastSeenAtMs),

    deleteExpiredSessions: (nowMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM sessions WHERE number IN
           (SELECT number FROM sessions WHERE expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?)`,
          nowMs,
          atMost,
        ),
      ),
  }
}

function* findSession(number: number): Work<StoredSession | undefined> {
  const row = yield* firstRow<SessionRow>(
    `SELECT number, digest, surface, user_id, name AS user_name, email, pin_hash IS NOT NULL AS has_pin,
                password_hash IS NOT NULL AS has_password, sessions.created_at_ms, expires_at_ms, pin_unlocked_until_ms,
                coalesce(last_seen_at_ms, sessions.created_at_ms) AS last_seen_at_ms
         FROM sessions JOIN users ON users.id = sessions.user_id WHERE number = ?`,
    number,
  )
  if (row === undefined) return undefined
  return {
    number: row.number,
    digest: row.digest as SecretDigest,
    surface: row.surface,
    userId: row.userId as UserId,
    userName: row.userName,
    email: row.email,
    hasPassword: row.hasPassword === 1,
    hasPin: row.hasPin === 1,
    createdAtMs: row.createdAtMs,
    expiresAtMs: row.expiresAtMs,
    pinUnlockedUntilMs: row.pinUnlockedUntilMs,
    lastSeenAtMs: row.lastSeenAtMs,
  }
}
