import { setTimeout as wait } from 'node:timers/promises'

export class CaseFailure extends Error {}

export function fail(message: string): never {
  throw new CaseFailure(message)
}

/** Maximum time to wait for anything that must happen. Generous, because test machines are busy. */
export const timeoutMs = 30_000

/**
 * Calls `look` now and after each change until it returns a value.
 *
 * @throws CaseFailure on timeout.
 */
export async function waitFor<Found>(
  look: () => Found | undefined,
  onChange: (changed: () => void) => void,
  otherwise: string,
): Promise<Found> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    const changed = new Promise<void>((resolve) => onChange(resolve))
    const found = look()
    if (found !== undefined) return found
    const leftMs = deadlineMs - performance.now()
    if (leftMs <= 0) fail(`${otherwise} within ${timeoutMs / 1_000} s`)
    const stop = new AbortController()
    await Promise.race([changed, wait(leftMs, undefined, { signal: stop.signal, ref: false }).catch(() => {})])
    stop.abort()
  }
}
