import type { Ended, GrantStore } from '../../domain/authorization/grant-store.ts'
import { isOfFamily, judgeRedemption, judgeRotation, lifetimes } from '../../domain/authorization/token-family.ts'
import { type ApplicationId, sameDigest, type UserId } from '../../domain/ids-and-secrets.ts'
import {
  type AccessTokenRow,
  accessTokenOf,
  type FamilyRow,
  familyOf,
  roomForRotation,
  sqlConsents,
} from '../sql/authorization/grants.ts'
import type { SqliteFile } from './sqlite-file.ts'

type RevocableRow = Pick<AccessTokenRow, 'digest' | 'applicationId' | 'userId'>

/** Grants in SQLite. The domain's decision and the resulting writes are one transaction. */
export function sqliteGrants(file: SqliteFile): GrantStore {
  // Only one process uses the file, so numbers are assigned in memory. A failed commit merely leaves a gap. Family
  // numbers continue from the highest one ever used, so that a token from a pruned family never matches a new family.
  const lastNumber = {
    family: highest(file, "SELECT seq AS highest FROM sqlite_sequence WHERE name = 'token_families'"),
    'access-token': highest(file, 'SELECT max(number) AS highest FROM access_tokens'),
  }

  const selectFamily = file.statement('SELECT * FROM token_families WHERE number = ?')
  // Reads only the columns that a rotation checks. Reading all columns costs twice as much.
  const selectRefreshState = file.statement(
    `SELECT application_id, scopes, refresh_generation, refresh_digest, refresh_expires_at_ms, revoked_at_ms,
       rotated_at_ms, rotated_from, ends_at_ms FROM token_families WHERE number = ?`,
  )
  const insertAccessToken = file.statement(
    'INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const updateRedeemed = file.statement(
    `UPDATE token_families SET redeemed_at_ms = ?, refresh_generation = ?, refresh_digest = ?, refresh_expires_at_ms = ?,
       ends_at_ms = ?, rotated_from = ? WHERE number = ?`,
  )
  const updateRotated = file.statement(
    `UPDATE token_families SET refresh_generation = ?, refresh_digest = ?, refresh_expires_at_ms = ?,
       rotated_at_ms = ?, rotated_from = ? WHERE number = ?`,
  )
  // Updates the end separately: updating the index on `ends_at_ms` costs as much as the rest of a rotation, and the
  // value rarely changes.
  const updateEnd = file.statement('UPDATE token_families SET ends_at_ms = ? WHERE number = ?')
  const updateRevoked = file.statement(
    `UPDATE token_families SET revoked_at_ms = ?, revoked_because = ? WHERE number = ? AND revoked_at_ms IS NULL
     RETURNING user_id, application_id`,
  )
  const selectAccessToken = file.statement(
    `SELECT t.digest, t.family, t.scopes, t.expires_at_ms, f.application_id, f.user_id,
       t.revoked_at_ms IS NOT NULL OR f.revoked_at_ms IS NOT NULL OR a.deleted_at_ms IS NOT NULL
         OR a.disabled_at_ms IS NOT NULL AS ended
     FROM access_tokens t JOIN token_families f ON f.number = t.family JOIN applications a ON a.id = f.application_id
     WHERE t.number = ?`,
  )
  // Doesn't join `applications`, because a token can be revoked whether or not its application still exists.
  const selectRevocable = file.statement(
    `SELECT t.digest, f.application_id, f.user_id FROM access_tokens t JOIN token_families f ON f.number = t.family
     WHERE t.number = ? AND t.revoked_at_ms IS NULL`,
  )
  // Clears the scopes to make space for the revocation time, because a row that grows would split its page.
  const updateAccessTokenRevoked = file.statement(
    "UPDATE access_tokens SET revoked_at_ms = ?, scopes = '' WHERE number = ?",
  )

  return {
    ...sqlConsents(file, 0),

    allotNumber(of) {
      lastNumber[of] += 1
      return lastNumber[of]
    },

    redeemCode: (presented, next, nowMs) =>
      file.commit(() => {
        const row = selectFamily.get(presented.row) as FamilyRow | undefined
        const outcome = judgeRedemption(row && familyOf(row), presented, nowMs)
        if (outcome.kind !== 'redeemed') return outcome
        const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, outcome.refreshable)
        const refreshDigest = outcome.refreshable ? next.refreshDigest : null
        const generation = outcome.refreshable ? 1 : 0
        updateRedeemed.run(
          nowMs,
          generation,
          refreshDigest,
          refreshExpiresAtMs,
          endsAtMs,
          roomForRotation,
          presented.row,
        )
        const scopes = outcome.scopes.join(' ')
        insertAccessToken.run(next.accessNumber, next.accessDigest, presented.row, scopes, accessExpiresAtMs)
        return outcome
      }),

    rotateRefreshToken: (presented, next, nowMs) =>
      file.commit(() => {
        const row = selectRefreshState.get(presented.row) as FamilyRow | undefined
        const outcome = judgeRotation(row && familyOf(row), presented, nowMs)
        if (outcome.kind !== 'rotated') return outcome
        const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, true)
        const generation = presented.generation + 1
        const { from, row: number } = presented
        updateRotated.run(generation, next.refreshDigest, refreshExpiresAtMs, nowMs, from, number)
        if (row?.endsAtMs !== endsAtMs) updateEnd.run(endsAtMs, number)
        const scopes = outcome.scopes.join(' ')
        insertAccessToken.run(next.accessNumber, next.accessDigest, presented.row, scopes, accessExpiresAtMs)
        return outcome
      }),

    revokeFamily: (number, cause, nowMs, recording) =>
      file.commit(() => endedBy(updateRevoked.get(nowMs, cause, number)), recording),

    revokeByRefreshToken: (presented, client, nowMs, recording) =>
      file.commit(() => {
        const found = selectRefreshState.get(presented.row) as FamilyRow | undefined
        if (found === undefined || !isOfFamily(familyOf(found), presented)) return undefined
        if (client !== undefined && found.applicationId !== client) return undefined
        return endedBy(updateRevoked.get(nowMs, 'revoke-request', presented.row))
      }, recording),

    revokeAccessToken: (presented, client, nowMs, recording) =>
      file.commit(() => {
        const found = selectRevocable.get(presented.row) as RevocableRow | undefined
        if (found === undefined || !sameDigest(found.digest, presented.digest)) return undefined
        if (client !== undefined && found.applicationId !== client) return undefined
        updateAccessTokenRevoked.run(nowMs, presented.row)
        return endedBy(found)
      }, recording),

    findAccessToken(number) {
      const row = file.sharedRead(() => selectAccessToken.get(number)) as AccessTokenRow | undefined
      return row && accessTokenOf(number, row)
    },
  }
}

/** @param row the revoked row, or `undefined` if no row was revoked. */
function endedBy(row: unknown): Ended | undefined {
  if (row === undefined) return undefined
  const { userId, applicationId } = row as Pick<FamilyRow, 'userId' | 'applicationId'>
  return { userId: userId as UserId, applicationId: applicationId as ApplicationId }
}

export function highest(file: SqliteFile, sql: string): number {
  return Number(file.statement(sql).get()?.highest ?? 0)
}
