import type { BotId } from '../ids.ts'
import { copiesPerRead, refusedWebhooksKept } from '../limits/limits.ts'
import type { Delivery } from './delivery-queue.ts'
import type { EventLog } from './event-log.ts'
import type { RefusalLog } from './refusal-log.ts'
import type { RefusedWebhooks } from './refused-webhooks.ts'

/**
 * Reads copies of the bots' new events, in the order in which they were accepted. Takes no leases and counts no
 * attempts, so the bots' runtimes still receive every event.
 */
export class EventCopies {
  readonly #log: EventLog
  readonly #cursors = new Map<BotId, string>()

  constructor(log: EventLog) {
    this.#log = log
  }

  get botIds(): BotId[] {
    return [...this.#cursors.keys()]
  }

  /** Starts copying the bot's events, beginning with the next event that is accepted. */
  async add(botId: BotId): Promise<void> {
    const { cursor } = await this.#log.follow(botId, undefined, 0)
    this.#cursors.set(botId, cursor)
  }

  remove(botId: BotId): void {
    this.#cursors.delete(botId)
  }

  /**
   * Passes up to `most` new events of the bot to `onCopy`. No event is passed twice.
   *
   * @returns whether there may be more new events.
   */
  async read(botId: BotId, most: number, onCopy: (copy: Delivery) => void): Promise<boolean> {
    const from = this.#cursors.get(botId)
    if (from === undefined) return false
    const limit = Math.min(most, copiesPerRead)
    const { events, cursor } = await this.#log.follow(botId, from, limit)
    if (!this.#cursors.has(botId)) return false
    this.#cursors.set(botId, cursor)
    for (const { id } of events) {
      const event = await this.#log.find(botId, id)
      // Skips an event that was removed after `follow` returned it.
      if (event === undefined) continue
      onCopy({ ...event, botId, delivery: id, attempt: 1 })
    }
    return events.length === limit
  }
}

interface Reader {
  /** Refusals up to this time aren't new. */
  fromMs: number
  /**
   * Times of the refusals in the last read, in milliseconds since the epoch. The keys are the properties that similar
   * refusals share.
   */
  seen: ReadonlyMap<string, number>
}

/**
 * Reads the bots' new refused webhooks. If several similar refusals come between two reads, only the last is returned.
 */
export class NewRefusals {
  readonly #log: Pick<RefusalLog, 'latest'>
  readonly #readers = new Map<BotId, Reader>()

  constructor(log: Pick<RefusalLog, 'latest'>) {
    this.#log = log
  }

  /** Starts reading the bot's refusals after this time. */
  add(botId: BotId, fromMs: number): void {
    this.#readers.set(botId, { fromMs, seen: new Map() })
  }

  remove(botId: BotId): void {
    this.#readers.delete(botId)
  }

  /** Returns the bot's new refusals, oldest first. */
  async read(botId: BotId): Promise<RefusedWebhooks[]> {
    const latest = await this.#log.latest(botId, undefined, refusedWebhooksKept)
    const reader = this.#readers.get(botId)
    if (reader === undefined) return []
    const { fromMs, seen } = reader
    // The list is sorted newest first. If a stored and a collected row cover similar refusals, the newer row is
    // therefore returned.
    const newest = new Map<string, RefusedWebhooks>()
    for (const refused of latest) {
      const key = keyOf(refused)
      if (!newest.has(key)) newest.set(key, refused)
    }
    const added = [...newest].filter(([key, { lastAtMs }]) => lastAtMs > (seen.get(key) ?? fromMs))
    reader.seen = new Map([...newest].map(([key, { lastAtMs }]) => [key, lastAtMs]))
    // A full list omits refusals older than its last entry.
    const oldest = latest.length < refusedWebhooksKept ? undefined : latest.at(-1)
    if (oldest !== undefined) reader.fromMs = Math.max(fromMs, oldest.lastAtMs)
    return added.map(([, refused]) => refused).reverse()
  }
}

function keyOf({ flowId, cause, address, path }: RefusedWebhooks): string {
  return JSON.stringify([flowId, cause, address, path])
}
