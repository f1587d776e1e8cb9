import { isDeepStrictEqual } from 'node:util'
import { isLive, type StoredKey } from '../../../domain/bots/overlapping-key.ts'
import type { Runtime, RuntimeRecord, RuntimeStore } from '../../../domain/bots/runtimes/runtime.ts'
import type { BotId, RuntimeId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, rows, rowsOfEach, storeLastUses, type Work } from '../database.ts'
import { newestFirst } from '../newest-first.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'

interface RuntimeRow {
  id: string
  name: string
  ownerId: string | null
  botIds: string | null
  createdAtMs: number
}

const columns = 'runtimes.id, name, owner_id, bot_ids, created_at_ms'

const keys = new OverlappingKeyRows('runtime_keys', ['runtime_id'])

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
        yield* changes('UPDATE runtimes SET name = ?, bot_ids = ? WHERE id = ?', name, row.botIds, id)
        return { kind: 'changed', runtime }
      }),

    async findByKey(digest, nowMs) {
      const row = await database.read(() =>
        firstRow<RuntimeRow & { number: number; endsAtMs: number | null }>(
          `SELECT ${columns}, number, ends_at_ms FROM runtime_keys JOIN runtimes ON runtimes.id = runtime_id
           WHERE digest = ? AND (ends_at_ms IS NULL OR ends_at_ms > ?)`,
          digest,
          nowMs,
        ),
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
        const select = `SELECT ${columns} FROM runtimes WHERE true`
        const { sql, values } = newestFirst(select, 'runtimes', { ownerId }, request)
        return yield* recordsOf(yield* rows<RuntimeRow>(sql, ...values))
      }),

    replaceKey: (id, ownerId, key, before, nowMs, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return 'runtime-unknown'
        yield* keys.supersede([id], before.endsAtMs, nowMs)
        yield* keys.add([id], key, nowMs)
        return { runtime: yield* recordOf(row) }
      }),

    endKey: (id, ownerId, number, nowMs, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return 'runtime-unknown'
        const key = (yield* keys.list([id])).find((candidate) => candidate.number === number)
        if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
        if (key.endsAtMs === null) return 'key-needed'
        yield* keys.remove(number)
        return { runtime: yield* recordOf(row) }
      }),

    recordKeyUse: (lastUsedAtMs) =>
      storeLastUses(database, 'UPDATE runtime_keys SET last_used_at_ms = ?2 WHERE number = ?1', lastUsedAtMs),

    removeRuntime: (id, ownerId, recording) =>
      database.write({ row: `runtime ${id}`, recording }, function* () {
        const row = yield* find(id, ownerId)
        if (row === undefined) return undefined
        yield* changes('DELETE FROM runtimes WHERE id = ?', id)
        return asRuntime(row)
      }),
  }
}

function* insert(runtime: Runtime, key: StoredKey, nowMs: number): Work<RuntimeRecord> {
  const { id, name, ownerId, botIds } = runtime
  yield* changes(
    'INSERT INTO runtimes (id, name, owner_id, bot_ids, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    id,
    name,
    ownerId,
    botIds && JSON.stringify(botIds),
    nowMs,
  )
  yield* keys.add([id], key, nowMs)
  return { ...runtime, createdAtMs: nowMs, keys: yield* keys.list([id]) }
}

function find(id: RuntimeId, ownerId: UserId | null): Work<RuntimeRow | undefined> {
  return ownerId === null
    ? firstRow(`SELECT ${columns} FROM runtimes WHERE id = ?`, id)
    : firstRow(`SELECT ${columns} FROM runtimes WHERE id = ? AND owner_id = ?`, id, ownerId)
}

function list(ownerId: UserId | null, most: number): Work<readonly RuntimeRow[]> {
  const order = 'ORDER BY created_at_ms DESC, id DESC LIMIT ?'
  return ownerId === null
    ? rows(`SELECT ${columns} FROM runtimes ${order}`, most)
    : rows(`SELECT ${columns} FROM runtimes WHERE owner_id = ? ${order}`, ownerId, most)
}

/**
 * Returns the bots that this owner's runtime may not host: unknown bots and other owners' bots. The operator's runtimes
 * (`null`) may host every owner's bots.
 */
function* findUnhostable(ownerId: UserId | null, botIds: readonly BotId[]): Work<BotId[]> {
  const bots = yield* rowsOfEach<{ ownerId: string }>(
    'SELECT owner_id FROM bots WHERE id = ? AND deleted_at_ms IS NULL',
    botIds.map((botId) => [botId]),
  )
  return botIds.filter((_, at) => {
    const bot = bots[at]?.[0]
    return bot === undefined || (ownerId !== null && bot.ownerId !== ownerId)
  })
}

function* ownsBot(ownerId: UserId): Work<boolean> {
  return (
    (yield* firstRow('SELECT 1 FROM bots WHERE owner_id = ? AND deleted_at_ms IS NULL LIMIT 1', ownerId)) !== undefined
  )
}

function* recordsOf(listed: readonly RuntimeRow[]): Work<RuntimeRecord[]> {
  const keysOfEach = yield* keys.listOfEach(listed.map((row) => [row.id]))
  return listed.map((row, at) => asRecord(row, keysOfEach[at] ?? []))
}

function* recordOf(row: RuntimeRow): Work<RuntimeRecord> {
  return asRecord(row, yield* keys.list([row.id]))
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
