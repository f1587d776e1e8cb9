import type { StoredBotChange } from '../../src/domain/bots/bot.ts'
import type { BotEvents } from '../../src/domain/bots/deleted-bots.ts'
import type { HeartbeatReport } from '../../src/domain/bots/status/snapshots.ts'
import {
  parseBotId,
  parseChatPlatformId,
  parseFlowId,
  parseRuntimeId,
  parseUserId,
} from '../../src/domain/ids-and-secrets.ts'
import type { IdentityStores } from '../../src/storage/sql/identity-stores.ts'

export const userId = (text: string) => parseUserId(text)!
export const botId = (text: string) => parseBotId(text)!
export const flowId = (text: string) => parseFlowId(text)!
export const runtimeId = (text: string) => parseRuntimeId(text)!
export const snowflake = (end: number) => parseChatPlatformId(`1234567890123450${String(end).padStart(2, '0')}`)!

export const nowMs = 1_000_000

/** Adds the users `ada`, `bob` and `cleo` and returns the stores. */
export async function withPeople<Stores extends Pick<IdentityStores, 'users'>>(stores: Stores): Promise<Stores> {
  for (const name of ['Ada', 'Bob', 'Cleo']) await stores.users.putUser(userId(name.toLowerCase()), { name }, nowMs)
  return stores
}

/** A fake queue that contains no events. */
const nothing = async () => {}
export const noEvents: BotEvents = { lastAccepted: async () => 0, applyFlowSettings: nothing, discard: nothing }

/** Returns the input for a bot owned by Ada. The bot's name and chat-platform ID end with the number `end`. */
export function aBot(end: number, change: Partial<StoredBotChange> = {}): StoredBotChange {
  return { ownerId: userId('ada'), name: `Bot ${end}`, chatPlatformId: snowflake(end), ...change }
}

export function aReport(id: string, report: Partial<HeartbeatReport> = {}): HeartbeatReport {
  return { botId: botId(id), ready: true, presence: 'online', uptimeMs: 5_000, guildCount: 3, shardCount: 1, ...report }
}
