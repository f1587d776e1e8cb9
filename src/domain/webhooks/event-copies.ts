import type { BotId } from '../ids.ts'
import { copiesPerLook } from '../limits/limits.ts'
import type { Delivery } from './delivery-queue.ts'
import type { EventLog } from './event-log.ts'

/**
 * Reads copies of the bots' new events in the order accepted. It leases nothing and counts no attempt, so the bots'
 * runtimes get every event all the same.
 */
export class EventCopies {
  readonly #log: EventLog
  readonly #places = new Map<BotId, string>()

  constructor(log: EventLog) {
    this.#log = log
  }

  get botIds(): BotId[] {
    return [...this.#places.keys()]
  }

  /** Copies the events that the bot gets from now on. */
  async add(botId: BotId): Promise<void> {
    const { place } = await this.#log.follow(botId, undefined, 0)
    this.#places.set(botId, place)
  }

  remove(botId: BotId): void {
    this.#places.delete(botId)
  }

  /**
   * Passes up to `room` new events of the bot to `take`, each once.
   *
   * @returns whether there may be more.
   */
  async read(botId: BotId, room: number, take: (copy: Delivery) => void): Promise<boolean> {
    const from = this.#places.get(botId)
    if (from === undefined) return false
    const most = Math.min(room, copiesPerLook)
    const { events, place } = await this.#log.follow(botId, from, most)
    if (!this.#places.has(botId)) return false
    this.#places.set(botId, place)
    for (const { id } of events) {
      const event = await this.#log.find(botId, id)
      // Discarded since.
      if (event === undefined) continue
      const { flowId, path, ordered, acceptedAtMs, replayOf, headers, clientIp, body } = event
      const described = { id, botId, flowId, path, ordered, acceptedAtMs, replayOf, headers, clientIp, body }
      take({ ...described, delivery: id, attempt: 1 })
    }
    return events.length === most
  }
}
