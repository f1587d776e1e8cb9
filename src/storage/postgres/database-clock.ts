import { type Clock, systemClock } from '../../domain/clock.ts'
import { PostgresPool } from './postgres-pool.ts'
import type { Primary } from './primary.ts'

const readEveryMs = 10_000
const answerWithinMs = 2_000
/** Of so many readings the quickest counts: it says most exactly when it was taken. */
const readings = 3

/**
 * The database's time, which is the same at all nodes however their own clocks are set: leases, codes and heartbeats that one node
 * writes and another one judges go by it. Read every ten seconds; between readings, and while the database is away, by
 * this machine's monotonic clock.
 */
export class DatabaseClock implements Clock {
  readonly #pool: PostgresPool
  readonly #timer: NodeJS.Timeout
  #readMs = 0
  /** By the monotonic clock. */
  #readAtMs = 0

  private constructor(primary: Primary) {
    this.#pool = new PostgresPool({
      primary,
      applicationName: 'gatehouse clock',
      connections: 1,
      statementMs: answerWithinMs,
      idleMs: 0,
    })
    this.#timer = setInterval(() => {
      // What was read last goes on until the database answers again.
      this.#read().catch(() => {})
    }, readEveryMs)
    this.#timer.unref()
  }

  /** Opened before what asks for the time, and closed after it. @throws StoreUnavailable */
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

  every(intervalMs: number, work: () => void): () => void {
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
