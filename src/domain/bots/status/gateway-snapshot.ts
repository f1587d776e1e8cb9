import type { BotId } from '../../ids.ts'
import { snapshotFreshForMs } from '../../limits/limits.ts'

export const presences = ['online', 'idle', 'dnd', 'invisible'] as const
export type Presence = (typeof presences)[number]

/** A runtime's report on a bot. Values that the runtime doesn't know are `null`. */
export interface HeartbeatReport {
  botId: BotId
  /** Whether the bot's connection to the chat platform is ready. */
  ready: boolean
  presence: Presence | null
  uptimeMs: number | null
  guildCount: number | null
  shardCount: number | null
}

/** A bot's last heartbeat, with the time at which the service received it. */
export interface GatewaySnapshot extends HeartbeatReport {
  reportedAtMs: number
  hasLeft: boolean
}

/**
 * Returns whether the snapshot is fresh: at most 90 seconds old (specification, "Limits"), and the runtime hasn't
 * signed off with `bye` since.
 */
export function isFresh(snapshot: GatewaySnapshot, nowMs: number): boolean {
  return !snapshot.hasLeft && nowMs - snapshot.reportedAtMs <= snapshotFreshForMs
}
