import type { Bots } from '../bots/bots.ts'
import { botStatus } from '../bots/status/bot-status.ts'
import type { Clock } from '../clock.ts'
import type { UserId } from '../ids.ts'
import type { ProfileReading, ProfileStore } from './profile-store.ts'
import type { Userinfo } from './userinfo.ts'

export class Profile {
  readonly #store: ProfileStore
  readonly #bots: Pick<Bots, 'snapshots'>
  readonly #clock: Clock
  readonly #verifiedEmailOnly: boolean

  /** @param verifiedEmailOnly whether an unverified email address is omitted. */
  constructor({
    store,
    bots,
    clock,
    verifiedEmailOnly,
  }: {
    store: ProfileStore
    bots: Pick<Bots, 'snapshots'>
    clock: Clock
    verifiedEmailOnly: boolean
  }) {
    this.#store = store
    this.#bots = bots
    this.#clock = clock
    this.#verifiedEmailOnly = verifiedEmailOnly
  }

  /** Returns the userinfo members that these scopes allow, read in one consistent snapshot of the store. */
  async userinfo(userId: UserId, scopes: readonly string[]): Promise<Userinfo> {
    const granted = (scope: string) => scopes.includes(scope)
    const reading = await this.#store.readProfile(userId, {
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
    const showsEmail = reading.emailVerified || !this.#verifiedEmailOnly
    if (granted('user.email') && reading.email !== null && showsEmail) userinfo.email = reading.email
    if (granted('user.connections.read')) userinfo.connections = connectionsOf(reading)
    if (granted('bots.read')) userinfo.bots = reading.bots.map((entry) => this.#botEntry(entry))
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
    if (granted('cowork.read')) {
      userinfo.coworkers = reading.coworkers.map(({ botId, userId, name, role, capabilities }) => ({
        botId,
        userId,
        name,
        role,
        capabilities,
      }))
    }
    return userinfo
  }

  #botEntry({ bot, role, snapshot }: ProfileReading['bots'][number]): NonNullable<Userinfo['bots']>[number] {
    const { online } = botStatus(bot, this.#bots.snapshots.over(bot.id, snapshot), this.#clock.nowMs())
    const { id, name, avatar, plan } = bot
    return { id, name, avatar, status: online ? 'online' : 'offline', plan, role }
  }
}

function connectionsOf({
  chatPlatformId,
  hasCodeHosting,
  hasPasskey,
}: ProfileReading): NonNullable<Userinfo['connections']> {
  return { chatPlatform: chatPlatformId !== null, codeHosting: hasCodeHosting, passkey: hasPasskey }
}
