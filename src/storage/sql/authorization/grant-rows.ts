import type { AccessToken } from '../../../domain/authorization/grant-store.ts'
import type { RefreshState, TokenFamily } from '../../../domain/authorization/token-family.ts'
import type { ApplicationId, UserId } from '../../../domain/ids.ts'
import { accessTokenLifetimeSeconds } from '../../../domain/limits/limits.ts'

/** A row of `token_families`. */
export interface FamilyRow {
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
  revoked_because: string | null
  rotated_at_ms: number | null
  rotated_from: Uint8Array | null
  ends_at_ms: number
}

/**
 * Placeholders for `rotated_from`, which is never read before the first rotation. SQLite fills its pages completely, so
 * every row that grows would split its page. A new row therefore reserves the 44 bytes that redemption adds (two
 * timestamps and a digest) and the 38 bytes that the first rotation adds (a timestamp and a digest).
 */
export const roomForRedemption = new Uint8Array(44 + 38)
export const roomForRotation = new Uint8Array(38)

/** A row of `access_tokens`, joined with its family and application. */
export interface AccessTokenRow {
  digest: Uint8Array
  family: number
  scopes: string
  expires_at_ms: number
  application_id: string
  user_id: string
  /** 1 if the token or its family is revoked or the application is deleted. */
  ended: number
}

export function familyOf(row: FamilyRow): TokenFamily {
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

export function refreshStateOf(row: FamilyRow): RefreshState {
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

export function accessTokenOf(number: number, row: AccessTokenRow): AccessToken {
  return {
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
