import type {
  PersonalToken,
  PersonalTokenScope,
  PersonalTokenStore,
} from '../../../domain/accounts/personal-tokens/personal-token-store.ts'
import type { PersonalTokenId, UserId } from '../../../domain/ids.ts'
import { changes, type Database, firstRow, storeLastUses } from '../database.ts'

interface TokenRow {
  number: number
  id: string
  userId: string
  name: string
  scopes: string
  lastFour: string
  createdAtMs: number
  expiresAtMs: number
  lastUsedAtMs: number | null
}

const columns = 'number, id, user_id, name, scopes, last_four, created_at_ms, expires_at_ms, last_used_at_ms'

export function sqlPersonalTokens(database: Database): PersonalTokenStore {
  return {
    addToken: ({ userId, ...token }, sessionNumber, most, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const session = yield* firstRow(
          'SELECT 1 FROM sessions WHERE number = ? AND user_id = ?',
          sessionNumber,
          userId,
        )
        if (session === undefined) return 'session-ended'
        yield* changes(
          'DELETE FROM personal_tokens WHERE user_id = ? AND expires_at_ms <= ?',
          userId,
          token.createdAtMs,
        )
        const counted = yield* firstRow<{ tokens: number }>(
          'SELECT count(*) AS tokens FROM personal_tokens WHERE user_id = ?',
          userId,
        )
        if ((counted?.tokens ?? 0) >= most) return 'too-many'
        yield* changes(
          `INSERT INTO personal_tokens (id, user_id, name, scopes, digest, last_four, created_at_ms, expires_at_ms)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          token.id,
          userId,
          token.name,
          token.scopes.join(' '),
          token.digest,
          token.lastFour,
          token.createdAtMs,
          token.expiresAtMs,
        )
        return 'added'
      }),

    async findTokenByDigest(digest) {
      const sql = `SELECT ${columns} FROM personal_tokens WHERE digest = ?`
      const [row] = await database.queryOnce<TokenRow>(sql, digest)
      return row && { ...tokenOf(row), number: row.number, userId: row.userId as UserId }
    },

    async listTokens(userId) {
      const sql = `SELECT ${columns} FROM personal_tokens WHERE user_id = ? ORDER BY number DESC`
      return (await database.queryOnce<TokenRow>(sql, userId)).map(tokenOf)
    },

    removeToken: (userId, id, recording) =>
      database.write({ row: `user ${userId}`, recording }, function* () {
        const row = yield* firstRow<TokenRow>(
          `SELECT ${columns} FROM personal_tokens WHERE id = ? AND user_id = ?`,
          id,
          userId,
        )
        if (row === undefined) return undefined
        yield* changes('DELETE FROM personal_tokens WHERE number = ?', row.number)
        return tokenOf(row)
      }),

    recordTokenUse: (lastUsedAtMs) =>
      storeLastUses(database, 'UPDATE personal_tokens SET last_used_at_ms = ?2 WHERE number = ?1', lastUsedAtMs),

    deleteExpiredTokens: (beforeMs, atMost) =>
      database.write({}, () =>
        changes(
          `DELETE FROM personal_tokens WHERE number IN
           (SELECT number FROM personal_tokens WHERE expires_at_ms < ? ORDER BY expires_at_ms LIMIT ?)`,
          beforeMs,
          atMost,
        ),
      ),
  }
}

function tokenOf(row: TokenRow): PersonalToken {
  return {
    id: row.id as PersonalTokenId,
    name: row.name,
    scopes: row.scopes.split(' ') as PersonalTokenScope[],
    lastFour: row.lastFour,
    createdAtMs: row.createdAtMs,
    expiresAtMs: row.expiresAtMs,
    lastUsedAtMs: row.lastUsedAtMs,
  }
}
