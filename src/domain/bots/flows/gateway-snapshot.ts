import type { BotId } from '../../ids.ts'
import { snapshotFreshForMs } from '../../limits/limits.ts'

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
  /** Its runtime has said goodbye since. */
  hasLeft: boolean
}

/** Whether the snapshot still tells how the bot is: for 90 seconds (specification, "Limits"), or until goodbye. */
export function isFresh(snapshot: GatewaySnapshot, nowMs: number): boolean {
  return !snapshot.hasLeft && nowMs - snapshot.reportedAtMs <= snapshotFreshForMs
}
