/** How many bytes, changes or other units may be spent at once, and how many come back each second. */
export interface Rate {
  burst: number
  perSecond: number
}

/** A token bucket: holds up to `burst` units, and gains `perSecond` units each second. Can be overdrawn. */
export class Budget {
  readonly #rate: Rate
  #units: number
  #atMs: number

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate
    this.#units = rate.burst
    this.#atMs = nowMs
  }

  /** Takes the units, or gives them back if the number is negative. */
  spend(units: number, nowMs: number): void {
    this.#units = Math.min(this.#rate.burst, this.left(nowMs) - units)
  }

  /** Number of units left. Negative if more were spent. */
  left(nowMs: number): number {
    // The clock may have been set back.
    const elapsedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#units = Math.min(this.#rate.burst, this.#units + (elapsedMs / 1_000) * this.#rate.perSecond)
    return this.#units
  }

  /** Returns whether at least three quarters of the burst are left. */
  isNearlyFull(nowMs: number): boolean {
    return this.left(nowMs) >= 0.75 * this.#rate.burst
  }
}
