import type { Collaborator, ListedBot, Role } from '../bots/bot.ts'
import type { Bots } from '../bots/bots.ts'
import type { LogLevel, RuntimeLogEntry } from '../bots/runtimes/runtime-logs.ts'
import { botStatus } from '../bots/status/bot-status.ts'
import type { Clock } from '../clock.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids-and-secrets.ts'

/** The userinfo response. `sub` and `serviceId` are always present. Every other member requires its scope. */
interface Userinfo {
  sub: UserId
  serviceId: UserId
  /** The user's name. Requires scope `user.identify`, like the next two members. */
  name?: string
  /** Only if the user has linked a chat-platform account. */
  chatPlatformId?: ChatPlatformId
  /** Number of bots in which the user has any role. */
  botCount?: number
  /** Requires scope `user.email`. If the service sends email, the address must be verified. */
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
  flows?: ProfileReading['flows']
  /** Server IDs per bot. Requires scope `guilds.read`. */
  guilds?: ProfileReading['guilds']
  /** Log entries of the user's bots, newest first. Requires scope `logs.read`. */
  logs?: { botId: BotId; at: string; level: LogLevel; message: string }[]
  /** Collaborators on the bots that the user owns. Requires scope `cowork.read`. */
  coworkers?: ProfileReading['coworkers']
}

export type ProfileParts = Record<'botCount' | 'bots' | 'flows' | 'guilds' | 'logs' | 'coworkers', boolean>

export interface ProfileReading {
  name: string
  email: string | null
  emailVerified: boolean
  chatPlatformId: ChatPlatformId | null
  hasCodeHosting: boolean
  hasPasskey: boolean
  botCount: number
  bots: ListedBot[]
  flows: { botId: BotId; kind: string; name: string; publicCode: string | null }[]
  guilds: { botId: BotId; guildIds: readonly string[] }[]
  logs: RuntimeLogEntry[]
  coworkers: (Collaborator & { botId: BotId; name: string })[]
}

export interface ProfileStore {
  /** In one consistent snapshot. Parts that are not wanted are empty. Excludes deleted bots. */
  readProfile(userId: UserId, wanted: ProfileParts): Promise<ProfileReading | undefined>
}

export type Profile = ReturnType<typeof createProfile>

export function createProfile(parts: {
  store: ProfileStore
  bots: Pick<Bots, 'snapshots'>
  clock: Clock
  verifiedEmailOnly: boolean
}) {
  const { store, bots, clock, verifiedEmailOnly } = parts

  return {
    /** Returns the members that these scopes allow, read in one consistent snapshot. */
    async userinfo(userId: UserId, scopes: readonly string[]): Promise<Userinfo> {
      const granted = (scope: string) => scopes.includes(scope)
      const over = bots.snapshots.overlay()
      const reading = await store.readProfile(userId, {
        botCount: granted('user.identify'),
        bots: granted('bots.read'),
        flows: granted('flows.read'),
        guilds: granted('guilds.read'),
        logs: granted('logs.read'),
        coworkers: granted('cowork.read'),
      })
      if (reading === undefined) throw new Error(`user ${userId} has a token but does not exist`)
      const userinfo: Userinfo = { sub: userId, serviceId: userId }
      if (granted('user.identify')) {
        userinfo.name = reading.name
        if (reading.chatPlatformId !== null) userinfo.chatPlatformId = reading.chatPlatformId
        userinfo.botCount = reading.botCount
      }
      const showsEmail = reading.emailVerified || !verifiedEmailOnly
      if (granted('user.email') && reading.email !== null && showsEmail) userinfo.email = reading.email
      if (granted('user.connections.read')) {
        const { chatPlatformId, hasCodeHosting: codeHosting, hasPasskey: passkey } = reading
        userinfo.connections = { chatPlatform: chatPlatformId !== null, codeHosting, passkey }
      }
      if (granted('bots.read'))
        userinfo.bots = reading.bots.map(({ bot, role, snapshot }) => {
          const { online } = botStatus(bot, over(bot.id, snapshot), clock.nowMs())
          const { id, name, avatar, plan } = bot
          return { id, name, avatar, status: online ? 'online' : 'offline', plan, role }
        })
      if (granted('flows.read')) userinfo.flows = reading.flows
      if (granted('guilds.read')) userinfo.guilds = reading.guilds
      if (granted('logs.read')) {
        userinfo.logs = reading.logs.map(({ botId, atMs, level, message }) => ({
          botId,
          at: new Date(atMs).toISOString(),
          level,
          message,
        }))
      }
      if (granted('cowork.read')) userinfo.coworkers = reading.coworkers
      return userinfo
    },
  }
}
