import type { BotId } from '../ids.ts'
import type { BotStore } from './bot-store.ts'

export type Leased = 'keep' | 'remove'

/** The queued events of bots, as far as deletion is concerned. */
export interface BotEvents {
  /** Returns a bound for `discard`: not below any event of the bot accepted so far, and below every later one. */
  lastAccepted(botId: BotId): Promise<number>
  /** Removes the bot's events up to the bound, and its deduplication marks and hourly counts. */
  discard(botId: BotId, upTo: number, leased: Leased): Promise<void>
}

/** Removes the events of deleted bots, so that no later bot with the same ID receives or shows them. */
export class DeletedBots {
  readonly #bots: Pick<BotStore, 'isDeleted'>
  readonly #events: BotEvents

  constructor(bots: Pick<BotStore, 'isDeleted'>, events: BotEvents) {
    this.#bots = bots
    this.#events = events
  }

  /**
   * Removes the bot's events if it is deleted. Idempotent.
   *
   * Call it after a deletion, to free the space, with `keep`: runtimes can still finish their work. Call it before the
   * ID is used again, with `remove`. That call finishes what a killed node has left undone.
   */
  async discardEvents(botId: BotId, leased: Leased): Promise<void> {
    if (!(await this.#bots.isDeleted(botId))) return
    // The bot has to be deleted after the bound is read. Otherwise another node could create a new bot before that, and
    // the bound would include webhooks of the new bot.
    const upTo = await this.#events.lastAccepted(botId)
    if (await this.#bots.isDeleted(botId)) await this.#events.discard(botId, upTo, leased)
  }
}
