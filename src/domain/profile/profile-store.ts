import type { Coworker } from '../bots/bot.ts'
import type { ListedBot } from '../bots/bot-store.ts'
import type { RuntimeLogEntry } from '../bots/runtimes/runtime-log.ts'
import type { BotId, ChatPlatformId, UserId } from '../ids.ts'

export interface ProfileParts {
  botCount: boolean
  bots: boolean
  flows: boolean
  guilds: boolean
  logs: boolean
  coworkers: boolean
}

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
  coworkers: (Coworker & { botId: BotId; name: string })[]
}

export interface ProfileStore {
  /**
   * Reads the requested parts in one consistent snapshot. All other parts are empty. Excludes deleted bots. The limits
   * on list lengths are in `limits.ts`.
   */
  readProfile(userId: UserId, wanted: ProfileParts): Promise<ProfileReading | undefined>
}
