import type { ListedSession, SessionStore, StoredSession } from '../../../domain/accounts/sessions/sessions.ts'
import type { Unlocking, UserStore } from '../../../domain/accounts/user-store.ts'
import type { UserId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { Rows } from '../rows.ts'
import { type Database, insertInto, sql, storeLastUses, type Work } from '../sql.ts'

export function sqlSessions(database: Database, allotNumber: SessionStore['allotNumber']): SessionStore {
  return {
    allotNumber,

    addSession: (session, passwordHash, atMost, recording) =>
      database.write({ row: `user ${session.userId}`, recording }, function* () {
        const columns = sql`SELECT password_hash, disabled_at_ms FROM users WHERE id = ${session.userId}`
        const user = yield* columns.first<{ passwordHash: string | null; disabledAtMs: number | null }>()
        if (user === undefined) return { kind: 'user-unknown' }
        if (passwordHash !== null && user.passwordHash !== passwordHash) return { kind: 'password-changed' }
        if (user.disabledAtMs !== null) return { kind: 'user-disabled' }
        const { accountSession } = session
        const account =
          accountSession === null
            ? session
            : yield* sql`SELECT expires_at_ms FROM sessions WHERE number = ${accountSession}
                AND user_id = ${session.userId}`.first<{ expiresAtMs: number }>()
        if (account === undefined) return { kind: 'account-session-ended' }
        const { expiresAtMs } = account
        yield* insertInto('sessions', { ...session, expiresAtMs, lastSeenAtMs: session.createdAtMs }).run()
        yield* sql`DELETE FROM sessions WHERE number IN (
          SELECT number FROM sessions WHERE user_id = ${session.userId} AND number <> ${session.number}
          ORDER BY number IS DISTINCT FROM ${accountSession}, coalesce(last_seen_at_ms, created_at_ms) DESC, number DESC
          LIMIT 1000 OFFSET ${atMost - 1})`.changes()
        const stored = yield* findSession(session.number)
        if (stored === undefined) throw new Error('session missing after its insert')
        return { kind: 'added', session: stored }
      }),

    findSession: (number) => database.read(() => findSession(number)),

    endSession: (number) => database.write({}, () => sql`DELETE FROM sessions WHERE number = ${number}`.run()),

    listSessions: (userId, nowMs) =>
      database.read(() =>
        sql`SELECT number, surface, user_agent, address, created_at_ms,
          coalesce(last_seen_at_ms, created_at_ms) AS "lastSeenAtMs"
          FROM sessions WHERE user_id = ${userId} AND expires_at_ms > ${nowMs}
          ORDER BY "lastSeenAtMs" DESC, number DESC`.rows<ListedSession>(),
      ),

    endSessionOf: (userId, number, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const ended = yield* sql`DELETE FROM sessions WHERE number = ${number} AND user_id = ${userId}`.changes()
        return ended === 0 ? 'not-there' : 'ended'
      }),

    endOtherSessions: (userId, keptNumber, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const sessions = yield* sql`DELETE FROM sessions WHERE user_id = ${userId}
          AND number <> ${keptNumber}`.changes()
        const tokens = yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId}`.changes()
        return { sessions, tokens }
      }),

    recordSeen: (lastSeenAtMs) => storeLastUses(database, 'sessions', lastSeenAtMs, 'last_seen_at_ms'),
  }
}

const sessions = new Rows<StoredSession>(
  'sessions JOIN users ON users.id = sessions.user_id',
  `number, digest, surface, user_id, name AS user_name, email, pin_hash IS NOT NULL AS has_pin,
    password_hash IS NOT NULL AS has_password, sessions.created_at_ms, expires_at_ms, pin_unlocked_until_ms,
    coalesce(last_seen_at_ms, sessions.created_at_ms) AS last_seen_at_ms`,
  { hasPassword: 'flag', hasPin: 'flag' },
)

function findSession(number: number): Work<StoredSession | undefined> {
  return sessions.first(sql`WHERE number = ${number}`)
}

interface PinRow {
  pinHash: string | null
  pinFailures: number
  pinLockedUntilMs: number | null
}

export function sqlPins(database: Database): Pick<UserStore, 'beginPinAttempt' | 'completePinAttempt' | 'setPin'> {
  return {
    beginPinAttempt: (id, nowMs) =>
      database.write({ row: `user ${id}` }, function* () {
        const row = yield* sql`SELECT pin_hash, pin_failures, pin_locked_until_ms FROM users
          WHERE id = ${id}`.first<PinRow>()
        if (row === undefined || row.pinHash === null) return { kind: 'not-set' }
        const lockedUntilMs = row.pinLockedUntilMs
        if (lockedUntilMs !== null && lockedUntilMs > nowMs) return { kind: 'locked', untilMs: lockedUntilMs }
        const failures = row.pinFailures + 1
        const locksUntilMs = failures % limits.wrongPinsBeforeLock === 0 ? nowMs + lockMsAfter(failures) : null
        yield* sql`UPDATE users SET pin_failures = ${failures}, pin_locked_until_ms = ${locksUntilMs}
          WHERE id = ${id}`.changes()
        const triesLeft =
          (limits.wrongPinsBeforeLock - (failures % limits.wrongPinsBeforeLock)) % limits.wrongPinsBeforeLock
        return { kind: 'begun', pinHash: row.pinHash, triesLeft, locksUntilMs }
      }),

    completePinAttempt: (id, pinHash, unlocking) =>
      database.write({ row: `user ${id}` }, function* () {
        const changed = yield* sql`UPDATE users SET pin_failures = 0, pin_locked_until_ms = NULL
          WHERE id = ${id} AND pin_hash = ${pinHash}`.changes()
        if (changed === 0) return false
        yield* unlock(id, unlocking)
        return true
      }),

    setPin: (id, pinHash, unlocking, nowMs, recording) =>
      database.write({ row: `user ${id}`, recording }, function* () {
        yield* storePin(id, pinHash, nowMs)
        yield* unlock(id, unlocking)
      }),
  }
}

/** Stores the PIN, lifts any lock caused by wrong PINs, and requires the PIN again in all sessions. */
export function* storePin(userId: string, pinHash: string, nowMs: number): Work<void> {
  yield* sql`UPDATE users SET pin_hash = ${pinHash}, pin_failures = 0, pin_locked_until_ms = NULL,
    updated_at_ms = ${nowMs} WHERE id = ${userId}`.changes()
  yield* sql`UPDATE sessions SET pin_unlocked_until_ms = NULL WHERE user_id = ${userId}`.changes()
}

function lockMsAfter(failures: number): number {
  return Math.min(limits.pinLockMs * 2 ** (failures / limits.wrongPinsBeforeLock - 1), limits.pinLockMaxMs)
}

function* unlock(id: UserId, { sessionNumber, untilMs }: Unlocking): Work<void> {
  // The user must match as well, because the session's number may have been reused since the session was read.
  yield* sql`UPDATE sessions SET pin_unlocked_until_ms = ${untilMs}
    WHERE number = ${sessionNumber} AND user_id = ${id}`.changes()
}
