import { isDeepStrictEqual } from 'node:util'
import { isLive, type StoredKey } from '../../../domain/bots/overlapping-key.ts'
import type { Runtime, RuntimeRecord, RuntimeStore } from '../../../domain/bots/runtimes/runtime.ts'
import type { BotId, RuntimeId, UserId } from '../../../domain/ids.ts'
import { type Database, storeLastUses } from '../database.ts'
import { newestFirst } from '../newest-first.ts'
import { sql, type Work } from '../sql.ts'
import { insertInto, raw, rowsOfEach } from '../statements.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

interface RuntimeRow {
  id: string
  name: string
  ownerId: string | null
  botIds: string | null
  createdAtMs: number
}

const columns = sql`runtimes.id, name, owner_id, bot_ids, created_at_ms`

const keys = new OverlappingKeyRows('runtime_keys')

export function sqlRuntimes(database: Database): RuntimeStore {
  return {
    addRuntime(runtime, key, most, nowMs, recording) {
      const { id, ownerId, botIds } = runtime
      return database.write({ row: `runtime ${id}`, recording }, function* () {
        const unknown = yield* findUnhostable(ownerId, botIds ?? [])
        if (unknown.length > 0) return { unknown }
        if (ownerId !== null && !(yield* ownsBot(ownerId))) return 'no-bot'
        if (ownerId !== null && (yield* list(ownerId, most)).length === most) return 'too-many'
        return { runtime: yield* insert(runtime, key, nowMs) }
      })
    },

    putRuntime: ({ id, name, botIds }, key, nowMs) =>
      database.write({ row: `runtime ${id}` }, function* () {
        const stored = yield* find(id, null)
        const ownerId = (stored?.ownerId ?? null) as UserId | null
        const unknown = yield* findUnhostable(ownerId, botIds ?? [])
        if (unknown.length > 0) return { unknown }
        if (stored === undefined) {
          return { kind: 'created', runtime: yield* insert({ id, name, ownerId, botIds }, key, nowMs) }
        }
        const row = { ...stored, name, botIds: botIds && JSON.stringify(botIds) }
        const runtime = yield* recordOf(row)
        if (isDeepStrictEqual(row, { ...stored })) return { kind: 'unchanged', runtime }
        yield* sql`UPDATE runtimes SET name = ${name}, bot_ids = ${row.botIds} WHERE id = ${id}`.changes()
        return { kind: 'changed', runtime }
      }),

    async findByKey(digest, nowMs) {
      const row = await database.read(() =>
        sql`SELECT ${columns}, number, ends_at_ms FROM runtime_keys JOIN runtimes ON runtimes.id = runtime_id
          WHERE digest = ${digest}
          AND (ends_at_ms IS NULL
          OR ends_at_ms > ${nowMs})`.first<RuntimeRow & { number: number; endsAtMs: number | null }>(),
      )
      return row && { runtime: asRuntime(row), key: { number: row.number, endsAtMs: row.endsAtMs } }
    },

    findRuntime: (id, ownerId) =>
      database.read(function* () {
        const row = yield* find(id, ownerId)
        return row && (yield* recordOf(row))
      }),

    listRuntimes: (ownerId, most) =>
      database.read(function* () {
        return yield* recordsOf(yield* list(ownerId, most))
      }),

    listRuntimesAfter: (ownerId, request) =>
      database.read(function* () {
        const select = sql`SELECT ${columns} FROM runtimes WHERE true`
        return yield* recordsOf(yield* newestFirst(select, 'runtimes', { ownerId }, request).rows<RuntimeRow>())
      }),

    replaceKey: (id, ownerId, key, before, nowMs, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return 'runtime-unknown'
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

    recordKeyUse: (lastUsedAtMs) =>
      storeLastUses(
        database,
        lastUsedAtMs,
        (number, atMs) => sql`UPDATE runtime_keys SET last_used_at_ms = ${atMs} WHERE number = ${number}`,
      ),

    removeRuntime: (id, ownerId, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return undefined
        yield* sql`DELETE FROM runtimes WHERE id = ${id}`.changes()
        return asRuntime(row)
      }),
  }
}

function* insert(runtime: Runtime, key: StoredKey, nowMs: number): Work<RuntimeRecord> {
  const { id, name, ownerId, botIds } = runtime
  yield* insertInto('runtimes', {
    id,
    name,
    ownerId,
    botIds: botIds && JSON.stringify(botIds),
    createdAtMs: nowMs,
  }).changes()
  yield* keys.add({ runtimeId: id }, key, nowMs)
  return { ...runtime, createdAtMs: nowMs, keys: yield* keys.list({ runtimeId: id }) }
}

function find(id: RuntimeId, ownerId: UserId | null): Work<RuntimeRow | undefined> {
  return ownerId === null
    ? sql`SELECT ${columns} FROM runtimes WHERE id = ${id}`.first()
    : sql`SELECT ${columns} FROM runtimes WHERE id = ${id} AND owner_id = ${ownerId}`.first()
}

function list(ownerId: UserId | null, most: number): Work<readonly RuntimeRow[]> {
  const owned = ownerId === null ? raw('') : sql`WHERE owner_id = ${ownerId}`
  return sql`SELECT ${columns} FROM runtimes ${owned} ORDER BY created_at_ms DESC, id DESC LIMIT ${most}`.rows()
}

/**
 * Returns the bots that this owner's runtime may not host: unknown bots and other owners' bots. The operator's runtimes
 * (`null`) may host every owner's bots.
 */
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

function* recordsOf(listed: readonly RuntimeRow[]): Work<RuntimeRecord[]> {
  const keysOfEach = yield* keys.listOfEach(listed.map((row) => ({ runtimeId: row.id })))
  return listed.map((row, at) => asRecord(row, keysOfEach[at] ?? []))
}

function* recordOf(row: RuntimeRow): Work<RuntimeRecord> {
  return asRecord(row, yield* keys.list({ runtimeId: row.id }))
}

function asRecord(row: RuntimeRow, keys: RuntimeRecord['keys']): RuntimeRecord {
  return { ...asRuntime(row), createdAtMs: row.createdAtMs, keys }
}

function asRuntime(row: RuntimeRow): Runtime {
  return {
    id: row.id as RuntimeId,
    name: row.name,
    ownerId: row.ownerId as UserId | null,
    botIds: row.botIds === null ? null : JSON.parse(row.botIds),
  }
}
