import type { AccessToken, Consent, GrantStore } from '../../../domain/authorization/grant-store.ts'
import { isSubset } from '../../../domain/authorization/scope.ts'
import type { RefreshState, TokenFamily } from '../../../domain/authorization/token-family.ts'
import type { ApplicationId, UserId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { changes, type Database, firstRow, rows } from '../database.ts'

/** A row of `token_families`. */
export interface FamilyRow {
  number: number
  applicationId: string
  userId: string
  scopes: string
  redirectUri: string
  codeChallenge: string | null
  codeDigest: Uint8Array
  codeExpiresAtMs: number
  redeemedAtMs: number | null
  refreshGeneration: number
  refreshDigest: Uint8Array | null
  refreshExpiresAtMs: number | null
  revokedAtMs: number | null
  revokedBecause: string | null
  rotatedAtMs: number | null
  rotatedFrom: Uint8Array | null
  endsAtMs: number
}

/**
 * Placeholders for `rotated_from`, which is never read before the first rotation. SQLite fills its pages completely, so
 * every row that grows would split its page. A new row therefore reserves the 44 bytes that redemption adds (two
 * timestamps and a digest) and the 38 bytes that the first rotation adds (a timestamp and a digest).
 */
const roomForRedemption = new Uint8Array(44 + 38)
export const roomForRotation = new Uint8Array(38)

/** A row of `access_tokens`, joined with its family and application. */
export interface AccessTokenRow {
  digest: Uint8Array
  family: number
  scopes: string
  expiresAtMs: number
  applicationId: string
  userId: string
  /** 1 if the token or its family is revoked or the application is deleted. */
  ended: number
}

export function familyOf(row: FamilyRow): TokenFamily {
  return {
    ...refreshStateOf(row),
    number: row.number,
    userId: row.userId as UserId,
    redirectUri: row.redirectUri,
    codeChallenge: row.codeChallenge,
    codeDigest: row.codeDigest,
    codeExpiresAtMs: row.codeExpiresAtMs,
    redeemedAtMs: row.redeemedAtMs,
  }
}

export function refreshStateOf(row: FamilyRow): RefreshState {
  return {
    applicationId: row.applicationId as ApplicationId,
    scopes: row.scopes.split(' '),
    refreshGeneration: row.refreshGeneration,
    refreshDigest: row.refreshDigest,
    refreshExpiresAtMs: row.refreshExpiresAtMs,
    revokedAtMs: row.revokedAtMs,
    rotatedAtMs: row.rotatedAtMs,
    rotatedFrom: row.rotatedFrom,
  }
}

export function accessTokenOf(number: number, row: AccessTokenRow): AccessToken {
  return {
    number,
    digest: row.digest,
    family: row.family,
    applicationId: row.applicationId as ApplicationId,
    userId: row.userId as UserId,
    scopes: row.scopes.split(' '),
    issuedAtMs: row.expiresAtMs - limits.accessTokenLifetimeSeconds * 1_000,
    expiresAtMs: row.expiresAtMs,
    ended: row.ended === 1,
  }
}

interface ScopesRow {
  scopes: string
  impliedScopes: string
}

/** Like {@link ScopesRow}, but with `null` values if there is no consent yet. */
type PartiesRow = { [Column in keyof ScopesRow]: string | null }

interface ConsentRow extends ScopesRow {
  applicationId: string
  name: string
  websiteUrl: string
  firstGrantedAtMs: number
  lastUsedAtMs: number | null
}

/** The methods of {@link GrantStore} that are not on a hot path. Both databases share them. */
type Consents = Pick<
  GrantStore,
  'issueCode' | 'consentedScopes' | 'listConsents' | 'withdrawConsent' | 'revokeSomeOf' | 'recordUse' | 'prune'
>

const scopesOfConsent = 'SELECT scopes, implied_scopes FROM consents WHERE user_id = ? AND application_id = ?'
/** Selects no row unless the user and the application exist and are not disabled. */
const partiesAndScopes = `SELECT c.scopes, implied_scopes FROM users
  JOIN applications ON applications.id = ?2 AND deleted_at_ms IS NULL AND applications.disabled_at_ms IS NULL
  LEFT JOIN consents AS c ON user_id = users.id AND application_id = applications.id WHERE users.id = ?1
    AND users.disabled_at_ms IS NULL`

/** @param outOfOrder maximum number of live access tokens that can have lower numbers than an expired one. */
export function sqlConsents(database: Database, outOfOrder: number): Consents {
  return {
    issueCode: (grant, nowMs, recording) =>
      database.write({ row: `consent ${grant.userId} ${grant.applicationId}`, recording }, function* () {
        const before = yield* firstRow<PartiesRow>(partiesAndScopes, grant.userId, grant.applicationId)
        if (before === undefined) return 'party-gone'
        const consented = scopesIn(before.scopes)
        const implied = scopesIn(before.impliedScopes)
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
          `INSERT INTO consents (user_id, application_id, scopes, implied_scopes, first_granted_at_ms, last_granted_at_ms)
           VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (user_id, application_id)
           DO UPDATE SET scopes = excluded.scopes, implied_scopes = excluded.implied_scopes,
             last_granted_at_ms = excluded.last_granted_at_ms`,
          grant.userId,
          grant.applicationId,
          union(consented, grant.consent === 'implied' ? [] : grant.scopes).join(' '),
          union(implied, grant.consent === 'implied' ? grant.scopes : []).join(' '),
          nowMs,
        )
        return 'issued'
      }),

    async consentedScopes(userId, applicationId) {
      const row = await database.read(() => firstRow<ScopesRow>(scopesOfConsent, userId, applicationId))
      return scopesIn(row?.scopes)
    },

    async listConsents(userId) {
      const found = await database.read(() =>
        rows<ConsentRow>(
          `SELECT application_id, name, website_url, scopes, implied_scopes, first_granted_at_ms, last_used_at_ms
           FROM consents JOIN applications ON applications.id = application_id
           WHERE user_id = ? AND deleted_at_ms IS NULL ORDER BY last_granted_at_ms DESC, application_id`,
          userId,
        ),
      )
      return found.map(consentOf)
    },

    withdrawConsent: (userId, applicationId, nowMs, recording) =>
      database.write({ row: `consent ${userId} ${applicationId}`, recording }, function* () {
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
      }),

    revokeSomeOf: (applicationId, { after, limit, nowMs }) =>
      database.write({}, function* () {
        const next = 'SELECT number FROM token_families WHERE number > ? ORDER BY number LIMIT ?'
        const last = (yield* rows<{ number: number }>(next, after, limit)).at(-1)?.number
        if (last === undefined) return undefined
        yield* changes(
          `UPDATE token_families SET revoked_at_ms = ?, revoked_because = 'access-removed'
           WHERE number > ? AND number <= ? AND application_id = ? AND revoked_at_ms IS NULL`,
          nowMs,
          after,
          last,
          applicationId,
        )
        return last
      }),

    recordUse: (lastUsedAtMs) =>
      database.write({}, function* () {
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
      database.write({}, function* () {
        // Numbers increase over time, so the expired tokens are among those with the lowest numbers.
        const tokens = yield* changes(
          `DELETE FROM access_tokens WHERE number IN (
             SELECT number FROM (SELECT number, expires_at_ms FROM access_tokens ORDER BY number LIMIT ?3) AS oldest
             WHERE expires_at_ms < ?1 LIMIT ?2)`,
          nowMs,
          limit,
          limit + outOfOrder,
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
    applicationId: row.applicationId as ApplicationId,
    applicationName: row.name,
    websiteUrl: row.websiteUrl,
    scopes: union(scopesIn(row.scopes), scopesIn(row.impliedScopes)),
    firstGrantedAtMs: row.firstGrantedAtMs,
    lastUsedAtMs: row.lastUsedAtMs,
  }
}

function scopesIn(stored: string | null = ''): string[] {
  return stored === null || stored === '' ? [] : stored.split(' ')
}

function union(some: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...some, ...others])]
}
