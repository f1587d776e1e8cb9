export interface RequestCount {
  /**
   * Counts one request of the key. Returns 0 if it was within the limit, otherwise the milliseconds until the key's
   * next request is allowed; as a promise, which never rejects, if the count is shared with other nodes.
   */
  take(key: string, nowMs: number): number | Promise<number>
  /** Removes up to `atMost` keys that have been idle for a whole window. Resolves with the number removed. */
  prune(nowMs: number, atMost: number): Promise<number>
}

export interface SlidingLogLimits {
  limit: number
  windowMs: number
  maxKeys?: number
}

/**
 * Counts events per key over an exact sliding window, by keeping the times of the last `limit` events of each key.
 * Holds at most `maxKeys` keys. A key moves to the recent of two generations when it is used. Once that one is one
 * window old or holds half of `maxKeys`, it replaces the older one, whose keys are all dropped.
 */
export class SlidingLog {
  readonly #limit: number
  readonly #windowMs: number
  readonly #maxKeys: number
  #recent = new Map<string, number[]>()
  #older = new Map<string, number[]>()
  #rotatedAtMs = Number.NEGATIVE_INFINITY

  constructor({ limit, windowMs, maxKeys = 100_000 }: SlidingLogLimits) {
    this.#limit = limit
    this.#windowMs = windowMs
    this.#maxKeys = maxKeys
  }

  /** Returns the milliseconds until the key is below its limit, or 0 if the key already is. Does not count an event. */
  waitMs(key: string, nowMs: number): number {
    const times = this.#recent.get(key) ?? this.#older.get(key)
    if (times === undefined || times.length < this.#limit) return 0
    clampToNow(nowMs, times)
    const oldest = times[times.length - this.#limit] as number
    return Math.max(0, oldest + this.#windowMs - nowMs)
  }

  add(key: string, nowMs: number): void {
    const recent = this.#recent.get(key)
    if (recent !== undefined) {
      this.#append(recent, nowMs)
      return
    }
    if (this.#recent.size >= this.#maxKeys / 2 || this.#rotatedAtMs + this.#windowMs <= nowMs) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#rotatedAtMs = nowMs
    }
    const older = this.#older.get(key)
    if (older === undefined) {
      this.#recent.set(key, [nowMs])
      return
    }
    this.#append(older, nowMs)
    this.#older.delete(key)
    this.#recent.set(key, older)
  }

  /** Counts one event. Returns 0 if it was within the limit, otherwise the milliseconds until the next one would be. */
  take(key: string, nowMs: number): number {
    const hadRoom = this.waitMs(key, nowMs) === 0
    this.add(key, nowMs)
    return hadRoom ? 0 : this.waitMs(key, nowMs)
  }

  clear(key: string): void {
    this.#recent.delete(key)
    this.#older.delete(key)
  }

  #append(times: number[], nowMs: number): void {
    clampToNow(nowMs, times)
    times.push(nowMs)
    while (times.length > this.#limit || (times[0] as number) + this.#windowMs <= nowMs) times.shift()
  }
}

/** Clamps times that are in the future because the clock was set back, so that no wait exceeds the window. */
function clampToNow(nowMs: number, times: number[]): void {
  if ((times.at(-1) as number) <= nowMs) return
  for (const [at, ms] of times.entries()) times[at] = Math.min(ms, nowMs)
}
