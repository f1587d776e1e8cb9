import type { Runtime, RuntimeRecord } from '../../domain/bots/runtime.ts'
import type { RuntimeStore } from '../../domain/bots/runtime-store.ts'
import type { BotId, RuntimeId, UserId } from '../../domain/ids.ts'
import type { SecretDigest } from '../../domain/secret.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface RuntimeRow {
  id: string
  name: string
  owner_id: string | null
  bot_ids: string | null
  key_last_four: string
  created_at_ms: number
}

const columns = 'id, name, owner_id, bot_ids, key_last_four, created_at_ms'

/** Runtimes in SQLite. */
export class SqliteRuntimes implements RuntimeStore {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  addRuntime(runtime: RuntimeRecord, keyDigest: SecretDigest): Promise<'added' | { unknown: BotId[] }> {
    const { id, name, ownerId, botIds, keyLastFour, createdAtMs } = runtime
    return this.#file.write(() => {
      const unknown = (botIds ?? []).filter((botId) => !this.#mayHost(ownerId, botId))
      if (unknown.length > 0) return { unknown }
      this.#file
        .statement(
          `INSERT INTO runtimes (id, name, owner_id, bot_ids, key_digest, key_last_four, created_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        .run(id, name, ownerId, botIds && JSON.stringify(botIds), keyDigest, keyLastFour, createdAtMs)
      return 'added'
    })
  }

  async findByKey(keyDigest: SecretDigest): Promise<Runtime | undefined> {
    const row = this.#file.statement(`SELECT ${columns} FROM runtimes WHERE key_digest = ?`).get(keyDigest)
    return row && asRuntime(row as unknown as RuntimeRow)
  }

  async findRuntime(id: RuntimeId): Promise<RuntimeRecord | undefined> {
    const row = this.#file.statement(`SELECT ${columns} FROM runtimes WHERE id = ?`).get(id)
    return row && asRuntime(row as unknown as RuntimeRow)
  }

  async listRuntimes(most: number): Promise<RuntimeRecord[]> {
    const rows = this.#file
      .statement(`SELECT ${columns} FROM runtimes ORDER BY created_at_ms DESC, id DESC LIMIT ?`)
      .all(most)
    return (rows as unknown as RuntimeRow[]).map(asRuntime)
  }

  removeRuntime(id: RuntimeId): Promise<boolean> {
    return this.#file.write(() => this.#file.statement('DELETE FROM runtimes WHERE id = ?').run(id).changes === 1)
  }

  #mayHost(ownerId: UserId | null, botId: BotId): boolean {
    const bot = this.#file.statement('SELECT owner_id FROM bots WHERE id = ? AND deleted_at_ms IS NULL').get(botId)
    return bot !== undefined && (ownerId === null || bot.owner_id === ownerId)
  }
}

function asRuntime(row: RuntimeRow): RuntimeRecord {
  return {
    id: row.id as RuntimeId,
    name: row.name,
    ownerId: row.owner_id as UserId | null,
    botIds: row.bot_ids === null ? null : JSON.parse(row.bot_ids),
    keyLastFour: row.key_last_four,
    createdAtMs: row.created_at_ms,
  }
}
