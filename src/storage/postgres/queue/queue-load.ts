import type { QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import type { PostgresPool } from '../postgres-pool.ts'

/** How often what waits over all nodes is read. */
const readEveryMs = 5_000

/** A reading during which this node changed something is off by that; it is taken when the last good one is so old. */
const exactWithinMs = 15_000

/**
 * What waits over all bots and nodes: as last read, and what this node took in and finished since. What other nodes did meanwhile
 * is not in it, so the bounds over all bots may be passed by what they take in five seconds, fifteen at the most.
 */
export class QueueLoad {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #timer: NodeJS.Timeout
  #events = 0
  #bytes = 0
  /** Grows with each change of this node's. */
  #changes = 0
  #readAtMs = Number.NEGATIVE_INFINITY

  /** @param onRead told after each reading. */
  constructor(pool: PostgresPool, limits: QueueLimits, onRead: () => void) {
    this.#pool = pool
    this.#limits = limits
    this.#timer = setInterval(() => {
      // What can't be read now is read the next time.
      this.read().then(onRead, () => {})
    }, readEveryMs)
    this.#timer.unref()
  }

  get events(): number {
    return this.#events
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes room for one event; false when there is none. */
  enter(bytes: number): boolean {
    const { maxEvents, maxBytes } = this.#limits
    if (this.#events >= maxEvents || this.#bytes + bytes > maxBytes) return false
    this.leave(-1, -bytes)
    return true
  }

  leave(events: number, bytes: number): void {
    this.#changes += 1
    this.#events = Math.max(0, this.#events - events)
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }

  async read(): Promise<void> {
    const changes = this.#changes
    const [sum] = await this.#pool.rows<{ events: number; bytes: number }>(sums)
    const nowMs = performance.now()
    if (sum === undefined || (changes !== this.#changes && nowMs - this.#readAtMs < exactWithinMs)) return
    this.#events = Math.max(0, sum.events)
    this.#bytes = Math.max(0, sum.bytes)
    this.#readAtMs = nowMs
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

const sums = `SELECT (entered.events - gone.events)::bigint AS events, (entered.bytes - gone.bytes)::bigint AS bytes
    FROM (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_entered) AS entered,
      (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_left) AS gone`
