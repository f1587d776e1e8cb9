import type { AccessToken, Consent, Ended, GrantStore } from '../../domain/authorization/grant-store.ts'
import { isSubset } from '../../domain/authorization/scope.ts'
import {
  isOfFamily,
  judgeRedemption,
  judgeRotation,
  lifetimes,
  type RefreshState,
  type TokenFamily,
} from '../../domain/authorization/token-family.ts'
import type { ApplicationId, UserId } from '../../domain/ids.ts'
import { accessTokenLifetimeSeconds } from '../../domain/limits.ts'
import { sameDigest } from '../../domain/secret.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface FamilyRow {
  number: number
  application_id: string
  user_id: string
  scopes: string
  redirect_uri: string
  code_challenge: string | null
  code_digest: Uint8Array
  code_expires_at_ms: number
  redeemed_at_ms: number | null
  refresh_generation: number
  refresh_digest: Uint8Array | null
  refresh_expires_at_ms: number | null
  revoked_at_ms: number | null
  rotated_at_ms: number | null
  rotated_from: Uint8Array | null
  ends_at_ms: number
}

interface AccessTokenRow {
  digest: Uint8Array
  family: number
  scopes: string
  expires_at_ms: number
  application_id: string
  user_id: string
  ended: number
}

interface ConsentRow {
  application_id: string
  name: string
  website_url: string
  scopes: string
  first_granted_at_ms: number
  last_used_at_ms: number | null
}

