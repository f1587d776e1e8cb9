/** The service's only source of time, so that tests move the clock instead of sleeping. */
export interface Clock {
  nowMs(): number
  /**
   * Calls `work` every `intervalMs` until the returned function is called. Does not keep the process alive.
   *
   * If `work` returns a promise, it must not reject. The next call doesn't wait for it, but the clock of tests does.
   */
  every(intervalMs: number, work: () => unknown): () => void
}

export const systemClock: Clock = {
  nowMs: Date.now,
  every(intervalMs, work) {
    const timer = setInterval(work, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
