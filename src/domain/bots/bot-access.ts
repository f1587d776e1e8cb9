import type { Origin } from '../audit/audit-event.ts'
import type { BotId, UserId } from '../ids.ts'
import type { Bot } from './bot.ts'
import { BotRefusal } from './bot-refusal.ts'
import { type BotAction, type BotStanding, mayDo } from './bot-rights.ts'
import type { BotStore } from './bot-store.ts'

/** A person who changes something about a bot, and from where. */
export interface By {
  userId: UserId
  origin: Origin
}

/** A bot, and what the user is to it. */
export interface AccessibleBot extends BotStanding {
  bot: Bot
}

/** Who may do what with which bot, as stored now. What people do at pages asks here first. */
export class BotAccess {
  readonly #bots: BotStore

  constructor(bots: BotStore) {
    this.#bots = bots
  }

  /**
   * The bot, and what the user is to it.
   *
   * @throws BotRefusal `bot-unknown` when there is no such bot or it is no business of the user's, which is told
   * apart by nothing; `not-allowed` when the user has a part in it, but not this one.
   */
  async demand(userId: UserId, botId: BotId, action: BotAction): Promise<AccessibleBot> {
    const bot = await this.#bots.findBot(botId)
    const standing = bot && (await this.#standing(userId, bot))
    if (bot === undefined || standing === undefined) {
      throw new BotRefusal('bot-unknown', { detail: `bot ${botId}, user ${userId}` })
    }
    if (!mayDo(standing, action)) {
      throw new BotRefusal('not-allowed', { detail: `${action}, bot ${botId}, user ${userId}, ${standing.role}` })
    }
    return { bot, ...standing }
  }

  async #standing(userId: UserId, { id, ownerId }: Bot): Promise<BotStanding | undefined> {
    if (ownerId === userId) return { role: 'owner', capabilities: [] }
    const coworker = await this.#bots.findCoworker(id, userId)
    return coworker && { role: coworker.role, capabilities: coworker.capabilities }
  }
}
