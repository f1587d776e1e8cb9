import type { GatewaySnapshot, SnapshotChange, SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import * as limits from '../../domain/limits/limits.ts'
import { snapshotColumns } from '../sql/bots/bot-rows.ts'
import type { PostgresDatabase } from './postgres-database.ts'

const upsertSnapshots = `INSERT INTO snapshots (bot_id, ${snapshotColumns.text})
  SELECT bot_id, ${snapshotColumns.text} FROM json_to_recordset($1::json) AS given (bot_id text, reported_at_ms bigint,
    ready bigint, presence text, uptime_ms bigint, guild_count bigint, shard_count bigint, has_left bigint)
  ORDER BY bot_id COLLATE "C"
  ON CONFLICT (bot_id) DO UPDATE SET reported_at_ms = excluded.reported_at_ms, ready = excluded.ready,
    presence = excluded.presence, uptime_ms = excluded.uptime_ms, guild_count = excluded.guild_count,
    shard_count = excluded.shard_count, has_left = excluded.has_left
  WHERE excluded.reported_at_ms >= snapshots.reported_at_ms`

const markLeft = `UPDATE snapshots SET has_left = 1
  FROM (
    SELECT bot_id, max(left_at_ms) AS left_at_ms
    FROM json_to_recordset($1::json) AS given (bot_id text, left_at_ms bigint) GROUP BY bot_id ORDER BY bot_id COLLATE "C"
  ) AS gone
  WHERE snapshots.bot_id = gone.bot_id AND reported_at_ms <= left_at_ms`

/**
 * The latest heartbeat of each bot in PostgreSQL. A batch takes at most two statements, and each locks rows in bot ID
 * order.
 */
export function postgresSnapshots(database: PostgresDatabase): SnapshotStore {
  return {
    flushEveryMs: limits.sharedHeartbeatFlushMs,
    async applySnapshots(changes) {
      const heartbeats = lastOfEach(changes)
      if (heartbeats.length > 0) await database.pool.rows(upsertSnapshots, [JSON.stringify(heartbeats)])
      const gone = changes.flatMap((change) =>
        change.kind === 'left' ? [{ bot_id: change.botId, left_at_ms: change.leftAtMs }] : [],
      )
      if (gone.length > 0) await database.pool.rows(markLeft, [JSON.stringify(gone)])
    },
  }
}

/** Returns the latest heartbeat of each bot, because one statement can't upsert the same row twice. */
function lastOfEach(changes: readonly SnapshotChange[]): ReturnType<typeof columnsOf>[] {
  const last = new Map<string, ReturnType<typeof columnsOf>>()
  for (const change of changes) {
    if (change.kind !== 'heartbeat') continue
    const columns = columnsOf(change.snapshot)
    const before = last.get(columns.bot_id)
    if (before === undefined || before.reported_at_ms <= columns.reported_at_ms) last.set(columns.bot_id, columns)
  }
  return [...last.values()]
}

function columnsOf(snapshot: GatewaySnapshot) {
  return {
    bot_id: snapshot.botId,
    reported_at_ms: snapshot.reportedAtMs,
    ready: Number(snapshot.ready),
    presence: snapshot.presence,
    uptime_ms: snapshot.uptimeMs,
    guild_count: snapshot.guildCount,
    shard_count: snapshot.shardCount,
    has_left: Number(snapshot.hasLeft),
  }
}
