import type { ApplicationStore, AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { AuditStore } from '../../domain/audit/audit.ts'
import type { SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import type { ClientId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { sqlApplications } from '../sql/applications/applications.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import { snapshotColumns } from '../sql/bots/bot-rows.ts'
import { sqlBots } from '../sql/bots/bots.ts'
import { type IdentityStores, identityStores } from '../sql/identity-stores.ts'
import { sqliteGrants } from './grants.ts'
import { sqliteProfiles } from './profile.ts'
import type { SqliteFile } from './sqlite-file.ts'

export function sqliteIdentity(file: SqliteFile): IdentityStores {
  // Counted in memory, which is safe because only one process uses the file.
  let lastSession = Number(file.statement('SELECT max(number) AS last FROM sessions').get()?.last ?? 0)
  const sessionNumbers = {
    next() {
      lastSession += 1
      return lastSession
    },
  }
  return identityStores(file, sessionNumbers, {
    audit: sqliteAudit(file),
    applications: sqliteApplications(file),
    grants: sqliteGrants(file),
    bots: sqlBots(file),
    snapshots: sqliteSnapshots(file),
    profiles: sqliteProfiles(file),
  })
}

/** Audit events in SQLite. Their numbers are in commit order. */
function sqliteAudit(file: SqliteFile): AuditStore {
  return {
    ...sqlAudit(file),

    // Runs as a write, so that it resolves only after everything it read is on disk. An event that has been exported
    // therefore keeps its number even after a power failure.
    listAfter: (number, atMost) => file.write({}, () => eventsAfter(number, atMost)),
  }
}

const cachedClientsMax = 1_000

/**
 * Applications in SQLite. Caches the digests that clients authenticate with, and clears the cache when any application
 * or client secret changes (decision 0004).
 *
 * This process must be the only writer (decision 0006), because the cache is cleared by triggers, which fire only for
 * changes on this process's own connection. Triggers fire before the change is committed, so no read sees the change
 * before the cache is cleared.
 */
function sqliteApplications(file: SqliteFile): ApplicationStore {
  const applications = sqlApplications(file)
  let cache = new Map<ClientId, readonly AuthenticationRow[]>()
  const clearCache = () => {
    // Replaces the map instead of clearing it, so that a read that began before the change fills only the old map.
    cache = new Map()
  }
  for (const table of ['applications', 'client_secrets']) file.onChange(table, clearCache)

  return {
    ...applications,

    async findForAuthentication(clientId) {
      const current = cache
      const known = current.get(clientId)
      if (known !== undefined) return known
      const found = await applications.findForAuthentication(clientId)
      if (found.length > 0 && current.size < cachedClientsMax) current.set(clientId, found)
      return found
    },
  }
}

/** The last heartbeat of each bot, in SQLite. */
function sqliteSnapshots(file: SqliteFile): SnapshotStore {
  const upsert = file.statement(
    `INSERT INTO snapshots (bot_id, ${snapshotColumns.text})
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET reported_at_ms = excluded.reported_at_ms, ready = excluded.ready,
       presence = excluded.presence, uptime_ms = excluded.uptime_ms, guild_count = excluded.guild_count,
       shard_count = excluded.shard_count, has_left = excluded.has_left
     WHERE excluded.reported_at_ms >= snapshots.reported_at_ms`,
  )
  const markLeft = file.statement('UPDATE snapshots SET has_left = 1 WHERE bot_id = ? AND reported_at_ms <= ?')
  return {
    flushEveryMs: limits.heartbeatFlushMs,
    applySnapshots: (changes) =>
      file.commit(() => {
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
