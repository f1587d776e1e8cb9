import type { CoworkerRole, Role } from '../bots/bot.ts'
import type { LogLevel } from '../bots/runtimes/runtime-log.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

/** The userinfo response. `sub` and `serviceId` are always present. Every other member requires its scope. */
export interface Userinfo {
  sub: UserId
  serviceId: UserId
  /** Scope `user.identify`, which the next two members also require. */
  name?: string
  /** Only present if the user has linked an account. */
  chatPlatformId?: ChatPlatformId
  /** Number of bots on which the user has any role. */
  botCount?: number
  /**
   * Scope `user.email`. Only present if the user has an address. If the service sends email, the address must be
   * verified.
   */
  email?: string
  /** Scope `user.connections.read`. */
  connections?: { chatPlatform: boolean; codeHosting: boolean; passkey: boolean }
  /** Scope `bots.read`. Bots on which the user has any role, oldest first. Flows and guilds cover the same bots. */
  bots?: {
    id: BotId
    name: string
    avatar: string | null
    status: 'online' | 'offline'
    plan: string
    role: Role
  }[]
  /** Scope `flows.read`. */
  flows?: { botId: BotId; kind: string; name: string; publicCode: string | null }[]
  /** Scope `guilds.read`. */
  guilds?: { botId: BotId; guildIds: readonly string[] }[]
  /** Scope `logs.read`. Logs for the same bots, newest first. */
  logs?: { botId: BotId; at: string; level: LogLevel; message: string }[]
  /** Scope `cowork.read`. Collaborators on the bots that the user owns. */
  coworkers?: { botId: BotId; userId: UserId; name: string; role: CoworkerRole; capabilities: readonly string[] }[]
}
