import type { GatewaySnapshot, Presence } from '../../domain/bots/gateway-snapshot.ts'
import type { SnapshotStore } from '../../domain/bots/snapshot-store.ts'
import type { BotId } from '../../domain/ids.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** A snapshot as read beside its bot; all null when the bot has none. */
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

/** The last heartbeat of each bot in SQLite. */
export function sqliteSnapshots(file: SqliteFile): SnapshotStore {
  const keep = file.statement(
    `INSERT INTO snapshots (bot_id, ${snapshotColumns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reported_at_ms = excluded.reported_at_ms, ready = excluded.ready,
       presence = excluded.presence, uptime_ms = excluded.uptime_ms, guild_count = excluded.guild_count,
       shard_count = excluded.shard_count, has_left = excluded.has_left
     WHERE excluded.reported_at_ms >= snapshots.reported_at_ms`,
  )
  const leave = file.statement('UPDATE snapshots SET has_left = 1 WHERE bot_id = ? AND reported_at_ms <= ?')
  return {
    applySnapshots: (changes) =>
      file.write(() => {
        for (const change of changes) {
          if (change.kind === 'left') {
            leave.run(change.botId, change.leftAtMs)
            continue
          }
          const { botId, reportedAtMs, ready, presence, uptimeMs, guildCount, shardCount, hasLeft } = change.snapshot
          keep.run(botId, reportedAtMs, Number(ready), presence, uptimeMs, guildCount, shardCount, Number(hasLeft))
        }
      }),
  }
}

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
