import type { CoworkerRole, Role } from '../bots/bot.ts'
import type { LogLevel } from '../bots/runtimes/runtime-log.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

/** The userinfo response. `sub` and `serviceId` are always present. Every other member requires its scope. */
export interface Userinfo {
  sub: UserId
  serviceId: UserId
  /** The user's name. Requires scope `user.identify`, like the next two members. */
  name?: string
  /** The user's chat-platform ID. Only present if the user has linked a chat-platform account. */
  chatPlatformId?: ChatPlatformId
  /** Number of bots in which the user has any role. */
  botCount?: number
  /**
   * The user's email address, if there is one. Requires scope `user.email`. If the service sends email, the address
   * must be verified.
   */
  email?: string
  /** Kinds of accounts that are linked. Requires scope `user.connections.read`. */
  connections?: { chatPlatform: boolean; codeHosting: boolean; passkey: boolean }
  /**
   * Bots in which the user has any role, oldest first. Requires scope `bots.read`. `flows` and `guilds` cover the same
   * bots.
   */
  bots?: {
    id: BotId
    name: string
    avatar: string | null
    status: 'online' | 'offline'
    plan: string
    role: Role
  }[]
  /** Flows of the user's bots. Requires scope `flows.read`. */
  flows?: { botId: BotId; kind: string; name: string; publicCode: string | null }[]
  /** Server IDs per bot. Requires scope `guilds.read`. */
  guilds?: { botId: BotId; guildIds: readonly string[] }[]
  /** Log entries of the user's bots, newest first. Requires scope `logs.read`. */
  logs?: { botId: BotId; at: string; level: LogLevel; message: string }[]
  /** Collaborators on the bots that the user owns. Requires scope `cowork.read`. */
  coworkers?: { botId: BotId; userId: UserId; name: string; role: CoworkerRole; capabilities: readonly string[] }[]
}
