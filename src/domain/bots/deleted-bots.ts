import type { BotId } from '../ids.ts'
import type { BotStore } from './bot.ts'

export type Leased = 'keep' | 'remove'

/** The event queue's operations for telling a bot's earlier events from later ones, and for deleting them. */
export interface BotEvents {
  /** Returns a number that every event accepted for the bot so far is at most at, and every later event is above. */
  lastAccepted(botId: BotId): Promise<number>
  /** Removes the bot's events up to `upTo`, along with its deduplication marks and hourly counts. */
  discard(botId: BotId, upTo: number, leased: Leased): Promise<void>
}

export type DeletedBots = ReturnType<typeof createDeletedBots>

/** Removes the events of deleted bots, so that a later bot with the same ID neither receives nor shows them. */
export function createDeletedBots(bots: Pick<BotStore, 'isDeleted'>, events: BotEvents) {
  return {
    /**
     * Removes the bot's events if the bot is deleted. Idempotent.
     *
     * `leased` is `keep` after a deletion: this frees space but lets runtimes finish the events that they have leased.
     * It is `remove` before the ID is reused: this also removes leased events, and any events left behind because a
     * node was killed before the first call.
     */
    async discardEvents(botId: BotId, leased: Leased): Promise<void> {
      if (!(await bots.isDeleted(botId))) return
      // Another node may create a new bot with this ID before the bound is read. The bound then covers the new bot's
      // events, so check again that the bot is still deleted.
      const upTo = await events.lastAccepted(botId)
      if (await bots.isDeleted(botId)) await events.discard(botId, upTo, leased)
    },
  }
}