/** Authorizations in SQLite. The domain's judgement runs inside the transaction that acts on it. */
export function sqliteGrants(file: SqliteFile): GrantStore {
  // One process owns the file, so numbers are counted here; a number lost with a failed commit is no harm.
  // Families count on from the highest number ever used: a pruned family's tokens must not name a new one.
  const lastNumber = {
    family: highest(file, "SELECT seq AS highest FROM sqlite_sequence WHERE name = 'token_families'"),
    'access-token': highest(file, 'SELECT max(number) AS highest FROM access_tokens'),
  }

  const selectFamily = file.statement('SELECT * FROM token_families WHERE number = ?')
  // A rotation reads no more than it judges: columns it does not need would cost as much again.
  const selectRefreshState = file.statement(
    `SELECT application_id, scopes, refresh_generation, refresh_digest, refresh_expires_at_ms, revoked_at_ms,
       rotated_at_ms, rotated_from, ends_at_ms FROM token_families WHERE number = ?`,
  )
  const insertFamily = file.statement(
    `INSERT INTO token_families (number, application_id, user_id, scopes, redirect_uri, code_challenge, code_digest,
       code_expires_at_ms, created_at_ms, ends_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const selectConsent = file.statement('SELECT scopes FROM consents WHERE user_id = ? AND application_id = ?')
  const upsertConsent = file.statement(
    `INSERT INTO consents (user_id, application_id, scopes, first_granted_at_ms, last_granted_at_ms)
     VALUES (?1, ?2, ?3, ?4, ?4)
     ON CONFLICT DO UPDATE SET scopes = excluded.scopes, last_granted_at_ms = excluded.last_granted_at_ms`,
  )
  const selectConsents = file.statement(
    `SELECT application_id, name, website_url, scopes, first_granted_at_ms, last_used_at_ms
     FROM consents JOIN applications ON applications.id = application_id
     WHERE user_id = ? AND deleted_at_ms IS NULL ORDER BY last_granted_at_ms DESC, application_id`,
  )
  const deleteConsent = file.statement('DELETE FROM consents WHERE user_id = ? AND application_id = ?')
  const updateAllRevoked = file.statement(
    `UPDATE token_families SET revoked_at_ms = ?, revoked_because = 'consent-withdrawn'
     WHERE user_id = ? AND application_id = ? AND revoked_at_ms IS NULL`,
  )
  const updateUsed = file.statement(
    `UPDATE consents SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?1)
     WHERE (user_id, application_id) = (SELECT user_id, application_id FROM token_families WHERE number = ?2)`,
  )
  const insertAccessToken = file.statement(
    'INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const updateRedeemed = file.statement(
    `UPDATE token_families SET redeemed_at_ms = ?, refresh_generation = ?, refresh_digest = ?, refresh_expires_at_ms = ?,
       ends_at_ms = ? WHERE number = ?`,
  )
  const updateRotated = file.statement(
    `UPDATE token_families SET refresh_generation = ?, refresh_digest = ?, refresh_expires_at_ms = ?,
       rotated_at_ms = ?, rotated_from = ? WHERE number = ?`,
  )
  // Apart, because the index of ends costs as much as the rest of a rotation, and the end seldom changes.
  const updateEnd = file.statement('UPDATE token_families SET ends_at_ms = ? WHERE number = ?')
  const updateRevoked = file.statement(
    `UPDATE token_families SET revoked_at_ms = ?, revoked_because = ? WHERE number = ? AND revoked_at_ms IS NULL
     RETURNING user_id, application_id`,
  )
  const selectAccessToken = file.statement(
    `SELECT t.digest, t.family, t.scopes, t.expires_at_ms, f.application_id, f.user_id,
       t.revoked_at_ms IS NOT NULL OR f.revoked_at_ms IS NOT NULL OR a.deleted_at_ms IS NOT NULL AS ended
     FROM access_tokens t JOIN token_families f ON f.number = t.family JOIN applications a ON a.id = f.application_id
     WHERE t.number = ?`,
  )
  const updateAccessTokenRevoked = file.statement(
    'UPDATE access_tokens SET revoked_at_ms = ? WHERE number = ? AND revoked_at_ms IS NULL',
  )
  const selectDeleted = file.statement('SELECT deleted_at_ms IS NOT NULL AS deleted FROM applications WHERE id = ?')
  // Numbers ascend with time, so the oldest rows come first and the look stops at the first batch.
  const deleteAccessTokens = file.statement(
    `DELETE FROM access_tokens WHERE number IN (
       SELECT number FROM (SELECT number, expires_at_ms FROM access_tokens ORDER BY number LIMIT ?2)
       WHERE expires_at_ms < ?1)`,
  )
  const deleteFamilies = file.statement(
    'DELETE FROM token_families WHERE number IN (SELECT number FROM token_families WHERE ends_at_ms < ? LIMIT ?)',
  )

  function family(number: number): TokenFamily | undefined {
    const row = selectFamily.get(number) as FamilyRow | undefined
    return row === undefined ? undefined : familyOf(row)
  }

  function refreshState(number: number): RefreshState | undefined {
    const row = selectRefreshState.get(number) as FamilyRow | undefined
    return row && refreshStateOf(row)
  }

  function accessToken(number: number): AccessToken | undefined {
    file.readTogether()
    const row = selectAccessToken.get(number) as AccessTokenRow | undefined
    return row === undefined
      ? undefined
      : {
          number,
          digest: row.digest,
          family: row.family,
          applicationId: row.application_id as ApplicationId,
          userId: row.user_id as UserId,
          scopes: row.scopes.split(' '),
          issuedAtMs: row.expires_at_ms - accessTokenLifetimeSeconds * 1_000,
          expiresAtMs: row.expires_at_ms,
          ended: row.ended === 1,
        }
  }

  return {
    allotNumber(of) {
      lastNumber[of] += 1
      return lastNumber[of]
    },

    issueCode: (grant, nowMs) =>
      file.write(() => {
        const before = selectConsent.get(grant.userId, grant.applicationId) as { scopes: string } | undefined
        const consented = before?.scopes.split(' ') ?? []
        if (grant.consent === 'standing' && !isSubset(grant.scopes, consented)) return 'consent-gone'
        insertFamily.run(
          grant.number,
          grant.applicationId,
          grant.userId,
          grant.scopes.join(' '),
          grant.redirectUri,
          grant.codeChallenge,
          grant.codeDigest,
          grant.codeExpiresAtMs,
          nowMs,
          grant.codeExpiresAtMs,
        )
        const scopes = new Set([...consented, ...grant.scopes])
        upsertConsent.run(grant.userId, grant.applicationId, [...scopes].join(' '), nowMs)
        return 'issued'
      }),

    redeemCode: (presented, next, nowMs) =>
      file.write(() => {
        const outcome = judgeRedemption(family(presented.row), presented, nowMs)
        if (outcome.kind !== 'redeemed') return outcome
        const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, outcome.refreshable)
        const refreshDigest = outcome.refreshable ? next.refreshDigest : null
        const generation = outcome.refreshable ? 1 : 0
        updateRedeemed.run(nowMs, generation, refreshDigest, refreshExpiresAtMs, endsAtMs, presented.row)
        const scopes = outcome.scopes.join(' ')
        insertAccessToken.run(next.accessNumber, next.accessDigest, presented.row, scopes, accessExpiresAtMs)
        return outcome
      }),

    rotateRefreshToken: (presented, next, nowMs) =>
      file.write(() => {
        const row = selectRefreshState.get(presented.row) as FamilyRow | undefined
        const outcome = judgeRotation(row && refreshStateOf(row), presented, nowMs)
        if (outcome.kind !== 'rotated') return outcome
        const { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs } = lifetimes(nowMs, true)
        const generation = presented.generation + 1
        const { from, row: number } = presented
        updateRotated.run(generation, next.refreshDigest, refreshExpiresAtMs, nowMs, from, number)
        if (row?.ends_at_ms !== endsAtMs) updateEnd.run(endsAtMs, number)
        const scopes = outcome.scopes.join(' ')
        insertAccessToken.run(next.accessNumber, next.accessDigest, presented.row, scopes, accessExpiresAtMs)
        return outcome
      }),

    revokeFamily: (number, cause, nowMs) => file.write(() => endedBy(updateRevoked.get(nowMs, cause, number))),

    revokeByRefreshToken: (presented, client, nowMs) =>
      file.write(() => {
        const found = refreshState(presented.row)
        if (found === undefined || !isOfFamily(found, presented)) return undefined
        if (client !== undefined && found.applicationId !== client) return undefined
        return endedBy(updateRevoked.get(nowMs, 'revoke-request', presented.row))
      }),

    revokeAccessToken: (presented, client, nowMs) =>
      file.write(() => {
        const found = accessToken(presented.row)
        if (found === undefined || !sameDigest(found.digest, presented.digest)) return undefined
        if (client !== undefined && found.applicationId !== client) return undefined
        const { changes } = updateAccessTokenRevoked.run(nowMs, presented.row)
        return changes === 0 ? undefined : { userId: found.userId, applicationId: found.applicationId }
      }),

    findAccessToken: accessToken,

    async findFamily(number) {
      const found = family(number)
      if (found === undefined) return undefined
      return { ...found, applicationDeleted: selectDeleted.get(found.applicationId)?.deleted !== 0 }
    },

    async consentedScopes(userId, applicationId) {
      const row = selectConsent.get(userId, applicationId) as { scopes: string } | undefined
      return row?.scopes.split(' ') ?? []
    },

    async listConsents(userId) {
      return (selectConsents.all(userId) as unknown as ConsentRow[]).map(consentOf)
    },

    withdrawConsent: (userId, applicationId, nowMs) =>
      file.write(() => {
        const { changes } = deleteConsent.run(userId, applicationId)
        updateAllRevoked.run(nowMs, userId, applicationId)
        return changes === 0 ? 'not-given' : 'withdrawn'
      }),

    recordUse: (lastUsedAtMs) =>
      file.write(() => {
        for (const [number, atMs] of lastUsedAtMs) updateUsed.run(atMs, number)
      }),

    prune: (nowMs, limit) =>
      file.write(
        () => Number(deleteAccessTokens.run(nowMs, limit).changes) + Number(deleteFamilies.run(nowMs, limit).changes),
      ),
  }
}

/** @param row of the family that was ended, if one was. */
function endedBy(row: unknown): Ended | undefined {
  if (row === undefined) return undefined
  const { user_id, application_id } = row as Pick<FamilyRow, 'user_id' | 'application_id'>
  return { userId: user_id as UserId, applicationId: application_id as ApplicationId }
}

function highest(file: SqliteFile, sql: string): number {
  return Number(file.statement(sql).get()?.highest ?? 0)
}

function consentOf(row: ConsentRow): Consent {
  return {
    applicationId: row.application_id as ApplicationId,
    applicationName: row.name,
    websiteUrl: row.website_url,
    scopes: row.scopes.split(' '),
    firstGrantedAtMs: row.first_granted_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
  }
}

function familyOf(row: FamilyRow): TokenFamily {
  return {
    ...refreshStateOf(row),
    number: row.number,
    userId: row.user_id as UserId,
    redirectUri: row.redirect_uri,
    codeChallenge: row.code_challenge,
    codeDigest: row.code_digest,
    codeExpiresAtMs: row.code_expires_at_ms,
    redeemedAtMs: row.redeemed_at_ms,
  }
}

function refreshStateOf(row: FamilyRow): RefreshState {
  return {
    applicationId: row.application_id as ApplicationId,
    scopes: row.scopes.split(' '),
    refreshGeneration: row.refresh_generation,
    refreshDigest: row.refresh_digest,
    refreshExpiresAtMs: row.refresh_expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
    rotatedAtMs: row.rotated_at_ms,
    rotatedFrom: row.rotated_from,
  }
}
