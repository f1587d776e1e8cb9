/**
 * The service's only source of time. Rules take `nowMs`; services and loops take a clock, so that
 * tests move time by hand and none of them sleeps.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number
  /** Calls `work` every `intervalMs` until the returned function is called. Does not keep the process alive. */
  every(intervalMs: number, work: () => void): () => void
}

export const systemClock: Clock = {
  nowMs: Date.now,
  every(intervalMs, work) {
    const timer = setInterval(work, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
