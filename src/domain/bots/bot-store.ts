import type { Recording } from '../audit/audit-event.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids.ts'
import type { Bot, Coworker, HostingLocation, Role } from './bot.ts'
import type { BotRef } from './bot-ref.ts'
import type { GatewaySnapshot } from './flows/gateway-snapshot.ts'
import type { StatusNotice } from './status/status-notice.ts'

/** What provisioning stores. An absent member keeps what is there, or takes its default in a new bot. */
export interface StoredBotChange {
  ownerId: UserId
  name: string
  chatPlatformId: ChatPlatformId
  avatar?: string | null
  plan?: string
  hostingEnabled?: boolean
  hostingLocation?: HostingLocation | null
  publicStatus?: boolean
}

/** What the people of a bot change themselves. An absent member keeps what is there. */
export type BotSwitches = Partial<Pick<Bot, 'hostingEnabled' | 'hostingLocation' | 'publicStatus'>>

/** A coworker with the name they go by now. */
export interface NamedCoworker extends Coworker {
  name: string
}

/** A bot as somebody who has a part in it sees it in a list, with its last stored snapshot. */
export interface ListedBot {
  bot: Bot
  role: Role
  snapshot: GatewaySnapshot | undefined
}

/** What a new bot is where nothing is said. */
export const newBotDefaults = {
  avatar: null,
  plan: 'free',
  hostingEnabled: false,
  hostingLocation: null,
  publicStatus: false,
} as const

export type PutBotOutcome =
  | { kind: 'created'; bot: Bot }
  | { kind: 'changed'; bot: Bot; before: Bot }
  | { kind: 'owner-unknown' }
  | { kind: 'chat-platform-id-taken' }

export type PutCoworkerOutcome = 'created' | 'changed' | 'bot-unknown' | 'user-unknown' | 'user-is-owner'

/** What decides whether a bot is hosted, and by whom. */
export interface HostableBot {
  id: BotId
  ownerId: UserId
  hostingEnabled: boolean
}

export interface StoredPublicBot {
  bot: Bot
  /** The last one stored. */
  snapshot: GatewaySnapshot | undefined
  notice: StatusNotice | undefined
}

/** A bot after and before a change. */
export interface ChangedBot {
  bot: Bot
  before: Bot
}

/** Each method is one transaction. A deleted bot is found by none of them, and neither is what belongs to it. */
export interface BotStore {
  /**
   * Creates or changes. The id of a deleted bot makes a new one, which has nothing of the old.
   * Whoever becomes the owner is no coworker any more.
   */
  putBot(id: BotId, change: StoredBotChange, nowMs: number): Promise<PutBotOutcome>
  findBot(id: BotId): Promise<Bot | undefined>
  /** As `findPublic`, also of a bot whose status is not public. */
  findWhole(id: BotId): Promise<StoredPublicBot | undefined>
  /** Changes what is given of a bot, and tells how it was before; undefined when there is none. */
  changeSwitches(
    id: BotId,
    switches: BotSwitches,
    nowMs: number,
    recording?: Recording<ChangedBot | undefined>,
  ): Promise<ChangedBot | undefined>
  /** The bots in which the user has any role, the oldest first. */
  listOfUser(userId: UserId, most: number): Promise<ListedBot[]>
  /** Marks it deleted. False when there is none. */
  removeBot(id: BotId, nowMs: number): Promise<boolean>
  putCoworker(botId: BotId, coworker: Coworker, recording?: Recording<PutCoworkerOutcome>): Promise<PutCoworkerOutcome>
  findCoworker(botId: BotId, userId: UserId): Promise<Coworker | undefined>
  /** By name. */
  listCoworkers(botId: BotId): Promise<NamedCoworker[]>
  /** False when the user was none. */
  removeCoworker(botId: BotId, userId: UserId, recording?: Recording<boolean>): Promise<boolean>
  /** Makes these, and no others, the servers the bot is in. False when there is no such bot. */
  putGuilds(botId: BotId, guildIds: readonly string[]): Promise<boolean>
  findGuilds(botId: BotId): Promise<readonly string[] | undefined>
  /** The bot with what a status page shows of it, in one read. One whose status is not public is as unknown as none. */
  findPublic(ref: BotRef): Promise<StoredPublicBot | undefined>
  /** Of the named bots those that exist. */
  listForHosting(botIds: readonly string[]): Promise<HostableBot[]>
  /** All bots of the owner; null: of everybody. */
  listAllForHosting(ownerId: UserId | null): Promise<HostableBot[]>
}
