import type { BotId } from '../../../domain/ids.ts'
import { idOf, idWithBot, numberOf } from '../../queue/event-number.ts'
import type { Queries } from '../postgres-pool.ts'

/**
 * Converts between event numbers and event IDs on PostgreSQL. Numbers are unique per bot, so an event ID includes the
 * bot ID. Events copied by `gatehouse migrate` keep their SQLite IDs, whose numbers are unique across all bots.
 */
export class EventIds {
  /** Numbers below this belong to copied events. New events always get higher numbers. */
  #copiedBelow = 0

  /** Reads from the database which event numbers were copied. Must be called before `of`. */
  async read(on: Queries): Promise<void> {
    const [row] = await on.rows<{ below: number }>(copied)
    this.#copiedBelow = row?.below ?? 0
  }

  get copiedBelow(): number {
    return this.#copiedBelow
  }

  of(botId: BotId, number: number): string {
    return number < this.#copiedBelow ? idOf(number) : idWithBot(botId, number)
  }

  /**
   * Returns the number in one of the bot's event IDs, or `undefined` if the ID is malformed or belongs to another bot.
   * Accepts event IDs without a bot ID, so that links from earlier releases still work.
   */
  numberOf(botId: BotId, id: string): number | undefined {
    const suffix = `-${botId}`
    return numberOf(id.endsWith(suffix) ? id.slice(0, -suffix.length) : id)
  }
}

const copied = 'SELECT numbers_below AS below FROM queue_copied'
