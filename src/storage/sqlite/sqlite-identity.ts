import type { ApplicationStore, AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { AuditStore } from '../../domain/audit/audit.ts'
import type { NumberedLogEntry, RuntimeLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { GatewaySnapshot, SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import type { BotId, ClientId, UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { ProfileStore } from '../../domain/profile/profile.ts'
import { sqlApplications } from '../sql/applications/applications.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import {
  botCountOfUser,
  type ListRows,
  type ProfileRow,
  profileColumns,
  profileLists,
  readingOf,
  replaceSnapshot,
  snapshotColumns,
} from '../sql/bots/bot-rows.ts'
import { sqlBots } from '../sql/bots/bots.ts'
import { type IdentityStores, identityStores } from '../sql/identity-stores.ts'
import { type Sql, sql } from '../sql/sql.ts'
import { highest, sqliteGrants } from './grants.ts'
import type { SqliteFile } from './sqlite-file.ts'

export function sqliteIdentity(file: SqliteFile): IdentityStores {
  // Counted in memory, which is safe because only one process uses the file.
  let lastSession = highest(file, 'SELECT max(number) AS highest FROM sessions')
  const allotSession = () => {
    lastSession += 1
    return lastSession
  }
  return identityStores(file, allotSession, {
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
 * Applications in SQLite. Caches the digests that clients authenticate with, until any application or client secret
 * changes (decision 0004). This process must be the only writer (decision 0006): triggers fire only for changes on its
 * own connection. They fire before the commit, so no read sees the change before the cache is cleared.
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

function sqliteSnapshots(file: SqliteFile): SnapshotStore {
  return {
    flushEveryMs: limits.heartbeatFlushMs,
    applySnapshots: (changes, latestMs) =>
      file.commit(() => {
        for (const change of changes)
          file.run(change.kind === 'left' ? leaving(change) : heard(change.snapshot, latestMs))
      }),
  }
}

function leaving({ botId, leftAtMs }: { botId: BotId; leftAtMs: number }): Sql {
  return sql`UPDATE snapshots SET has_left = 1 WHERE bot_id = ${botId} AND reported_at_ms <= ${leftAtMs}`
}

function heard(snapshot: GatewaySnapshot, latestMs: number): Sql {
  const { botId, reportedAtMs, ready, presence, uptimeMs, guildCount, shardCount, hasLeft } = snapshot
  return sql`INSERT INTO snapshots (bot_id, ${snapshotColumns}) VALUES (${botId}, ${reportedAtMs}, ${ready}, ${presence},
    ${uptimeMs}, ${guildCount}, ${shardCount}, ${hasLeft}) ${replaceSnapshot(latestMs)}`
}

const user = (botCount: string) => `SELECT ${profileColumns}, ${botCount} AS bot_count FROM users WHERE id = ?1`
const { ownBots, bots, flows, guilds, coworkers } = profileLists('?1')

/** Profiles in SQLite. A profile's reads run without an `await` between them, so they see one snapshot. */
function sqliteProfiles(file: SqliteFile): ProfileStore {
  // Every userinfo request runs one of these statements. Preparing them here saves looking them up by text each time.
  const selectUser = file.statement(user('0'))
  const selectUserWithBotCount = file.statement(user(botCountOfUser))

  return {
    readProfile: async (userId, wanted) =>
      file.sharedRead(() => {
        const row = (wanted.botCount ? selectUserWithBotCount : selectUser).get(userId) as ProfileRow | undefined
        if (row === undefined) return undefined
        const list = (select: string) => file.statement(select).all(userId)
        const lists: Record<keyof ListRows, Iterable<unknown>> = {
          bots: wanted.bots ? list(bots) : [],
          flows: wanted.flows ? list(flows) : [],
          guilds: wanted.guilds ? file.statement(guilds).iterate(userId) : [],
          logs: wanted.logs ? logsOf(file, userId) : [],
          coworkers: wanted.coworkers ? list(coworkers) : [],
        }
        return readingOf(row, lists as ListRows)
      }),
  }
}

/** Returns the newest entries. Skips those older than the oldest found so far: reading all would take too long. */
function logsOf(file: SqliteFile, userId: UserId): RuntimeLogEntry[] {
  const owned = file.statement(ownBots).all(userId) as unknown as { id: BotId }[]
  const ofBot = file.statement(
    `SELECT number, at_ms, level, message FROM runtime_logs WHERE bot_id = ? AND at_ms >= ?
     ORDER BY at_ms DESC, number DESC LIMIT ${limits.userinfoLogsMax}`,
  )
  let newest: NumberedLogEntry[] = []
  for (const { id } of owned) {
    const oldest = newest.length < limits.userinfoLogsMax ? undefined : newest.at(-1)
    const rows = ofBot.all(id, oldest?.atMs ?? Number.MIN_SAFE_INTEGER) as unknown as Omit<NumberedLogEntry, 'botId'>[]
    if (rows.length === 0) continue
    newest = [...newest, ...rows.map((row) => ({ ...row, botId: id }))]
      .sort((one, other) => other.atMs - one.atMs || other.number - one.number)
      .slice(0, limits.userinfoLogsMax)
  }
  return newest
}
