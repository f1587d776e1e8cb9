/** A token bucket: holds up to `burst` bytes, and gains `perSecond` bytes each second. Can be overdrawn. */
export class ByteBudget {
  readonly #burst: number
  readonly #perSecond: number
  #bytes: number
  #atMs: number

  constructor({ burst, perSecond }: { burst: number; perSecond: number }, nowMs: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#bytes = burst
    this.#atMs = nowMs
  }

  /** Takes the bytes, or gives them back if the number is negative. */
  spend(bytes: number, nowMs: number): void {
    this.#bytes = Math.min(this.#burst, this.left(nowMs) - bytes)
  }

  /** Number of bytes left. Negative if more were spent. */
  left(nowMs: number): number {
    // The clock may have been set back.
    const elapsedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    this.#bytes = Math.min(this.#burst, this.#bytes + (elapsedMs / 1_000) * this.#perSecond)
    return this.#bytes
  }

  /** Returns whether at least three quarters of the burst are left. */
  isNearlyFull(nowMs: number): boolean {
    return this.left(nowMs) >= 0.75 * this.#burst
  }
}
