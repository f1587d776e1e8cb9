import { type BotId, type ChatPlatformId, parseBotId, parseChatPlatformId, type UserId } from '../ids.ts'

export const hostingLocations = ['local', 'cloud'] as const
export type HostingLocation = (typeof hostingLocations)[number]

/** Roles that collaborators can have. The owner is not a collaborator. */
export const coworkerRoles = ['editor', 'viewer'] as const
export type CoworkerRole = (typeof coworkerRoles)[number]
export type Role = 'owner' | CoworkerRole

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

export interface Coworker {
  userId: UserId
  role: CoworkerRole
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
