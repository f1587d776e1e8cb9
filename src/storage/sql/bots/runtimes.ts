import { isDeepStrictEqual } from 'node:util'
import { isLive, type StoredKey } from '../../../domain/bots/overlapping-key.ts'
import type { LiveRuntimeKey, Runtime, RuntimeRecord, RuntimeStore } from '../../../domain/bots/runtimes/runtime.ts'
import type { RuntimeConnection, RuntimeConnectionStore } from '../../../domain/bots/runtimes/runtime-connections.ts'
import type { RuntimeLogStore } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId, RuntimeId, UserId } from '../../../domain/ids-and-secrets.ts'
import { newestFirst, Rows } from '../rows.ts'
import { changesOfEach, count, type Database, joined, raw, rowsOfEach, sql, storeLastUses, type Work } from '../sql.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

type StoredRuntime = Runtime & { createdAtMs: number }

const columns = 'runtimes.id, name, owner_id, bot_ids, created_at_ms'
const runtimes = new Rows<StoredRuntime>('runtimes', columns, { botIds: 'json' })
const keyed = new Rows<StoredRuntime & LiveRuntimeKey>(
  'runtime_keys JOIN runtimes ON runtimes.id = runtime_id',
  `${columns}, number, ends_at_ms`,
  { botIds: 'json' },
)
const keys = new OverlappingKeyRows('runtime_keys')

export function sqlRuntimes(database: Database): RuntimeStore {
  return {
    addRuntime(runtime, key, most, nowMs, recording) {
      const { ownerId, botIds } = runtime
      return database.write({ row: `runtimes of ${ownerId}`, recording }, function* () {
        const unknown = yield* findUnhostable(ownerId, botIds ?? [])
        if (unknown.length > 0) return { unknown }
        if (ownerId !== null && !(yield* ownsBot(ownerId))) return 'runtime-needs-bot'
        if (ownerId !== null && (yield* count(sql`FROM runtimes WHERE owner_id = ${ownerId}`)) >= most)
          return 'too-many'
        return { runtime: yield* insert(runtime, key, nowMs) }
      })
    },

    putRuntime: ({ id, name, botIds }, key, nowMs) =>
      database.write({ row: `runtime ${id}` }, function* () {
        const stored = yield* find(id, null)
        const ownerId = stored?.ownerId ?? null
        const unknown = yield* findUnhostable(ownerId, botIds ?? [])
        if (unknown.length > 0) return { unknown }
        if (stored === undefined) {
          return { kind: 'created', runtime: yield* insert({ id, name, ownerId, botIds }, key, nowMs) }
        }
        const row = { ...stored, name, botIds }
        const runtime = yield* recordOf(row)
        if (isDeepStrictEqual(row, stored)) return { kind: 'unchanged', runtime }
        yield* runtimes.update({ name, botIds }, sql`WHERE id = ${id}`)
        return { kind: 'changed', runtime }
      }),

    async findByKey(digest, nowMs) {
      const valid = sql`WHERE digest = ${digest} AND (ends_at_ms IS NULL OR ends_at_ms > ${nowMs})`
      const row = await keyed.find(database, valid)
      if (row === undefined) return undefined
      const { id, name, ownerId, botIds, number, endsAtMs } = row
      return { runtime: { id, name, ownerId, botIds }, key: { number, endsAtMs } }
    },

    findRuntime: (id, ownerId) =>
      database.read(function* () {
        const row = yield* find(id, ownerId)
        return row && (yield* recordOf(row))
      }),

    listRuntimes: (ownerId, request) =>
      database.read(function* () {
        const page = newestFirst(runtimes.select(sql`WHERE true`), 'runtimes', { ownerId }, request)
        return yield* recordsOf(runtimes.of(yield* page.rows()))
      }),

    replaceKey: (id, ownerId, key, before, nowMs, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return 'runtime-unknown'
        if (ownerId !== null && !(yield* ownsBot(ownerId))) return 'runtime-needs-bot'
        yield* keys.supersede({ runtimeId: id }, before.endsAtMs, nowMs)
        yield* keys.add({ runtimeId: id }, key, nowMs)
        return { runtime: yield* recordOf(row) }
      }),

    endKey: (id, ownerId, number, nowMs, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return 'runtime-unknown'
        const key = (yield* keys.list({ runtimeId: id })).find((candidate) => candidate.number === number)
        if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
        if (key.endsAtMs === null) return 'key-needed'
        yield* keys.remove(number)
        return { runtime: yield* recordOf(row) }
      }),

    recordKeyUse: (lastUsedAtMs) => storeLastUses(database, 'runtime_keys', lastUsedAtMs),

    removeRuntime: (id, ownerId, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return undefined
        yield* sql`DELETE FROM runtimes WHERE id = ${id}`.changes()
        const { createdAtMs: _, ...runtime } = row
        return runtime
      }),
  }
}

function* insert(runtime: Runtime, key: StoredKey, nowMs: number): Work<RuntimeRecord> {
  const { id, name, ownerId, botIds } = runtime
  yield* runtimes.insert({ id, name, ownerId, botIds, createdAtMs: nowMs })
  yield* keys.add({ runtimeId: id }, key, nowMs)
  return yield* recordOf({ ...runtime, createdAtMs: nowMs })
}

function find(id: RuntimeId, ownerId: UserId | null): Work<StoredRuntime | undefined> {
  const owned = ownerId === null ? raw('') : sql`AND owner_id = ${ownerId}`
  return runtimes.first(sql`WHERE id = ${id} ${owned}`)
}

