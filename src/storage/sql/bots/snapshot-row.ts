import type { GatewaySnapshot, Presence } from '../../../domain/bots/status/snapshots.ts'
import type { BotId } from '../../../domain/ids.ts'

/** The snapshot columns of a bot's row. All are null if the bot has no snapshot. */
export interface SnapshotRow {
  reported_at_ms: number | null
  ready: number | null
  presence: Presence | null
  uptime_ms: number | null
  guild_count: number | null
  shard_count: number | null
  has_left: number | null
}

export const snapshotColumns = 'reported_at_ms, ready, presence, uptime_ms, guild_count, shard_count, has_left'

export function asSnapshot(botId: BotId, row: SnapshotRow): GatewaySnapshot | undefined {
  if (row.reported_at_ms === null) return undefined
  return {
    botId,
    reportedAtMs: row.reported_at_ms,
    ready: row.ready === 1,
    presence: row.presence,
    uptimeMs: row.uptime_ms,
    guildCount: row.guild_count,
    shardCount: row.shard_count,
    hasLeft: row.has_left === 1,
  }
}
