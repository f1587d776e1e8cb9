import type { OperatorKeyId } from '../../../domain/ids.ts'
import type { OperatorAccess, OperatorKeyRecord, OperatorKeyStore } from '../../../domain/operators/operator-keys.ts'
import { changes, type Database, firstRow, storeLastUses } from '../database.ts'

interface KeyRow {
  number: number
  id: string
  name: string
  access: string
  lastFour: string
  createdAtMs: number
  lastUsedAtMs: number | null
}

const columns = 'number, id, name, access, last_four, created_at_ms, last_used_at_ms'

export function sqlOperatorKeys(database: Database): OperatorKeyStore {
  return {
    add: ({ id, name, access, digest, lastFour }, most, nowMs) =>
      database.write({ row: 'operator keys' }, function* () {
        const counted = yield* firstRow<{ keys: number }>('SELECT count(*) AS keys FROM operator_keys')
        if ((counted?.keys ?? 0) >= most) return 'too-many'
        yield* changes(
          `INSERT INTO operator_keys (id, name, access, digest, last_four, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)`,
          id,
          name,
          access,
          digest,
          lastFour,
          nowMs,
        )
        return 'added'
      }),

    async findByDigest(digest) {
      const [row] = await database.queryOnce<KeyRow>(`SELECT ${columns} FROM operator_keys WHERE digest = ?`, digest)
      return row && { ...recordOf(row), number: row.number }
    },

    async list() {
      const rows = await database.queryOnce<KeyRow>(`SELECT ${columns} FROM operator_keys ORDER BY number DESC`)
      return rows.map(recordOf)
    },

    remove: (id) =>
      database.write({ row: 'operator keys' }, function* () {
        return (yield* changes('DELETE FROM operator_keys WHERE id = ?', id)) > 0
      }),

    recordUse: (lastUsedAtMs) =>
      storeLastUses(database, 'UPDATE operator_keys SET last_used_at_ms = ?2 WHERE number = ?1', lastUsedAtMs),
  }
}

function recordOf(row: KeyRow): OperatorKeyRecord {
  return {
    id: row.id as OperatorKeyId,
    name: row.name,
    access: row.access as OperatorAccess,
    lastFour: row.lastFour,
    createdAtMs: row.createdAtMs,
    lastUsedAtMs: row.lastUsedAtMs,
  }
}
