import * as limits from '../limits/limits.ts'
import type { AccountParts } from './account-parts.ts'
import { AccountRefusal } from './account-refusal.ts'
import { parsePin } from './credential-rules.ts'
import { type Session, sessionAuditEntry } from './sessions/session.ts'
import { proveOwner } from './sessions/sign-in-limits.ts'
import type { Unlocking } from './user-store.ts'

export function createSessionPin({
  users,
  audit,
  hashing,
  signInLimits,
  clock,
}: Pick<AccountParts, 'users' | 'audit' | 'hashing' | 'signInLimits' | 'clock'>) {
  function store(session: Session, pinHash: string, nowMs: number): Promise<void> {
    return users.setPin(
      session.userId,
      pinHash,
      unlockingOf(session, nowMs),
      nowMs,
      audit.recording(() => sessionAuditEntry(session, 'pin-changed')),
    )
  }

  return {
    /**
     * Unlocks the session for up to {@link pinUnlockLifetimeMs}.
     *
     * Counts the attempt as a failure before checking the PIN, and resets the count if the PIN was correct. Concurrent
     * guesses, from any number of sessions, therefore can't exceed the allowed number of attempts.
     *
     * @throws AccountRefusal `pin-malformed` (not counted), `pin-not-set`, `pin-wrong` with `triesLeft`, `pin-locked`
     * with `retryAfterMs`, `busy`.
     */
    async unlock(session: Session, clearTextPin: string): Promise<void> {
      if ('fault' in parsePin(clearTextPin)) throw new AccountRefusal('pin-malformed')
      await hashing.withSlot(session.browser.address, async (slot) => {
        const nowMs = clock.nowMs()
        const attempt = await users.beginPinAttempt(session.userId, nowMs)
        if (attempt.kind === 'not-set') throw new AccountRefusal('pin-not-set')
        if (attempt.kind === 'locked') throw new AccountRefusal('pin-locked', { retryAfterMs: attempt.untilMs - nowMs })
        const right =
          (await slot.verify(clearTextPin, attempt.pinHash)) &&
          (await users.completePinAttempt(session.userId, attempt.pinHash, unlockingOf(session, nowMs)))
        if (right) return
        if (attempt.locksUntilMs !== null) {
          const retryAfterMs = attempt.locksUntilMs - nowMs
          const minutes = String(Math.ceil(retryAfterMs / 60_000))
          await audit.record({ ...sessionAuditEntry(session, 'pin-locked'), detail: { minutes } })
          throw new AccountRefusal('pin-locked', { retryAfterMs })
        }
        throw new AccountRefusal('pin-wrong', { triesLeft: attempt.triesLeft })
      })
    },

    /**
     * Sets the PIN, unlocks this session and locks the user's other sessions. Requires {@link proveOwner}.
     *
     * @throws AccountRefusal `pin-malformed`, `password-wrong`, `unlock-first`, `slow-down`, `busy`, `user-unknown`.
     */
    async set(session: Session, form: { clearTextPin: string; clearTextPassword: string | undefined }): Promise<void> {
      if ('fault' in parsePin(form.clearTextPin)) throw new AccountRefusal('pin-malformed')
      await hashing.withSlot(session.browser.address, async (slot) => {
        const nowMs = clock.nowMs()
        await proveOwner(slot, session, form.clearTextPassword, { users, signInLimits, nowMs })
        await store(session, await slot.hash(form.clearTextPin), nowMs)
      })
    },

    /**
     * Sets the PIN like {@link set}, for a user whose identity the caller has confirmed with a passkey.
     *
     * @throws AccountRefusal `pin-malformed`, `busy`.
     */
    async setProven(session: Session, clearTextPin: string): Promise<void> {
      if ('fault' in parsePin(clearTextPin)) throw new AccountRefusal('pin-malformed')
      await hashing.withSlot(session.browser.address, async (slot) => {
        await store(session, await slot.hash(clearTextPin), clock.nowMs())
      })
    },
  }
}

function unlockingOf(session: Session, nowMs: number): Unlocking {
  return { sessionNumber: session.number, untilMs: nowMs + limits.pinUnlockLifetimeMs }
}
