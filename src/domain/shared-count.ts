/** Counts events per key over all nodes, as {@link SlidingLog} does on one. */
export interface SharedCount {
  /**
   * Counts one event and resolves with how many milliseconds its key has to wait for room from now on; 0 when this
   * event had room.
   *
   * @throws StoreUnavailable when nobody can tell.
   */
  take(key: string, nowMs: number): Promise<number>
  /** Forgets keys that have been idle for the window, at most so many; resolves with how many. */
  prune(nowMs: number, atMost: number): Promise<number>
}
