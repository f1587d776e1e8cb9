import type { Clock } from './clock.ts'
import { faultBurstMs } from './limits.ts'

/**
 * Limits the log lines of faults that are alike to one a burst, so that the log does not grow with what clients send.
 */
export class FaultBursts {
  readonly #clock: Clock
  /** By what was being done: our own words, so there are few. */
  readonly #bursts = new Map<string, { endsAtMs: number; unlogged: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Calls `write` unless a fault alike was written in this burst. @param write gets how many were not, if any, since the last. */
  note(doing: string, write: (unlogged: number | undefined) => void): void {
    const nowMs = this.#clock.nowMs()
    const burst = this.#bursts.get(doing)
    if (burst !== undefined && nowMs < burst.endsAtMs) {
      burst.unlogged += 1
      return
    }
    this.#bursts.set(doing, { endsAtMs: nowMs + faultBurstMs, unlogged: 0 })
    write(burst?.unlogged || undefined)
  }
}
