import { setTimeout as wait } from 'node:timers/promises'
import type { ManualClock } from './manual-clock.ts'

/**
 * Polls `look` until it returns a result other than `undefined`. Meant for the effects of real sockets and disks, so
 * the timeout is generous. The clock stands still: for effects of work that runs at intervals, use {@link advanceUntil}.
 * The type of the result excludes a promise of a boolean, which would itself count as found.
 */
export async function eventually<Found extends true | string | number | (object & { then?: never })>(
  look: () => Promise<Found | undefined> | Found | undefined,
  boundMs = 60_000,
): Promise<Found> {
  const giveUp = AbortSignal.timeout(boundMs)
  const startedAtMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (giveUp.aborted) throw new Error(`nothing was found within ${boundMs / 1_000} s by ${look}`)
    // Pauses grow with the time already waited, because a look every 5 ms keeps a core busy that the service needs.
    await wait(Math.min(5 + (performance.now() - startedAtMs) / 10, 50))
  }
}

const stepsMax = 100

/**
 * Advances the clock in steps until `look` returns a result other than `undefined` and `false`. If the database is slow,
 * work that runs at intervals can miss what the test did a moment before. A clock that stands still would never run that
 * work again.
 *
 * Pauses after each step, longer each time, so that the effects of sockets and databases keep up with the clock. Gives
 * up after 100 steps, which take half a minute.
 */
export async function advanceUntil<Found extends true | string | number | (object & { then?: never })>(
  clock: ManualClock,
  look: () => Promise<Found | undefined | false> | Found | undefined | false,
  stepMs = 1_000,
): Promise<Found> {
  for (let step = 0; step < stepsMax; step += 1) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await clock.advance(stepMs)
    await wait(5 * step)
  }
  throw new Error(`nothing was found within ${(stepsMax * stepMs) / 1_000} s of the clock by ${look}`)
}
