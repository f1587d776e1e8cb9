import type { BotId } from '../ids-and-secrets.ts'
import type { BotStore } from './bot.ts'

export type Leased = 'keep' | 'remove'

export interface BotEvents {
  /** Every event accepted so far has at most this number, every later one a greater number. */
  lastAccepted(botId: BotId): Promise<number>
  /** Must be called after the settings of a flow have changed, so that they hold for all its unfinished events. */
  applyFlowSettings(botId: BotId): Promise<void>
  /** Also removes the bot's deduplication marks and hourly counts. */
  discard(botId: BotId, upTo: number, leased: Leased): Promise<void>
}

export type DiscardOfDeleted = ReturnType<typeof createDiscardOfDeleted>

/**
 * Returns a function that removes a deleted bot's events, so that a later bot with the same ID neither receives nor
 * shows them. Idempotent. `leased` is `keep` after a deletion: runtimes finish what they have leased. It is `remove`
 * before the ID is reused: this also removes leased events, and those left because a node was killed before the first
 * call.
 */
export function createDiscardOfDeleted(bots: Pick<BotStore, 'isDeleted'>, events: BotEvents) {
  return async (botId: BotId, leased: Leased): Promise<void> => {
    if (!(await bots.isDeleted(botId))) return
    // Another node may reuse the ID before the bound is read, which then covers the new bot's events. So check again.
    const upTo = await events.lastAccepted(botId)
    if (await bots.isDeleted(botId)) await events.discard(botId, upTo, leased)
  }
}
