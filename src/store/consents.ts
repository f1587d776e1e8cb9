import type { Consent, GrantStore } from '../domain/authorization/grant-store.ts'
import { isSubset } from '../domain/authorization/scope.ts'
import type { ApplicationId } from '../domain/ids.ts'
import type { Database } from './database.ts'
import { roomForRedemption } from './grant-rows.ts'
import { changes, firstRow, rows } from './work.ts'

interface ConsentRow {
  application_id: string
  name: string
  website_url: string
  scopes: string
  first_granted_at_ms: number
  last_used_at_ms: number | null
}

/** What people allow applications: the part of the grants that is no hot path. */
export type Consents = Pick<
  GrantStore,
  'issueCode' | 'consentedScopes' | 'listConsents' | 'withdrawConsent' | 'recordUse' | 'prune'
>

const scopesOfConsent = 'SELECT scopes FROM consents WHERE user_id = ? AND application_id = ?'

export function sqlConsents(database: Database): Consents {
  return {
    issueCode: (grant, nowMs) =>
      database.write(function* () {
        const before = yield* firstRow<{ scopes: string }>(scopesOfConsent, grant.userId, grant.applicationId)
        const consented = before?.scopes.split(' ') ?? []
        if (grant.consent === 'standing' && !isSubset(grant.scopes, consented)) return 'consent-gone'
        yield* changes(
          `INSERT INTO token_families (number, application_id, user_id, scopes, redirect_uri, code_challenge, code_digest,
             code_expires_at_ms, created_at_ms, ends_at_ms, rotated_from)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?8, ?10)`,
          grant.number,
          grant.applicationId,
          grant.userId,
          grant.scopes.join(' '),
          grant.redirectUri,
          grant.codeChallenge,
          grant.codeDigest,
          grant.codeExpiresAtMs,
          nowMs,
          roomForRedemption,
        )
        yield* changes(
          `INSERT INTO consents (user_id, application_id, scopes, first_granted_at_ms, last_granted_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (user_id, application_id)
           DO UPDATE SET scopes = excluded.scopes, last_granted_at_ms = excluded.last_granted_at_ms`,
          grant.userId,
          grant.applicationId,
          [...new Set([...consented, ...grant.scopes])].join(' '),
          nowMs,
        )
        return 'issued'
      }, `consent ${grant.userId} ${grant.applicationId}`),

    async consentedScopes(userId, applicationId) {
      const row = await database.read(() => firstRow<{ scopes: string }>(scopesOfConsent, userId, applicationId))
      return row?.scopes.split(' ') ?? []
    },

    async listConsents(userId) {
      const found = await database.read(() =>
        rows<ConsentRow>(
          `SELECT application_id, name, website_url, scopes, first_granted_at_ms, last_used_at_ms
           FROM consents JOIN applications ON applications.id = application_id
           WHERE user_id = ? AND deleted_at_ms IS NULL ORDER BY last_granted_at_ms DESC, application_id`,
          userId,
        ),
      )
      return found.map(consentOf)
    },

    withdrawConsent: (userId, applicationId, nowMs) =>
      database.write(function* () {
        const withdrawn = yield* changes(
          'DELETE FROM consents WHERE user_id = ? AND application_id = ?',
          userId,
          applicationId,
        )
        yield* changes(
          `UPDATE token_families SET revoked_at_ms = ?, revoked_because = 'consent-withdrawn'
           WHERE user_id = ? AND application_id = ? AND revoked_at_ms IS NULL`,
          nowMs,
          userId,
          applicationId,
        )
        return withdrawn === 0 ? 'not-given' : 'withdrawn'
      }, `consent ${userId} ${applicationId}`),

    recordUse: (lastUsedAtMs) =>
      database.write(function* () {
        for (const [number, atMs] of lastUsedAtMs) {
          yield* changes(
            `UPDATE consents SET last_used_at_ms = ?1 WHERE coalesce(last_used_at_ms, 0) < ?1
             AND (user_id, application_id) = (SELECT user_id, application_id FROM token_families WHERE number = ?2)`,
            atMs,
            number,
          )
        }
      }),

    prune: (nowMs, limit) =>
      database.write(function* () {
        // Numbers ascend with time, so the oldest rows come first and the look stops at the first batch.
        const tokens = yield* changes(
          `DELETE FROM access_tokens WHERE number IN (
             SELECT number FROM (SELECT number, expires_at_ms FROM access_tokens ORDER BY number LIMIT ?2) AS oldest
             WHERE expires_at_ms < ?1)`,
          nowMs,
          limit,
        )
        const families = yield* changes(
          'DELETE FROM token_families WHERE number IN (SELECT number FROM token_families WHERE ends_at_ms < ? LIMIT ?)',
          nowMs,
          limit,
        )
        return tokens + families
      }),
  }
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
