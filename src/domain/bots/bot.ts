import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

export const hostingLocations = ['local', 'cloud'] as const
export type HostingLocation = (typeof hostingLocations)[number]

/** What a user may be to a bot. The owner is not a coworker. */
export const coworkerRoles = ['editor', 'viewer'] as const
export type CoworkerRole = (typeof coworkerRoles)[number]
export type Role = 'owner' | CoworkerRole

export interface Bot {
  id: BotId
  ownerId: UserId
  name: string
  /** The bot's application on the chat platform; no two live bots have the same. */
  chatPlatformId: ChatPlatformId
  /** Address of its picture. */
  avatar: string | null
  plan: string
  /** Whether hosting is powered on. */
  hostingEnabled: boolean
  hostingLocation: HostingLocation | null
  /** Whether its owner has opened its status to the public. */
  publicStatus: boolean
  createdAtMs: number
}

export interface Coworker {
  userId: UserId
  role: CoworkerRole
  capabilities: readonly string[]
}
