import { isLive, type StoredKey } from '../../domain/bots/overlapping-key.ts'
import type { AuthenticatedRuntime, Runtime, RuntimeRecord } from '../../domain/bots/runtime.ts'
import type {
  AddRuntimeOutcome,
  EndRuntimeKeyOutcome,
  ReplaceRuntimeKeyOutcome,
  RuntimeStore,
} from '../../domain/bots/runtime-store.ts'
import type { BotId, RuntimeId, UserId } from '../../domain/ids.ts'
import type { SecretDigest } from '../../domain/secret.ts'
import { OverlappingKeyRows } from './overlapping-keys.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface RuntimeRow {
  id: string
  name: string
  owner_id: string | null
  bot_ids: string | null
  created_at_ms: number
}

const columns = 'runtimes.id, name, owner_id, bot_ids, created_at_ms'

/** Runtimes and their keys in SQLite. */
export class SqliteRuntimes implements RuntimeStore {
  readonly #file: SqliteFile
  readonly #keys: OverlappingKeyRows

  constructor(file: SqliteFile) {
    this.#file = file
    this.#keys = new OverlappingKeyRows(file, 'runtime_keys', ['runtime_id'])
  }

  addRuntime(runtime: Runtime, key: StoredKey, most: number, nowMs: number): Promise<AddRuntimeOutcome> {
    const { id, name, ownerId, botIds } = runtime
    return this.#file.write(() => {
      const unknown = (botIds ?? []).filter((botId) => !this.#mayHost(ownerId, botId))
      if (unknown.length > 0) return { unknown }
      if (ownerId !== null && this.#list(ownerId, most).length === most) return 'too-many'
      this.#file
        .statement('INSERT INTO runtimes (id, name, owner_id, bot_ids, created_at_ms) VALUES (?, ?, ?, ?, ?)')
        .run(id, name, ownerId, botIds && JSON.stringify(botIds), nowMs)
      this.#keys.add([id], key, nowMs)
      return { runtime: { ...runtime, createdAtMs: nowMs, keys: this.#keys.list([id]) } }
    })
  }

  async findByKey(digest: SecretDigest, nowMs: number): Promise<AuthenticatedRuntime | undefined> {
    const row = this.#file
      .statement(
        `SELECT ${columns}, number, ends_at_ms FROM runtime_keys JOIN runtimes ON runtimes.id = runtime_id
         WHERE digest = ? AND (ends_at_ms IS NULL OR ends_at_ms > ?)`,
      )
      .get(digest, nowMs) as (RuntimeRow & { number: number; ends_at_ms: number | null }) | undefined
    return row && { runtime: asRuntime(row), key: { number: row.number, endsAtMs: row.ends_at_ms } }
  }

  async findRuntime(id: RuntimeId, ownerId: UserId | null): Promise<RuntimeRecord | undefined> {
    const row = this.#find(id, ownerId)
    return row && this.#asRecord(row)
  }

  async listRuntimes(ownerId: UserId | null, most: number): Promise<RuntimeRecord[]> {
    return this.#list(ownerId, most).map((row) => this.#asRecord(row))
  }

  replaceKey(
    id: RuntimeId,
    ownerId: UserId | null,
    key: StoredKey,
    before: { endsAtMs: number },
    nowMs: number,
  ): Promise<ReplaceRuntimeKeyOutcome> {
    return this.#file.write(() => {
      const row = this.#find(id, ownerId)
      if (row === undefined) return 'runtime-unknown'
      this.#keys.supersede([id], before.endsAtMs, nowMs)
      this.#keys.add([id], key, nowMs)
      return { runtime: this.#asRecord(row) }
    })
  }

  endKey(id: RuntimeId, ownerId: UserId | null, number: number, nowMs: number): Promise<EndRuntimeKeyOutcome> {
    return this.#file.write(() => {
      const row = this.#find(id, ownerId)
      if (row === undefined) return 'runtime-unknown'
      const key = this.#keys.list([id]).find((candidate) => candidate.number === number)
      if (key === undefined || !isLive(key, nowMs)) return 'key-unknown'
      if (key.endsAtMs === null) return 'key-needed'
      this.#keys.remove(number)
      return { runtime: this.#asRecord(row) }
    })
  }

  recordKeyUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void> {
    return this.#file.write(() => {
      const update = this.#file.statement('UPDATE runtime_keys SET last_used_at_ms = ? WHERE number = ?')
      for (const [number, atMs] of lastUsedAtMs) update.run(atMs, number)
    })
  }

  removeRuntime(id: RuntimeId, ownerId: UserId | null): Promise<Runtime | undefined> {
    return this.#file.write(() => {
      const row = this.#find(id, ownerId)
      if (row === undefined) return undefined
      this.#file.statement('DELETE FROM runtimes WHERE id = ?').run(id)
      return asRuntime(row)
    })
  }

  #find(id: RuntimeId, ownerId: UserId | null): RuntimeRow | undefined {
    return this.#file
      .statement(`SELECT ${columns} FROM runtimes WHERE id = ?1 AND (?2 IS NULL OR owner_id = ?2)`)
      .get(id, ownerId) as RuntimeRow | undefined
  }

  #list(ownerId: UserId | null, most: number): RuntimeRow[] {
    const order = 'ORDER BY created_at_ms DESC, id DESC LIMIT'
    const rows =
      ownerId === null
        ? this.#file.statement(`SELECT ${columns} FROM runtimes ${order} ?`).all(most)
        : this.#file.statement(`SELECT ${columns} FROM runtimes WHERE owner_id = ? ${order} ?`).all(ownerId, most)
    return rows as unknown as RuntimeRow[]
  }

  #asRecord(row: RuntimeRow): RuntimeRecord {
    return { ...asRuntime(row), createdAtMs: row.created_at_ms, keys: this.#keys.list([row.id]) }
  }

  #mayHost(ownerId: UserId | null, botId: BotId): boolean {
    const bot = this.#file.statement('SELECT owner_id FROM bots WHERE id = ? AND deleted_at_ms IS NULL').get(botId)
    return bot !== undefined && (ownerId === null || bot.owner_id === ownerId)
  }
}

function asRuntime(row: RuntimeRow): Runtime {
  return {
    id: row.id as RuntimeId,
    name: row.name,
    ownerId: row.owner_id as UserId | null,
    botIds: row.bot_ids === null ? null : JSON.parse(row.bot_ids),
  }
}
