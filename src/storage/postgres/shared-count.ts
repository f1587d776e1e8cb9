import type { Clock } from '../../domain/clock.ts'
import type { RequestCount } from '../../domain/limits/request-count.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import type { Company } from './aloneness.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { type RequestCounts, requestCounts } from './request-counts.ts'

export interface SharedCountLimits {
  limit: number
  windowMs: number
  /** How many keys are counted on this node at once. */
  maxKeys: number
}

/**
 * Counts the requests of each key over all nodes: together, in a table, or on this node while it is alone, which costs
 * the database nothing. What this node has counted is enough to refuse; and it holds when nobody can tell of the others.
 *
 * A node that joins must wait until this one has written its counts to the table ({@link Company}). Requests that this
 * node rejects by itself are not counted in the table. Other nodes may therefore admit a key sooner than one shared
 * count would, but never more than the limit.
 */
export class SharedCount implements RequestCount, Company {
  readonly #log: SlidingLog
  readonly #counts: RequestCounts
  readonly #clock: Clock
  readonly #windowMs: number
  #alone = false
  /** From then on all requests within the window are known here, and are counted here only. */
  #aloneFromMs = Number.POSITIVE_INFINITY
  #meeting: Promise<void> | undefined

  constructor(database: PostgresDatabase, clock: Clock, limits: SharedCountLimits) {
    this.#log = new SlidingLog(limits)
    this.#counts = requestCounts(database, limits)
    this.#clock = clock
    this.#windowMs = limits.windowMs
  }

  take(key: string, nowMs: number): number | Promise<number> {
    if (this.#meeting !== undefined) return this.#meeting.then(() => this.take(key, nowMs))
    const waitMs = this.#log.take(key, nowMs)
    if (waitMs > 0 || this.#countsAlone(nowMs)) return waitMs
    return this.#counts.take(key, nowMs).catch(() => 0)
  }

  prune(nowMs: number, atMost: number): Promise<number> {
    return this.#counts.prune(nowMs, atMost)
  }

  async beAlone(): Promise<void> {
    this.#aloneFromMs = this.#clock.nowMs() + this.#windowMs
    const inTable = await this.#counts.anyWithin(this.#clock.nowMs())
    // What came in this very millisecond is counted in the table still.
    if (!inTable) this.#aloneFromMs = this.#clock.nowMs() + 1
  }

  cutOff(): void {
    if (!this.#alone) this.#aloneFromMs = Number.POSITIVE_INFINITY
  }

  /** Adds what was counted alone to the table, where requests are counted from then on; until then they wait. */
  async meet(): Promise<void> {
    if (this.#alone) {
      const added = this.#counts.add(this.#log.since(this.#aloneFromMs)).then(() => {
        this.#alone = false
      })
      const met = () => {
        this.#meeting = undefined
      }
      this.#meeting = added.then(met, met)
      await added
    }
    this.#aloneFromMs = Number.POSITIVE_INFINITY
  }

  #countsAlone(nowMs: number): boolean {
    if (nowMs >= this.#aloneFromMs) this.#alone = true
    return this.#alone
  }
}