/** Returns bots that the owner's runtime may not host: unknown and others'. The operator's (`null`) may host all. */
function* findUnhostable(ownerId: UserId | null, botIds: readonly BotId[]): Work<BotId[]> {
  const bots = yield* rowsOfEach<{ ownerId: string }>(
    botIds.map((botId) => sql`SELECT owner_id FROM bots WHERE id = ${botId} AND deleted_at_ms IS NULL`),
  )
  return botIds.filter((_, at) => {
    const bot = bots[at]?.[0]
    return bot === undefined || (ownerId !== null && bot.ownerId !== ownerId)
  })
}

function ownsBot(ownerId: UserId): Work<boolean> {
  return sql`SELECT 1 FROM bots WHERE owner_id = ${ownerId} AND deleted_at_ms IS NULL LIMIT 1`.exists()
}

function* recordsOf(listed: readonly StoredRuntime[]): Work<RuntimeRecord[]> {
  const keysOfEach = yield* keys.listOfEach(listed.map(({ id }) => ({ runtimeId: id })))
  return listed.map((runtime, at) => ({ ...runtime, keys: keysOfEach[at] ?? [] }))
}

function* recordOf(runtime: StoredRuntime): Work<RuntimeRecord> {
  return { ...runtime, keys: yield* keys.list({ runtimeId: runtime.id }) }
}

const connectionColumns = sql`runtime_id, instance, agent, connected_at_ms, heard_at_ms, ended_at_ms`
const openFirst = sql`ended_at_ms IS NOT NULL, connected_at_ms DESC, instance`

export function sqlRuntimeConnections(database: Database): RuntimeConnectionStore {
  return {
    putConnections: (connections, keep) =>
      database.write({}, function* () {
        yield* changesOfEach(
          connections.map(
            ({ runtimeId, instance, agent, connectedAtMs, heardAtMs, endedAtMs }) =>
              sql`INSERT INTO runtime_connections (${connectionColumns})
                SELECT id, CAST(${instance} AS TEXT), CAST(${agent} AS TEXT), CAST(${connectedAtMs} AS BIGINT),
                  CAST(${heardAtMs} AS BIGINT), CAST(${endedAtMs} AS BIGINT) FROM runtimes WHERE id = ${runtimeId}
                ON CONFLICT (runtime_id, instance) DO UPDATE SET agent = excluded.agent,
                  connected_at_ms = excluded.connected_at_ms, heard_at_ms = excluded.heard_at_ms,
                  ended_at_ms = excluded.ended_at_ms
                WHERE excluded.connected_at_ms >= runtime_connections.connected_at_ms`,
          ),
        )
        const runtimeIds = [...new Set(connections.map(({ runtimeId }) => runtimeId))]
        yield* changesOfEach(
          runtimeIds.map(
            (id) => sql`DELETE FROM runtime_connections WHERE runtime_id = ${id} AND instance IN (SELECT instance FROM (
                SELECT instance, row_number() OVER (ORDER BY ${openFirst}) AS place FROM runtime_connections
                WHERE runtime_id = ${id}) AS ranked WHERE place > ${keep})`,
          ),
        )
      }),
    listConnections: async (runtimeIds, most) => {
      const ofEach = await database.read(() =>
        rowsOfEach<RuntimeConnection>(
          runtimeIds.map(
            (id) => sql`SELECT ${connectionColumns} FROM runtime_connections WHERE runtime_id = ${id}
              ORDER BY ${openFirst} LIMIT ${most}`,
          ),
        ),
      )
      return ofEach.flat()
    },
  }
}

export function sqlRuntimeLogs(database: Database): RuntimeLogStore {
  return {
    appendLogs: (entries, keep) =>
      database.write({ row: `logs of ${entries[0]?.botId}` }, function* () {
        yield* changesOfEach(
          entries.map(
            ({ botId, atMs, level, message }) => sql`INSERT INTO runtime_logs (bot_id, at_ms, level, message)
              SELECT id, CAST(${atMs} AS BIGINT), ${level}, ${message} FROM bots
              WHERE id = ${botId} AND deleted_at_ms IS NULL`,
          ),
        )
        const botIds = [...new Set(entries.map((entry) => entry.botId))]
        yield* changesOfEach(
          botIds.map(
            (botId) => sql`DELETE FROM runtime_logs WHERE bot_id = ${botId} AND (at_ms, number) <= (
              SELECT at_ms, number FROM runtime_logs WHERE bot_id = ${botId}
              ORDER BY at_ms DESC, number DESC LIMIT 1 OFFSET ${keep})`,
          ),
        )
      }),
    clearLogs: (botId) =>
      database.write({ row: `logs of ${botId}` }, () => sql`DELETE FROM runtime_logs WHERE bot_id = ${botId}`.run()),
    pageLogs(botId, { levels, sinceMs = Number.MIN_SAFE_INTEGER, untilMs = Number.MAX_SAFE_INTEGER, after, most }) {
      const { atMs, number } = after ?? { atMs: Number.MAX_SAFE_INTEGER, number: 0 }
      return database.queryOnce(
        sql`SELECT number, bot_id, at_ms, level, message FROM runtime_logs JOIN bots ON id = bot_id
          WHERE bot_id = ${botId} AND deleted_at_ms IS NULL AND (at_ms, number) < (${atMs}, ${number})
            AND at_ms BETWEEN ${sinceMs} AND ${untilMs} AND level IN (${joined(levels)})
          ORDER BY at_ms DESC, number DESC LIMIT ${most}`,
      )
    },
  }
}
