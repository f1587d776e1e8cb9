import type { OperatorKeyRecord, OperatorKeyStore } from '../../../domain/operators/operator-keys.ts'
import { type Database, storeLastUses } from '../database.ts'
import { Rows } from '../rows.ts'
import { count, sql } from '../sql.ts'

const columns = 'id, name, access, last_four, created_at_ms, last_used_at_ms'
const keys = new Rows<OperatorKeyRecord>('operator_keys', columns)
const numberedKeys = new Rows<OperatorKeyRecord & { number: number }>('operator_keys', `number, ${columns}`)

export function sqlOperatorKeys(database: Database): OperatorKeyStore {
  return {
    add: (key, most, nowMs) =>
      database.write({ row: 'operator keys' }, function* () {
        if ((yield* count(sql`FROM operator_keys`)) >= most) return 'too-many'
        yield* keys.insert({ ...key, createdAtMs: nowMs })
        return 'added'
      }),

    findByDigest: async (digest) => (await numberedKeys.query(database, sql`WHERE digest = ${digest}`))[0],

    list: () => keys.query(database, sql`ORDER BY number DESC`),

    remove: (id) =>
      database.write({ row: 'operator keys' }, function* () {
        return (yield* sql`DELETE FROM operator_keys WHERE id = ${id}`.changes()) > 0
      }),

    recordUse: (lastUsedAtMs) => storeLastUses(database, 'operator_keys', lastUsedAtMs),
  }
}
