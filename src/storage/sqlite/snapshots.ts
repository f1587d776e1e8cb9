import type { SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import { heartbeatFlushMs } from '../../domain/limits/limits.ts'
import { snapshotColumns } from '../sql/bots/snapshot-row.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** The last heartbeat of each bot, in SQLite. */
export function sqliteSnapshots(file: SqliteFile): SnapshotStore {
  const upsert = file.statement(
    `INSERT INTO snapshots (bot_id, ${snapshotColumns})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reported_at_ms = excluded.reported_at_ms, ready = excluded.ready,
       presence = excluded.presence, uptime_ms = excluded.uptime_ms, guild_count = excluded.guild_count,
       shard_count = excluded.shard_count, has_left = excluded.has_left
     WHERE excluded.reported_at_ms >= snapshots.reported_at_ms`,
  )
  const markLeft = file.statement('UPDATE snapshots SET has_left = 1 WHERE bot_id = ? AND reported_at_ms <= ?')
  return {
    flushEveryMs: heartbeatFlushMs,
    applySnapshots: (changes) =>
      file.write(() => {
        for (const change of changes) {
          if (change.kind === 'left') {
            markLeft.run(change.botId, change.leftAtMs)
            continue
          }
          const { botId, reportedAtMs, ready, presence, uptimeMs, guildCount, shardCount, hasLeft } = change.snapshot
          upsert.run(botId, reportedAtMs, Number(ready), presence, uptimeMs, guildCount, shardCount, Number(hasLeft))
        }
      }),
  }
}
