import type { Recorded } from '../audit/audit.ts'
import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId, type UserId } from '../ids-and-secrets.ts'
import type { NewestFirst } from '../list-page.ts'
import type { PutOutcome } from '../put-outcome.ts'
import type { GatewaySnapshot } from './status/snapshots.ts'

export const hostingLocations = ['local', 'cloud'] as const
export type HostingLocation = (typeof hostingLocations)[number]

/** The owner is not a collaborator. */
export const collaboratorRoles = ['editor', 'viewer'] as const
export type CollaboratorRole = (typeof collaboratorRoles)[number]
export type Role = 'owner' | CollaboratorRole

export interface Bot {
  id: BotId
  ownerId: UserId
  name: string
  /** Unique among bots that aren't deleted. */
  chatPlatformId: ChatPlatformId
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

/** The two ID formats never overlap, so a text identifies at most one bot. */
export type BotRef = { kind: 'chat-platform-id'; id: ChatPlatformId } | { kind: 'bot-id'; id: BotId }

export function parseBotRef(text: string): BotRef | undefined {
  const chatPlatformId = parseChatPlatformId(text)
  if (chatPlatformId !== undefined) return { kind: 'chat-platform-id', id: chatPlatformId }
  const botId = parseBotId(text)
  return botId === undefined ? undefined : { kind: 'bot-id', id: botId }
}

/** A change by the operator. Omitted fields keep their stored values; in a new bot, they get their defaults. */
export type StoredBotChange = Pick<Bot, 'ownerId' | 'name' | 'chatPlatformId'> &
  Partial<Pick<Bot, keyof typeof newBotDefaults>>

export type BotSwitches = Partial<Pick<Bot, 'hostingEnabled' | 'hostingLocation' | 'publicStatus'>>

export interface NamedCollaborator extends Collaborator {
  name: string
}

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

type PutBotOutcome = { kind: 'created'; bot: Bot } | ChangedBot | { kind: 'owner-unknown' | 'chat-platform-id-taken' }

export type PutCollaboratorOutcome =
  | PutOutcome
  | 'bot-unknown'
  | 'user-unknown'
  | 'user-is-owner'
  | 'collaborators-too-many'

export type HostableBot = Pick<Bot, 'id' | 'ownerId' | 'hostingEnabled'>

export interface StatusNotice {
  /** A single line of 1 to 200 characters. */
  text: string
  setAtMs: number
}

export interface StoredPublicBot {
  bot: Bot
  snapshot: GatewaySnapshot | undefined
  notice: StatusNotice | undefined
}

export interface ChangedBot {
  kind: 'changed' | 'unchanged'
  bot: Bot
  before: Bot
}

/** Each method is one transaction. To all but `isDeleted` and `listChangedSince`, a deleted bot does not exist. */
export interface BotStore {
  /** A new bot with a deleted bot's ID gets none of its data. A user who becomes owner stops being a collaborator. */
  putBot(id: BotId, change: StoredBotChange, nowMs: number): Promise<PutBotOutcome>
  findBot(id: BotId): Promise<Bot | undefined>
  isDeleted(id: BotId): Promise<boolean>
  /** Like `findPublic`, even if the status isn't public. */
  findWithStatus(id: BotId): Promise<StoredPublicBot | undefined>
  changeSwitches: Recorded<[id: BotId, switches: BotSwitches, nowMs: number], ChangedBot | undefined>
  listBots(
    values: { ownerId?: UserId | undefined; chatPlatformId?: ChatPlatformId | undefined },
    request: NewestFirst,
  ): Promise<StoredPublicBot[]>
  /** Bots in which the user has any role, oldest first. */
  listOfUser(userId: UserId, most: number): Promise<ListedBot[]>
  removeBot(id: BotId, nowMs: number): Promise<boolean>
  putCollaborator: Recorded<[botId: BotId, collaborator: Collaborator], PutCollaboratorOutcome>
  findCollaborator(botId: BotId, userId: UserId): Promise<Collaborator | undefined>
  /** Ordered by name. */
  listCollaborators(botId: BotId): Promise<NamedCollaborator[]>
  removeCollaborator: Recorded<[botId: BotId, userId: UserId], boolean>
  putGuilds(botId: BotId, guildIds: readonly string[]): Promise<'changed' | 'unchanged' | 'bot-unknown'>
  findGuilds(botId: BotId): Promise<readonly string[] | undefined>
  findPublic(ref: BotRef): Promise<StoredPublicBot | undefined>
  /** `null` clears the notice. One with the stored text keeps its time. Returns false if the bot does not exist. */
  putNotice(botId: BotId, notice: StatusNotice | null): Promise<boolean>
  findNotice(botId: BotId): Promise<StatusNotice | undefined>
  listForHosting(botIds: readonly string[]): Promise<HostableBot[]>
  /** Returns every bot if `ownerId` is `null`. */
  listAllForHosting(ownerId: UserId | null): Promise<HostableBot[]>
  /** Includes deleted bots. */
  listChangedSince(atMs: number): Promise<BotId[]>
}
