import type { ApplicationId, UserId } from '../ids.ts'
import { accessTokenLifetimeSeconds, clientRaceWithinMs, refreshTokenLifetimeSeconds } from '../limits/limits.ts'
import { type PresentedSecret, type SecretDigest, sameDigest } from '../secret.ts'
import { verifierFits } from './pkce.ts'
import { isSubset, offlineAccess } from './scope.ts'

/**
 * One authorization: a user allowed an application some scopes once. Its code, its refresh token and its
 * access tokens live and fall together; another sign-in of the same user is another family.
 */
export interface TokenFamily {
  number: number
  applicationId: ApplicationId
  userId: UserId
  scopes: readonly string[]
  redirectUri: string
  codeChallenge: string | null
  codeDigest: Uint8Array
  codeExpiresAtMs: number
  redeemedAtMs: number | null
  /** 0 before redemption, then one more with each refresh token issued. */
  refreshGeneration: number
  /** Of the refresh token that is valid now. Superseded ones are known by their generation. */
  refreshDigest: Uint8Array | null
  refreshExpiresAtMs: number | null
  revokedAtMs: number | null
  /** When a refresh token of it was last exchanged, and the digest of where from. */
  rotatedAtMs: number | null
  rotatedFrom: Uint8Array | null
}

/** What the rules of refresh tokens look at. */
export type RefreshState = Pick<
  TokenFamily,
  | 'applicationId'
  | 'scopes'
  | 'refreshGeneration'
  | 'refreshDigest'
  | 'refreshExpiresAtMs'
  | 'revokedAtMs'
  | 'rotatedAtMs'
  | 'rotatedFrom'
>

export interface PresentedCode extends PresentedSecret {
  applicationId: ApplicationId
  redirectUri: string
  clearTextVerifier: string | undefined
}

export interface PresentedRefreshToken extends PresentedSecret {
  applicationId: ApplicationId
  /** Undefined: all that was granted. */
  scopes: readonly string[] | undefined
  /** Digest of where the request came from, to compare with where the last one did. */
  from: SecretDigest
}

/** The tokens that a redemption or a rotation stores, if it succeeds. */
export interface NextTokens {
  accessNumber: number
  accessDigest: SecretDigest
  refreshDigest: SecretDigest
}

export type RedemptionOutcome =
  | { kind: 'redeemed'; scopes: readonly string[]; refreshable: boolean }
  | {
      kind:
        | 'unknown'
        | 'of-another-client'
        | 'replayed'
        | 'revoked'
        | 'expired'
        | 'redirect-uri-differs'
        | 'verifier-missing'
        | 'verifier-unexpected'
        | 'verifier-wrong'
    }

export type RotationOutcome =
  | { kind: 'rotated'; scopes: readonly string[] }
  | { kind: 'reused'; probably: ReuseCause }
  | { kind: 'unknown' | 'of-another-client' | 'revoked' | 'expired' | 'scope-exceeds-grant' }

/** What probably lies behind a reuse. For people who look into it: what is done about it is the same. */
export type ReuseCause = 'client race' | 'theft'

/**
 * Whether this code may be redeemed now, by RFC 6749 section 4.1.3 and RFC 7636 section 4.6. Pure; the
 * adapter asks it inside the transaction that also spends the code.
 *
 * The client is compared before a replay is judged: otherwise any client that learned a spent code of
 * another could revoke what it yielded.
 */
export function judgeRedemption(
  family: TokenFamily | undefined,
  presented: PresentedCode,
  nowMs: number,
): RedemptionOutcome {
  if (family === undefined || presented.generation !== 0 || !sameDigest(family.codeDigest, presented.digest)) {
    return { kind: 'unknown' }
  }
  if (family.applicationId !== presented.applicationId) return { kind: 'of-another-client' }
  if (family.redeemedAtMs !== null) return { kind: 'replayed' }
  if (family.revokedAtMs !== null) return { kind: 'revoked' }
  if (nowMs >= family.codeExpiresAtMs) return { kind: 'expired' }
  if (family.redirectUri !== presented.redirectUri) return { kind: 'redirect-uri-differs' }
  // Both directions of the downgrade are refused (RFC 9700 section 4.8.2).
  if (family.codeChallenge === null) {
    if (presented.clearTextVerifier !== undefined) return { kind: 'verifier-unexpected' }
  } else {
    if (presented.clearTextVerifier === undefined) return { kind: 'verifier-missing' }
    if (!verifierFits(presented.clearTextVerifier, family.codeChallenge)) return { kind: 'verifier-wrong' }
  }
  return { kind: 'redeemed', scopes: family.scopes, refreshable: family.scopes.includes(offlineAccess) }
}

/**
 * Whether this refresh token may be exchanged now (RFC 6749 section 6), or is a reuse of a superseded one
 * (RFC 9700 section 4.14.2). Pure; asked inside the transaction that also stores the successor.
 */
export function judgeRotation(
  family: RefreshState | undefined,
  presented: PresentedRefreshToken,
  nowMs: number,
): RotationOutcome {
  if (family === undefined || !isOfFamily(family, presented)) return { kind: 'unknown' }
  if (family.applicationId !== presented.applicationId) return { kind: 'of-another-client' }
  if (presented.generation < family.refreshGeneration) {
    return { kind: 'reused', probably: probableReuseCause(family, presented, nowMs) }
  }
  if (family.revokedAtMs !== null) return { kind: 'revoked' }
  if (nowMs >= (family.refreshExpiresAtMs ?? 0)) return { kind: 'expired' }
  if (presented.scopes !== undefined && !isSubset(presented.scopes, family.scopes)) {
    return { kind: 'scope-exceeds-grant' }
  }
  return { kind: 'rotated', scopes: presented.scopes ?? family.scopes }
}

/** A client that asked twice at once comes back soon, and from where it came before. */
function probableReuseCause(
  { rotatedAtMs, rotatedFrom }: RefreshState,
  { from }: PresentedRefreshToken,
  nowMs: number,
): ReuseCause {
  const soon = rotatedAtMs !== null && nowMs - rotatedAtMs <= clientRaceWithinMs
  return soon && rotatedFrom !== null && sameDigest(rotatedFrom, from) ? 'client race' : 'theft'
}

/** Whether a refresh token is, or once was, this family's. A superseded one is vouched for by its seal. */
export function isOfFamily(family: RefreshState, presented: PresentedSecret): boolean {
  if (presented.generation === 0 || presented.generation > family.refreshGeneration) return false
  if (presented.generation < family.refreshGeneration) return true
  return family.refreshDigest !== null && sameDigest(family.refreshDigest, presented.digest)
}

const hourMs = 3_600_000

/**
 * When tokens issued now end. The family's end only tells when it may be deleted, so it is the full hour after: most
 * rotations then leave it, and what a store keeps in its order, as they are.
 */
export function lifetimes(nowMs: number, refreshable: boolean) {
  const accessExpiresAtMs = nowMs + accessTokenLifetimeSeconds * 1_000
  const refreshExpiresAtMs = refreshable ? nowMs + refreshTokenLifetimeSeconds * 1_000 : null
  const endsAtMs = Math.ceil((refreshExpiresAtMs ?? accessExpiresAtMs) / hourMs) * hourMs
  return { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs }
}
