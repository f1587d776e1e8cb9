import type {
  PersonalToken,
  PersonalTokenStore,
  StoredPersonalToken,
} from '../../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { OperatorKeyRecord, OperatorKeyStore } from '../../../domain/operators/operator-keys.ts'
import { Rows } from '../rows.ts'
import { count, type Database, sql, storeLastUses } from '../sql.ts'

const columns = 'id, name, scopes, last_four, created_at_ms, expires_at_ms, last_used_at_ms'
const tokens = new Rows<PersonalToken>('personal_tokens', columns, { scopes: 'words' })
const ownedTokens = new Rows<StoredPersonalToken>('personal_tokens', `number, user_id, ${columns}`, { scopes: 'words' })

export function sqlPersonalTokens(database: Database): PersonalTokenStore {
  return {
    addToken: (token, most, recording) =>
      database.write({ row: `user ${token.userId}`, recording }, function* () {
        const { userId, createdAtMs } = token
        yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId} AND expires_at_ms <= ${createdAtMs}`.run()
        if ((yield* count(sql`FROM personal_tokens WHERE user_id = ${userId}`)) >= most) return 'too-many'
        yield* tokens.insert({ ...token })
        return 'added'
      }),

    findTokenByDigest: (digest) => ownedTokens.find(database, sql`WHERE digest = ${digest}`),

    listTokens: (userId) => tokens.query(database, sql`WHERE user_id = ${userId} ORDER BY number DESC`),

    removeToken: (userId, id, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const token = yield* tokens.first(sql`WHERE id = ${id} AND user_id = ${userId}`)
        if (token !== undefined) yield* sql`DELETE FROM personal_tokens WHERE id = ${id}`.run()
        return token
      }),

    recordTokenUse: (lastUsedAtMs) => storeLastUses(database, 'personal_tokens', lastUsedAtMs),
  }
}

const keyColumns = 'id, name, access, last_four, created_at_ms, last_used_at_ms'
const keys = new Rows<OperatorKeyRecord>('operator_keys', keyColumns)
const numberedKeys = new Rows<OperatorKeyRecord & { number: number }>('operator_keys', `number, ${keyColumns}`)

export function sqlOperatorKeys(database: Database): OperatorKeyStore {
  return {
    add: (key, most, nowMs) =>
      database.write({ row: 'operator keys' }, function* () {
        if ((yield* count(sql`FROM operator_keys`)) >= most) return 'too-many'
        yield* keys.insert({ ...key, createdAtMs: nowMs })
        return 'added'
      }),

    findByDigest: (digest) => numberedKeys.find(database, sql`WHERE digest = ${digest}`),

    list: () => keys.query(database, sql`ORDER BY number DESC`),

    remove: (id) =>
      database.write({ row: 'operator keys' }, function* () {
        return (yield* sql`DELETE FROM operator_keys WHERE id = ${id}`.changes()) > 0
      }),

    recordUse: (lastUsedAtMs) => storeLastUses(database, 'operator_keys', lastUsedAtMs),
  }
}
