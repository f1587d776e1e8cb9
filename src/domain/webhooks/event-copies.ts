import type { BotId } from '../ids.ts'
import { copiesPerRead } from '../limits/limits.ts'
import type { Delivery } from './delivery-queue.ts'
import type { EventLog } from './event-log.ts'

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
      const { flowId, path, ordered, acceptedAtMs, replayOf, headers, clientIp, body } = event
      const described = { id, botId, flowId, path, ordered, acceptedAtMs, replayOf, headers, clientIp, body }
      onCopy({ ...described, delivery: id, attempt: 1 })
    }
    return events.length === limit
  }
}
