import type {
  PersonalToken,
  PersonalTokenStore,
  StoredPersonalToken,
} from '../../../domain/accounts/personal-tokens/personal-tokens.ts'
import { type Database, prune, storeLastUses } from '../database.ts'
import { Rows } from '../rows.ts'
import { count, sql } from '../sql.ts'

const columns = 'id, name, scopes, last_four, created_at_ms, expires_at_ms, last_used_at_ms'
const tokens = new Rows<PersonalToken>('personal_tokens', columns, { scopes: 'words' })
const ownedTokens = new Rows<StoredPersonalToken>('personal_tokens', `number, user_id, ${columns}`, { scopes: 'words' })

export function sqlPersonalTokens(database: Database): PersonalTokenStore {
  return {
    addToken: (token, sessionNumber, most, recording) =>
      database.write({ row: `user ${token.userId}`, recording }, function* () {
        const { userId, createdAtMs } = token
        const session = sql`SELECT 1 FROM sessions WHERE number = ${sessionNumber} AND user_id = ${userId}`
        if (!(yield* session.exists())) return 'session-ended'
        yield* sql`DELETE FROM personal_tokens WHERE user_id = ${userId} AND expires_at_ms <= ${createdAtMs}`.run()
        if ((yield* count(sql`FROM personal_tokens WHERE user_id = ${userId}`)) >= most) return 'too-many'
        yield* tokens.insert({ ...token })
        return 'added'
      }),

    findTokenByDigest: async (digest) => (await ownedTokens.query(database, sql`WHERE digest = ${digest}`))[0],

    listTokens: (userId) => tokens.query(database, sql`WHERE user_id = ${userId} ORDER BY number DESC`),

    removeToken: (userId, id, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const token = yield* tokens.first(sql`WHERE id = ${id} AND user_id = ${userId}`)
        if (token !== undefined) yield* sql`DELETE FROM personal_tokens WHERE id = ${id}`.run()
        return token
      }),

    recordTokenUse: (lastUsedAtMs) => storeLastUses(database, 'personal_tokens', lastUsedAtMs),

    deleteExpiredTokens: (beforeMs, atMost) =>
      prune(database, 'personal_tokens', 'number', sql`expires_at_ms < ${beforeMs} ORDER BY expires_at_ms`, atMost),
  }
}
