import type { Clock } from '../../clock.ts'
import type { BotId, UserId } from '../../ids.ts'
import { botsListedMax } from '../../limits/limits.ts'
import type { Bot, Role } from '../bot.ts'
import type { BotStore } from '../bot-store.ts'
import { type BotState, botState, botStatus } from './bot-status.ts'
import type { Snapshots } from './snapshots.ts'
import type { PublicBot } from './status-board.ts'

/** A bot as listed for its owner or a collaborator. */
export interface ListedBotState {
  bot: Bot
  role: Role
  state: BotState
  /** When the last heartbeat was received. `null` if the bot never had one. */
  reportedAtMs: number | null
}

/** Shows owners and collaborators the status of their bots, whether public or not. */
export class OwnStatus {
  readonly #store: BotStore
  readonly #snapshots: Snapshots
  readonly #clock: Clock

  constructor(parts: { bots: BotStore; snapshots: Snapshots; clock: Clock }) {
    this.#store = parts.bots
    this.#snapshots = parts.snapshots
    this.#clock = parts.clock
  }

  /** Returns the bots in which the user has any role, oldest first, up to {@link botsListedMax} bots. */
  async list(userId: UserId): Promise<ListedBotState[]> {
    const listed = await this.#store.listOfUser(userId, botsListedMax)
    const nowMs = this.#clock.nowMs()
    return listed.map(({ bot, role, snapshot: stored }) => {
      const snapshot = this.#snapshots.over(bot.id, stored)
      return { bot, role, state: botState(bot, snapshot, nowMs), reportedAtMs: snapshot?.reportedAtMs ?? null }
    })
  }

  /** Returns the bot's status, whether or not it is public. The caller checks access. */
  async find(botId: BotId): Promise<Pick<PublicBot, 'status' | 'state'> | undefined> {
    const found = await this.#store.findWithStatus(botId)
    if (found === undefined) return undefined
    const nowMs = this.#clock.nowMs()
    const snapshot = this.#snapshots.over(botId, found.snapshot)
    return { status: botStatus(found.bot, snapshot, nowMs), state: botState(found.bot, snapshot, nowMs) }
  }
}
