import { limitsOfBot, type QueueLimits } from '../../../domain/limits/budget.ts'
import type { BotLoad } from '../../../domain/webhooks/delivery-queue.ts'
import type { QueueDepth } from '../../../domain/webhooks/event-log.ts'
import type { PostgresPool } from '../postgres-pool.ts'

const readEveryMs = 5_000

/**
 * A reading is inexact if this node changed the totals while waiting for the result. Inexact readings are used only if
 * the last exact one is at least this old.
 */
const exactWithinMs = 15_000

/**
 * Tracks unfinished events and their bytes across all bots and nodes: the last reading, plus this node's own changes
 * since then. Changes made on other nodes are included only after the next reading: usually within 5 seconds, and
 * within about 20 at most. The limits across all bots can be exceeded by as much as other nodes accept in that time.
 */
export class QueueLoad {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #timer: NodeJS.Timeout
  readonly size = { events: 0, bytes: 0 }
  #changes = 0
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(pool: PostgresPool, limits: QueueLimits, onRead: () => void) {
    this.#pool = pool
    this.#limits = limits
    this.#timer = setInterval(() => {
      // If a reading fails, the next interval tries again.
      this.read().then(onRead, () => {})
    }, readEveryMs)
    this.#timer.unref()
  }

  enter(bytes: number): boolean {
    const { maxEvents, maxBytes } = this.#limits
    if (this.size.events >= maxEvents || this.size.bytes + bytes > maxBytes) return false
    this.leave(-1, -bytes)
    return true
  }

  /**
   * Returns the limits of a bot for which some of these events are to be stored.
   *
   * @param sizes sizes of the events' bodies. All of them have entered.
   */
  limitsOfBot(sizes: readonly number[]): { events: number; bytes: number } {
    const { maxEvents, maxBytes } = this.#limits
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return limitsOfBot(this.#limits, {
      events: maxEvents - this.size.events + sizes.length,
      bytes: maxBytes - this.size.bytes + bytes,
    })
  }

  leave(events: number, bytes: number): void {
    this.#changes += 1
    this.#set(this.size.events - events, this.size.bytes - bytes)
  }

  async read(): Promise<void> {
    const changes = this.#changes
    const [sum] = await this.#pool.rows<QueueLoad['size']>(sums)
    const nowMs = performance.now()
    if (sum === undefined || (changes !== this.#changes && nowMs - this.#readAtMs < exactWithinMs)) return
    this.#set(sum.events, sum.bytes)
    this.#readAtMs = nowMs
  }

  #set(events: number, bytes: number): void {
    this.size.events = Math.max(0, events)
    this.size.bytes = Math.max(0, bytes)
  }

  async loadsFrom(share: number): Promise<BotLoad[]> {
    const { maxEventsPerBot: maxEvents, maxBytesPerBot: maxBytes } = this.#limits
    const least = [maxEvents, maxBytes].map((limit) => Math.ceil(share * limit))
    const rows = await this.#pool.rows<QueueDepth>(loads, least)
    return rows.map((load) => ({ ...load, maxEvents, maxBytes }))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

const sums = `SELECT (entered.events - gone.events)::bigint AS events, (entered.bytes - gone.bytes)::bigint AS bytes
    FROM (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_entered) AS entered,
      (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_left) AS gone`
/** An SQL subquery with each bot's unfinished events and their bytes. */
export const botLoads = `(SELECT bot_id AS "botId", entered.events - coalesce(gone.events, 0) AS events,
      entered.bytes - coalesce(gone.bytes, 0) AS bytes
    FROM queue_entered AS entered LEFT JOIN queue_left AS gone USING (bot_id)) AS load`
const loads = `SELECT * FROM ${botLoads} WHERE events >= $1 OR bytes >= $2`
