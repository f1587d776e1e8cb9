import { type Clock, systemClock } from '../../domain/clock.ts'
import { PostgresPool } from './postgres-pool.ts'
import type { Primary } from './primary.ts'

const readEveryMs = 10_000
const timeoutMs = 2_000
/** Readings per synchronization. The one with the shortest round trip is the most accurate, so it is used. */
const readings = 3

/**
 * The database's clock. Nodes use it for leases, codes and heartbeats, so that they agree even if their own clocks
 * differ. The clock is read every ten seconds. Between readings, and while the database is unreachable, the time
 * advances with this machine's monotonic clock.
 */
export class DatabaseClock implements Clock {
  readonly #pool: PostgresPool
  readonly #timer: NodeJS.Timeout
  #readMs = 0
  #readAtMs = 0

  private constructor(primary: Primary) {
    this.#pool = new PostgresPool({
      primary,
      applicationName: 'gatehouse clock',
      connections: 1,
      statementMs: timeoutMs,
      idleMs: 0,
    })
    this.#timer = setInterval(() => {
      // If the query fails, the previous reading of the clock stays in use.
      this.#read().catch(() => {})
    }, readEveryMs)
    this.#timer.unref()
  }

  /** Open the clock before anything that uses it, and close it last. @throws StoreUnavailable */
  static async open(primary: Primary): Promise<DatabaseClock> {
    const clock = new DatabaseClock(primary)
    try {
      await clock.#read()
      return clock
    } catch (error) {
      await clock.close()
      throw error
    }
  }

  nowMs(): number {
    return Math.floor(this.#readMs + performance.now() - this.#readAtMs)
  }

  every(intervalMs: number, work: () => unknown): () => void {
    return systemClock.every(intervalMs, work)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#pool.close()
  }

  async #read(): Promise<void> {
    let quickestMs = Number.POSITIVE_INFINITY
    for (let reading = 0; reading < readings; reading += 1) {
      const askedMs = performance.now()
      const [row] = await this.#pool.rows<{ now: string }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now')
      const tookMs = performance.now() - askedMs
      if (tookMs >= quickestMs) continue
      quickestMs = tookMs
      this.#readMs = Number(row?.now)
      this.#readAtMs = askedMs + tookMs / 2
    }
  }
}
