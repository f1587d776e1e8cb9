import { setTimeout as wait } from 'node:timers/promises'

/**
 * Polls `look` until it returns a result other than `undefined`. Meant for the effects of real sockets and disks, so
 * the timeout is generous.
 */
export async function eventually<Found extends true | string | number | object>(
  look: () => Promise<Found | undefined> | Found | undefined,
  boundMs = 10_000,
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
