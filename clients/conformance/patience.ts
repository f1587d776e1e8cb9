import { setTimeout as wait } from 'node:timers/promises'

/** What a case finds wrong, in words for the client's author. */
export class CaseFailure extends Error {}

export function fails(message: string): never {
  throw new CaseFailure(message)
}

/** How long anything that must happen may take. Far more than it needs, since machines that test are busy. */
export const patienceMs = 15_000

/** The answer of `look`, asked again after each change. @throws CaseFailure when there is none in time */
export async function within<Found>(
  look: () => Found | undefined,
  onChange: (changed: () => void) => void,
  otherwise: string,
): Promise<Found> {
  const giveUpAtMs = performance.now() + patienceMs
  for (;;) {
    const changed = new Promise<void>((resolve) => onChange(resolve))
    const found = look()
    if (found !== undefined) return found
    const leftMs = giveUpAtMs - performance.now()
    if (leftMs <= 0) fails(`${otherwise} within ${patienceMs / 1_000} s`)
    const stop = new AbortController()
    await Promise.race([changed, wait(leftMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})])
    stop.abort()
  }
}
