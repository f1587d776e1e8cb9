/** Counts requests per key over a sliding window. */
export interface RequestCount {
  /**
   * Counts one request. Returns 0 if it was within the limit, otherwise the milliseconds until the key has room again.
   *
   * Returns a promise if other nodes have to be asked. It never rejects.
   */
  take(key: string, nowMs: number): number | Promise<number>
  /** Removes up to `atMost` keys that were idle for the whole window. Resolves with the number removed. */
  prune(nowMs: number, atMost: number): Promise<number>
}
