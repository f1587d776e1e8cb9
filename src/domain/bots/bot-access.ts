import type { AuditEntry, Origin } from '../audit/audit-event.ts'
import type { BotId, UserId } from '../ids.ts'
import type { Bot } from './bot.ts'
import { BotRefusal } from './bot-refusal.ts'
import { type BotAction, type BotMembership, mayDo } from './bot-rights.ts'
import type { BotStore } from './bot-store.ts'

/** The user who makes a change, and the origin of the request. */
export interface Actor {
  userId: UserId
  origin: Origin
}

/** Returns the audit entry for the actor's change to the bot. */
export function botAuditEntry(
  kind: AuditEntry['kind'],
  botId: BotId,
  { userId, origin }: Actor,
  detail: Record<string, string>,
): AuditEntry {
  return { kind, actor: 'user', origin, userId, botId, detail }
}

export interface AccessibleBot extends BotMembership {
  bot: Bot
}

/**
 * Checks what a user may do with a bot, based on the stored state. Every action on the bot pages starts with this
 * check.
 */
export class BotAccess {
  readonly #bots: BotStore

  constructor(bots: BotStore) {
    this.#bots = bots
  }

  /**
   * Returns the bot and the user's role if the user may perform the action.
   *
   * @throws BotRefusal `bot-unknown` if the bot does not exist or the user has no role in it, so that the two cases are
   * indistinguishable; `not-allowed` if the user's role doesn't permit the action.
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

  /** Returns whether the user may perform the action. */
  async may(userId: UserId, botId: BotId, action: BotAction): Promise<boolean> {
    const bot = await this.#bots.findBot(botId)
    const standing = bot && (await this.#standing(userId, bot))
    return standing !== undefined && mayDo(standing, action)
  }

  async #standing(userId: UserId, { id, ownerId }: Bot): Promise<BotMembership | undefined> {
    if (ownerId === userId) return { role: 'owner', capabilities: [] }
    const coworker = await this.#bots.findCoworker(id, userId)
    return coworker && { role: coworker.role, capabilities: coworker.capabilities }
  }
}
