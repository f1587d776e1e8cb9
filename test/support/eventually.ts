import { setTimeout as wait } from 'node:timers/promises'

const boundMs = 10_000

/** Polls until `look` returns a result, for effects of real sockets and disks. The time limit is generous. */
export async function eventually<Found>(look: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
  const giveUp = AbortSignal.timeout(boundMs)
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (giveUp.aborted) throw new Error(`nothing was found within ${boundMs / 1_000} s by ${look}`)
    await wait(5)
  }
}
