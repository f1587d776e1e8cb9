import type { Unlocking, UserStore } from '../../../domain/accounts/user-store.ts'
import type { UserId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Database } from '../database.ts'
import { sql, type Work } from '../sql.ts'

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
