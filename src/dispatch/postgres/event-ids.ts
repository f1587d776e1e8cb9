import type { BotId } from '../../domain/ids.ts'
import { idOf, idWithBot, numberOf } from '../event-number.ts'
import type { QueuePool, Statement } from './queue-pool.ts'

/**
 * The ids of events on PostgreSQL. Numbers are unique per bot only, so the bot is part of the id. Events that `gatehouse
 * migrate` copied keep the ids that they had on SQLite, where numbers are unique over all bots.
 */
export class EventIds {
  readonly #pool: QueuePool
  /** Every number below it was copied, and none was given out here. */
  #copiedBelow = 0

  constructor(pool: QueuePool) {
    this.#pool = pool
  }

  /** Must be called before the first id is asked for. */
  async read(): Promise<void> {
    const [row] = await this.#pool.rows<{ below: number }>(copied, [])
    this.#copiedBelow = row?.below ?? 0
  }

  of(botId: BotId, number: number): string {
    return number < this.#copiedBelow ? idOf(number) : idWithBot(botId, number)
  }

  /**
   * Returns the number of the bot's event with that id; `undefined` for what none of its events has as its id. The bot may be
   * missing from the id: so earlier releases wrote it, and links of theirs still lead to the event.
   */
  numberOf(botId: BotId, id: string): number | undefined {
    const suffix = `-${botId}`
    return numberOf(id.endsWith(suffix) ? id.slice(0, -suffix.length) : id)
  }
}

const copied: Statement = { name: 'copied', text: 'SELECT numbers_below AS below FROM queue_copied' }
