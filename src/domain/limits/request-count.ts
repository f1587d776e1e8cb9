/** Counts requests per key over a sliding window. */
export interface RequestCount {
  /**
   * Counts one request and gives how many milliseconds its key has to wait for room from now on; 0 when this one had
   * room. A promise where others have to be asked; it does not reject.
   */
  take(key: string, nowMs: number): number | Promise<number>
  /** Forgets keys that have been idle for the window, at most so many; resolves with how many. */
  prune(nowMs: number, atMost: number): Promise<number>
}
