import type { UserStore } from '../../src/domain/accounts/user-store.ts'
import type { AuditStore } from '../../src/domain/audit/audit-store.ts'
import type { BotStore, StoredBotChange } from '../../src/domain/bots/bot-store.ts'
import type { FlowStore } from '../../src/domain/bots/flow-store.ts'
import type { HeartbeatReport } from '../../src/domain/bots/gateway-snapshot.ts'
import type { RuntimeLogStore } from '../../src/domain/bots/runtime-log-store.ts'
import type { RuntimeStore } from '../../src/domain/bots/runtime-store.ts'
import type { SnapshotStore } from '../../src/domain/bots/snapshot-store.ts'
import type { StatusHistoryStore } from '../../src/domain/bots/status-history-store.ts'
import type { StatusNoticeStore } from '../../src/domain/bots/status-notice-store.ts'
import { parseBotId, parseChatPlatformId, parseFlowId, parseRuntimeId, parseUserId } from '../../src/domain/ids.ts'
import type { ProfileStore } from '../../src/domain/profile/profile-store.ts'
import type { ListenerStore } from '../../src/domain/webhooks/listener.ts'

/** The stores about bots on one database, with the users that they refer to. */
export interface BotStores {
  users: UserStore
  bots: BotStore
  flows: FlowStore
  runtimes: RuntimeStore
  runtimeLogs: RuntimeLogStore
  snapshots: SnapshotStore
  statusHistory: StatusHistoryStore
  statusNotices: StatusNoticeStore
  profiles: ProfileStore
  auditEvents: AuditStore
  listeners: ListenerStore
}

export const userId = (text: string) => parseUserId(text)!
export const botId = (text: string) => parseBotId(text)!
export const flowId = (text: string) => parseFlowId(text)!
export const runtimeId = (text: string) => parseRuntimeId(text)!
export const snowflake = (end: number) => parseChatPlatformId(`1234567890123450${String(end).padStart(2, '0')}`)!

export const nowMs = 1_000_000

/** Users `ada`, `bob` and `cleo`, and nothing else. */
export async function withPeople(stores: BotStores): Promise<BotStores> {
  for (const name of ['Ada', 'Bob', 'Cleo']) await stores.users.putUser(userId(name.toLowerCase()), { name }, nowMs)
  return stores
}

/** What makes a bot of Ada's; `end` tells bots apart. */
export function aBot(end: number, change: Partial<StoredBotChange> = {}): StoredBotChange {
  return { ownerId: userId('ada'), name: `Bot ${end}`, chatPlatformId: snowflake(end), ...change }
}

export function aReport(id: string, report: Partial<HeartbeatReport> = {}): HeartbeatReport {
  return { botId: botId(id), ready: true, presence: 'online', uptimeMs: 5_000, guildCount: 3, shardCount: 1, ...report }
}
