/**
 * Counts events per key over any window of a given length, exactly: it keeps the times of the last
 * `limit` events of each key. Bounded: at most `maxKeys` keys, the longest idle ones forgotten first.
 */
export class SlidingLog {
  readonly #limit: number
  readonly #windowMs: number
  readonly #maxKeys: number
  // Insertion order is order of last use, so the first key is the longest idle one.
  readonly #times = new Map<string, number[]>()

  constructor({ limit, windowMs, maxKeys = 100_000 }: { limit: number; windowMs: number; maxKeys?: number }) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#maxKeys = maxKeys
  }

  /** Milliseconds until the key has room again; 0 when it has room now. Counts nothing. */
  waitMs(key: string, nowMs: number): number {
    const times = this.#times.get(key)
    if (times === undefined || times.length < this.#limit) return 0
    const oldest = times[times.length - this.#limit] as number
    return Math.max(0, oldest + this.#windowMs - nowMs)
  }

  /** Counts one event of the key. */
  add(key: string, nowMs: number): void {
    const times = this.#times.get(key) ?? []
    times.push(nowMs)
    while (times.length > this.#limit || (times[0] as number) + this.#windowMs <= nowMs) times.shift()
    this.#times.delete(key)
    this.#times.set(key, times)
    if (this.#times.size > this.#maxKeys) this.#times.delete(this.#times.keys().next().value as string)
  }

  /** Forgets what was counted for the key. */
  clear(key: string): void {
    this.#times.delete(key)
  }
}
