import type { CoworkerRole, Role } from '../bots/bot.ts'
import type { LogLevel } from '../bots/runtimes/runtime-log.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

/** What an application learns of a user: `sub` and `serviceId` always, each other member with its scope only. */
export interface Userinfo {
  sub: UserId
  serviceId: UserId
  /** `user.identify`, as the next two. */
  name?: string
  /** Only when the user has linked an account. */
  chatPlatformId?: ChatPlatformId
  /** Bots in which the user has any role. */
  botCount?: number
  /** `user.email`. Only when the user has one, and has verified it where mail can be sent. */
  email?: string
  /** `user.connections.read`. */
  connections?: { chatPlatform: boolean; codeHosting: boolean; passkey: boolean }
  /** `bots.read`. Those in which the user has any role, in the order they were made; so with the next two. */
  bots?: {
    id: BotId
    name: string
    avatar: string | null
    status: 'online' | 'offline'
    plan: string
    role: Role
  }[]
  /** `flows.read`. */
  flows?: { botId: BotId; kind: string; name: string; publicCode: string | null }[]
  /** `guilds.read`. */
  guilds?: { botId: BotId; guildIds: readonly string[] }[]
  /** `logs.read`. Of the user's bots, newest first. */
  logs?: { botId: BotId; at: string; level: LogLevel; message: string }[]
  /** `cowork.read`. On the bots that the user owns. */
  coworkers?: { botId: BotId; userId: UserId; name: string; role: CoworkerRole; capabilities: readonly string[] }[]
}
