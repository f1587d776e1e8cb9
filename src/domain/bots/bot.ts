import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

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
