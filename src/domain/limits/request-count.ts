/** Counts requests per key over a sliding window. */
export interface RequestCount {
  /**
   * Counts one request of the key. Returns 0 if the request was within the limit, otherwise the milliseconds until the
   * key's next request is allowed.
   *
   * Returns a promise if the count is shared with other nodes. The promise never rejects.
   */
  take(key: string, nowMs: number): number | Promise<number>
  /** Removes up to `atMost` keys that have been idle for a whole window. Resolves with the number removed. */
  prune(nowMs: number, atMost: number): Promise<number>
}
