import type { Collaborator, ListedBot } from '../bots/bot.ts'
import type { Bots } from '../bots/bots.ts'
import type { RuntimeLogEntry } from '../bots/runtimes/runtime-logs.ts'
import { botStatus } from '../bots/status/bot-status.ts'
import type { Clock } from '../clock.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids-and-secrets.ts'

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
    /**
     * Returns the userinfo response, read in one consistent snapshot: the members that these scopes allow, besides `sub`
     * and `serviceId`. Bots are those in which the user has any role, oldest first; flows and servers are those of the same
     * bots, and collaborators those of the bots that the user owns. Log entries are newest first.
     */
    async userinfo(userId: UserId, scopes: readonly string[]) {
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
      const { name, email, chatPlatformId, hasCodeHosting: codeHosting, hasPasskey: passkey, botCount } = reading
      const showsEmail = email !== null && (reading.emailVerified || !verifiedEmailOnly)
      return {
        sub: userId,
        serviceId: userId,
        ...(granted('user.identify') && { name, ...(chatPlatformId !== null && { chatPlatformId }), botCount }),
        ...(granted('user.email') && showsEmail && { email }),
        ...(granted('user.connections.read') && {
          connections: { chatPlatform: chatPlatformId !== null, codeHosting, passkey },
        }),
        ...(granted('bots.read') && {
          bots: reading.bots.map(({ bot, role, snapshot }) => {
            const { online } = botStatus(bot, over(bot.id, snapshot), clock.nowMs())
            const { id, name, avatar, plan } = bot
            return { id, name, avatar, status: online ? ('online' as const) : ('offline' as const), plan, role }
          }),
        }),
        ...(granted('flows.read') && { flows: reading.flows }),
        ...(granted('guilds.read') && { guilds: reading.guilds }),
        ...(granted('logs.read') && {
          logs: reading.logs.map(({ botId, atMs, level, message }) => {
            return { botId, at: new Date(atMs).toISOString(), level, message }
          }),
        }),
        ...(granted('cowork.read') && { coworkers: reading.coworkers }),
      }
    },
  }
}
