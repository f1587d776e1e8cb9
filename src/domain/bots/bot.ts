import type { Recording } from '../audit/audit.ts'
import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId, type UserId } from '../ids.ts'
import type { NewestFirst } from '../list-page.ts'
import type { PutOutcome } from '../put-outcome.ts'
import type { GatewaySnapshot } from './status/snapshots.ts'
import type { StatusNotice } from './status/status-notice.ts'

export const hostingLocations = ['local', 'cloud'] as const
export type HostingLocation = (typeof hostingLocations)[number]

/** Roles that collaborators can have. The owner is not a collaborator. */
export const collaboratorRoles = ['editor', 'viewer'] as const
export type CollaboratorRole = (typeof collaboratorRoles)[number]
export type Role = 'owner' | CollaboratorRole

export interface Bot {
  id: BotId
  ownerId: UserId
  name: string
  /** The bot's ID on the chat platform. Unique among bots that aren't deleted. */
  chatPlatformId: ChatPlatformId
  /** URL of the bot's picture. */
  avatar: string | null
  plan: string
  hostingEnabled: boolean
  hostingLocation: HostingLocation | null
  publicStatus: boolean
  createdAtMs: number
}

export interface Collaborator {
  userId: UserId
  role: CollaboratorRole
  capabilities: readonly string[]
}

/** How a URL identifies a bot. The two ID formats never overlap, so a text identifies at most one bot. */
export type BotRef = { kind: 'chat-platform-id'; id: ChatPlatformId } | { kind: 'bot-id'; id: BotId }

/**
 * Parses 17 to 20 digits as a chat-platform ID and anything else as a bot ID. Returns `undefined` if the text is
 * neither kind of ID.
 */
export function parseBotRef(text: string): BotRef | undefined {
  const chatPlatformId = parseChatPlatformId(text)
  if (chatPlatformId !== undefined) return { kind: 'chat-platform-id', id: chatPlatformId }
  const botId = parseBotId(text)
  return botId === undefined ? undefined : { kind: 'bot-id', id: botId }
}

/**
 * A change to a bot by the operator. Omitted fields keep their stored values; in a new bot, they get their defaults.
 */
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

/** A change to a bot by its owner or collaborators. Omitted fields keep their stored values. */
export type BotSwitches = Partial<Pick<Bot, 'hostingEnabled' | 'hostingLocation' | 'publicStatus'>>

export interface NamedCollaborator extends Collaborator {
  name: string
}

/** A bot in a user's list of bots, with the last snapshot stored for it. */
export interface ListedBot {
  bot: Bot
  role: Role
  snapshot: GatewaySnapshot | undefined
}

export const newBotDefaults = {
  avatar: null,
  plan: 'free',
  hostingEnabled: false,
  hostingLocation: null,
  publicStatus: false,
} as const

type PutBotOutcome =
  | { kind: 'created'; bot: Bot }
  | { kind: 'changed' | 'unchanged'; bot: Bot; before: Bot }
  | { kind: 'owner-unknown' }
  | { kind: 'chat-platform-id-taken' }

export type PutCollaboratorOutcome =
  | PutOutcome
  | 'bot-unknown'
  | 'user-unknown'
  | 'user-is-owner'
  | 'collaborators-too-many'

/** The fields of a bot that determine whether the bot is hosted, and by which runtimes. */
export interface HostableBot {
  id: BotId
  ownerId: UserId
  hostingEnabled: boolean
}

export interface StoredPublicBot {
  bot: Bot
  snapshot: GatewaySnapshot | undefined
  notice: StatusNotice | undefined
}

interface ChangedBot {
  kind: 'changed' | 'unchanged'
  bot: Bot
  before: Bot
}

/**
 * Stores bots. Each method is one transaction. Only `isDeleted` sees deleted bots; all other methods behave as if a
 * deleted bot and its data did not exist.
 */
export interface BotStore {
  /**
   * Creates or changes a bot. Reusing a deleted bot's ID creates a new bot without the deleted bot's data. A user who
   * becomes the owner stops being a collaborator.
   */
  putBot(id: BotId, change: StoredBotChange, nowMs: number): Promise<PutBotOutcome>
  findBot(id: BotId): Promise<Bot | undefined>
  /** Returns whether the most recent bot with this ID was deleted. */
  isDeleted(id: BotId): Promise<boolean>
  /** Returns the bot like `findPublic`, even if its status isn't public. */
  findWithStatus(id: BotId): Promise<StoredPublicBot | undefined>
  /** Changes the given fields. Returns the bot before and after the change, or `undefined` if there is no such bot. */
  changeSwitches(
    id: BotId,
    switches: BotSwitches,
    nowMs: number,
    recording?: Recording<ChangedBot | undefined>,
  ): Promise<ChangedBot | undefined>
  /** Returns all bots with these values, newest first. An omitted value matches every bot. */
  listBots(
    values: { ownerId?: UserId | undefined; chatPlatformId?: ChatPlatformId | undefined },
    request: NewestFirst,
  ): Promise<StoredPublicBot[]>
  /** Returns the bots in which the user has any role, oldest first. */
  listOfUser(userId: UserId, most: number): Promise<ListedBot[]>
  /** Marks the bot as deleted. Returns false if there is no such bot. */
  removeBot(id: BotId, nowMs: number): Promise<boolean>
  putCollaborator(
    botId: BotId,
    collaborator: Collaborator,
    recording?: Recording<PutCollaboratorOutcome>,
  ): Promise<PutCollaboratorOutcome>
  findCollaborator(botId: BotId, userId: UserId): Promise<Collaborator | undefined>
  /** Returns the bot's collaborators, ordered by name. */
  listCollaborators(botId: BotId): Promise<NamedCollaborator[]>
  /** Removes a collaborator. Returns false if the user was not a collaborator. */
  removeCollaborator(botId: BotId, userId: UserId, recording?: Recording<boolean>): Promise<boolean>
  /** Replaces the bot's list of servers. Returns false if there is no such bot. */
  putGuilds(botId: BotId, guildIds: readonly string[]): Promise<'changed' | 'unchanged' | 'bot-unknown'>
  findGuilds(botId: BotId): Promise<readonly string[] | undefined>
  /**
   * Returns the bot with everything its status page shows. Returns `undefined` if there is no such bot, or if its
   * status isn't public.
   */
  findPublic(ref: BotRef): Promise<StoredPublicBot | undefined>
  /** Returns the bots with these IDs. Unknown IDs are omitted. */
  listForHosting(botIds: readonly string[]): Promise<HostableBot[]>
  /** Returns all of the owner's bots, or every bot if `ownerId` is `null`. */
  listAllForHosting(ownerId: UserId | null): Promise<HostableBot[]>
}
