import type { BotId } from '../ids.ts'
import { snapshotFreshForMs } from '../limits.ts'

export const presences = ['online', 'idle', 'dnd', 'invisible'] as const
export type Presence = (typeof presences)[number]

/** What a runtime says of a bot in a heartbeat. Null where it does not know. */
export interface HeartbeatReport {
  botId: BotId
  /** Whether the bot's connection to the chat platform is ready. */
  ready: boolean
  presence: Presence | null
  /** How long the bot's client has been up. */
  uptimeMs: number | null
  guildCount: number | null
  shardCount: number | null
}

/** The last heartbeat of a bot, by the time at which we received it. */
export interface GatewaySnapshot extends HeartbeatReport {
  reportedAtMs: number
}

/** Whether the snapshot still tells how the bot is (specification, "Limits"). */
export function isFresh(snapshot: GatewaySnapshot, nowMs: number): boolean {
  return nowMs - snapshot.reportedAtMs <= snapshotFreshForMs
}

/** A snapshot once its runtime has said goodbye: offline at once, and only the time of the heartbeat remains. */
export function afterLeaving({ botId, reportedAtMs }: GatewaySnapshot): GatewaySnapshot {
  return { botId, reportedAtMs, ready: false, presence: null, uptimeMs: null, guildCount: null, shardCount: null }
}
