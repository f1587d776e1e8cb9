import type { Clock } from './clock.ts'
import * as limits from './limits/limits.ts'

/**
 * Logs one line per burst of similar faults, so that clients can't flood the log. A burst lasts {@link faultBurstMs}.
 */
export class FaultBursts {
  readonly #clock: Clock
  /** Bursts, keyed by the step that failed. Step names are constants in the code, so the map stays small. */
  readonly #bursts = new Map<string, { endsAtMs: number; unlogged: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Calls `write` for the first fault in a burst.
   *
   * @param write logs the fault. `unlogged` is the number of faults in the previous burst that were not logged, if any.
   */
  note(doing: string, write: (unlogged: number | undefined) => void): void {
    const nowMs = this.#clock.nowMs()
    const burst = this.#bursts.get(doing)
    if (burst !== undefined && nowMs < burst.endsAtMs) {
      burst.unlogged += 1
      return
    }
    this.#bursts.set(doing, { endsAtMs: nowMs + limits.faultBurstMs, unlogged: 0 })
    write(burst?.unlogged || undefined)
  }
}
