import { type Clock, systemClock } from '../../domain/clock.ts'

const readingLastsMs = 10_000

/**
 * The database's clock, which nodes use for leases, codes and heartbeats, so that they agree. The node's connection
 * reads it every two seconds. Between readings, and during outages, it advances with this machine's monotonic clock.
 */
export class DatabaseClock implements Clock {
  #reading = { databaseMs: 0, atMs: 0, tookMs: Number.POSITIVE_INFINITY }

  nowMs(): number {
    const { databaseMs, atMs } = this.#reading
    return Math.floor(databaseMs + performance.now() - atMs)
  }

  every(intervalMs: number, work: () => unknown): () => void {
    return systemClock.every(intervalMs, work)
  }

  /** Uses a reading unless one of the last ten seconds had a shorter round trip. `askedAtMs` is in monotonic time. */
  set(databaseMs: number, askedAtMs: number): void {
    const tookMs = performance.now() - askedAtMs
    const atMs = askedAtMs + tookMs / 2
    if (tookMs > this.#reading.tookMs && atMs - this.#reading.atMs < readingLastsMs) return
    this.#reading = { databaseMs, atMs, tookMs }
  }
}
