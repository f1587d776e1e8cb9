import type { BotId } from '../ids.ts'
import type { BotStore } from './bot-store.ts'

export type Leased = 'keep' | 'remove'

/** The parts of the event queue that deleting a bot needs. */
export interface BotEvents {
  /** Returns an upper bound for `discard`. It covers every event accepted for the bot so far, and no later event. */
  lastAccepted(botId: BotId): Promise<number>
  /** Removes the bot's events up to the bound, along with its deduplication marks and hourly counts. */
  discard(botId: BotId, upTo: number, leased: Leased): Promise<void>
}

/** Removes the events of deleted bots, so that a later bot with the same ID neither receives nor shows them. */
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
   * After a deletion, call this with `keep` to free the space while runtimes finish their leased events. Before the ID
   * is reused, call this with `remove`, which also removes events left behind if a node was killed.
   */
  async discardEvents(botId: BotId, leased: Leased): Promise<void> {
    if (!(await this.#bots.isDeleted(botId))) return
    // Checked again after the bound is read: another node could have created a new bot in between, and the bound would
    // then include the new bot's webhooks.
    const upTo = await this.#events.lastAccepted(botId)
    if (await this.#bots.isDeleted(botId)) await this.#events.discard(botId, upTo, leased)
  }
}
