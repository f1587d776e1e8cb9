import { setTimeout as sleep } from 'node:timers/promises'
import type { ApplicationStore, AuthenticationRow } from '../../domain/applications/application-store.ts'
import type { AuditEvent, AuditStore } from '../../domain/audit/audit.ts'
import type { BotStore, StoredPublicBot } from '../../domain/bots/bot.ts'
import type { SnapshotStore } from '../../domain/bots/status/snapshots.ts'
import type { ClientId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { sqlApplications } from '../sql/applications/applications.ts'
import { eventsAfter, sqlAudit } from '../sql/audit.ts'
import {
  asBotWithStatus,
  type BotWithStatusRow,
  botsWithStatus,
  replaceSnapshot,
  snapshotColumns,
} from '../sql/bots/bot-rows.ts'
import { sqlBots } from '../sql/bots/bots.ts'
import { type IdentityStores, identityStores } from '../sql/identity-stores.ts'
import { inSnakeCase, raw, sql } from '../sql/sql.ts'
import { TickBatch } from './batches.ts'
import { blockNumbers } from './block-numbers.ts'
import { postgresGrants } from './grants.ts'
import { type PostgresDatabase, storable } from './postgres-database.ts'
import { postgresProfiles } from './profile.ts'

export function postgresIdentity(database: PostgresDatabase): IdentityStores {
  return identityStores(database, blockNumbers(database, 'session_blocks'), {
    grants: postgresGrants(database),
    bots: postgresBots(database),
    snapshots: postgresSnapshots(database),
    profiles: postgresProfiles(database),
    audit: postgresAudit(database),
    applications: postgresApplications(database),
  })
}

type LookUps = TickBatch<string, StoredPublicBot | undefined>

/** Bots in PostgreSQL. All status look-ups made in one event loop tick share a statement. */
function postgresBots(database: PostgresDatabase): BotStore {
  const byBotId = lookUps(database, 'id')
  const byChatPlatformId = lookUps(database, 'chatPlatformId')
  return {
    ...sqlBots(database),
    findPublic: ({ kind, id }) => (kind === 'bot-id' ? byBotId : byChatPlatformId).add(id),
  }
}

function lookUps(database: PostgresDatabase, column: 'id' | 'chatPlatformId'): LookUps {
  const text = `${botsWithStatus.text} AND public_status = 1 AND bots.${inSnakeCase(column)} = ANY($1)`
  return new TickBatch({
    perform: async (ids) => {
      const rows = await database.pool.rows<BotWithStatusRow>(text, [ids])
      const byId = new Map<string, BotWithStatusRow>(rows.map((row) => [row[column], row]))
      return ids.map((id) => {
        const row = byId.get(id)
        return row && asBotWithStatus(row)
      })
    },
    maxItems: 500,
  })
}

const selectSecrets = `SELECT client_id, id, number, digest
  FROM applications LEFT JOIN client_secrets ON application_id = id
  WHERE client_id = ANY($1) AND deleted_at_ms IS NULL AND disabled_at_ms IS NULL`

/**
 * Applications in PostgreSQL. One statement reads the secrets of all clients that authenticate in one event loop tick.
 * A request never uses the result of a statement begun before it: a secret in it may have been replaced since.
 */
function postgresApplications(database: PostgresDatabase): ApplicationStore {
  const authentications = new TickBatch<ClientId, readonly AuthenticationRow[]>({
    perform: async (clientIds) => {
      const asked = [...new Set(clientIds.map(storable))]
      const rows = await database.pool.rows<AuthenticationRow & { clientId: string }>(selectSecrets, [asked])
      const byClient = Map.groupBy(rows, ({ clientId }) => clientId)
      return clientIds.map((clientId) => byClient.get(clientId) ?? [])
    },
    maxItems: 500,
  })
  return { ...sqlApplications(database), findForAuthentication: (clientId) => authentications.add(clientId) }
}

/** Maximum time that an export waits for open transactions that may still add events with lower numbers. */
const appendersWaitMaxMs = 1_000
const appendersPollMs = 10

/** Selects the transactions that append events, by the lock that each holds from before numbering until it ends. */
const appenders = sql`SELECT virtualtransaction AS transaction FROM pg_locks
  WHERE relation = CAST('audit_events' AS regclass) AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

export function postgresAudit(database: PostgresDatabase): AuditStore {
  return { ...sqlAudit(database), listAfter }

  /**
   * Lists events without skipping those that are committed late.
   *
   * PostgreSQL assigns an event's number on insertion, but the event becomes visible on commit. A lower number can
   * therefore appear after a higher one. An exporter that continues after the highest number would miss it. If a number
   * is missing, this function waits for the open transactions that append events. A number that is still missing
   * afterwards was rolled back or pruned. If the transactions stay open for longer than `appendersWaitMaxMs`, returns only the
   * events before the first missing number. Writers never wait for an export.
   */
  async function listAfter(number: number, atMost: number): Promise<AuditEvent[]> {
    const seen = await database.read(() => eventsAfter(number, atMost))
    const gap = seen.findIndex((event, index) => event.number !== number + 1 + index)
    if (gap === -1) return seen
    if (!(await appendersHaveFinished())) return seen.slice(0, gap)
    const last = seen.at(-1)?.number ?? number
    return (await database.read(() => eventsAfter(number, atMost))).filter((event) => event.number <= last)
  }

  async function appendersHaveFinished(): Promise<boolean> {
    let open = (await database.queryOnce<{ transaction: string }>(appenders)).map(({ transaction }) => transaction)
    for (let waitedMs = 0; open.length > 0; waitedMs += appendersPollMs) {
      if (waitedMs >= appendersWaitMaxMs) return false
      await sleep(appendersPollMs)
      const now = await database.queryOnce<{ transaction: string }>(appenders)
      open = open.filter((transaction) => now.some((held) => held.transaction === transaction))
    }
    return true
  }
}

const upsertSnapshots = `INSERT INTO snapshots (bot_id, ${snapshotColumns.text})
  SELECT "botId", "reportedAtMs", ready::integer, presence, "uptimeMs", "guildCount", "shardCount", "hasLeft"::integer
  FROM json_to_recordset($1::json) AS given ("botId" text, "reportedAtMs" bigint, ready boolean, presence text,
    "uptimeMs" bigint, "guildCount" bigint, "shardCount" bigint, "hasLeft" boolean)
  ORDER BY "botId" COLLATE "C" ${replaceSnapshot(raw('$2')).text}`

const markLeft = `UPDATE snapshots SET has_left = 1
  FROM (SELECT * FROM json_to_recordset($1::json) AS given ("botId" text, "leftAtMs" bigint) ORDER BY "botId" COLLATE "C") AS gone
  WHERE bot_id = "botId" AND reported_at_ms <= "leftAtMs"`

/** A batch takes at most two statements, and each locks rows in bot ID order. */
function postgresSnapshots(database: PostgresDatabase): SnapshotStore {
  return {
    flushEveryMs: limits.sharedHeartbeatFlushMs,
    async applySnapshots(changes, latestMs) {
      const heard = changes.flatMap((change) => (change.kind === 'heartbeat' ? change.snapshot : []))
      if (heard.length > 0) await database.pool.rows(upsertSnapshots, [JSON.stringify(heard), latestMs])
      const gone = changes.filter(({ kind }) => kind === 'left')
      if (gone.length > 0) await database.pool.rows(markLeft, [JSON.stringify(gone)])
    },
  }
}
