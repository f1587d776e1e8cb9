import {
  type ApplicationId,
  type PresentedSecret,
  type SecretDigest,
  sameDigest,
  type UserId,
} from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { codeChallengeOf, isCodeVerifier } from './pkce.ts'
import { isSubset, nameableBeyond, offlineAccess } from './scope.ts'

/** The part of a family that decides whether a refresh token may be exchanged. */
export interface RefreshState {
  applicationId: ApplicationId
  scopes: readonly string[]
  /** Generation of the current refresh token: 0 before redemption, then incremented with each refresh token issued. */
  refreshGeneration: number
  /** Digest of the current refresh token. Superseded tokens are recognized by their generation. */
  refreshDigest: Uint8Array | null
  refreshExpiresAtMs: number | null
  revokedAtMs: number | null
  /** Last exchange of a refresh token; `rotatedFrom` is a digest of the client's address and user agent then. */
  rotatedAtMs: number | null
  rotatedFrom: Uint8Array | null
}

/** The code and tokens of one authorization, which are revoked together. A second authorization has its own family. */
export interface TokenFamily extends RefreshState {
  number: number
  userId: UserId
  /** The session in which the user allowed it. `null` in families of earlier releases. */
  accountSession: number | null
  redirectUri: string
  codeChallenge: string | null
  codeDigest: Uint8Array
  codeExpiresAtMs: number
  redeemedAtMs: number | null
}

export interface PresentedCode extends PresentedSecret {
  applicationId: ApplicationId
  redirectUri: string
  clearTextVerifier: string | undefined
}

export interface PresentedRefreshToken extends PresentedSecret {
  applicationId: ApplicationId
  /** Scopes of the new access token. `undefined` requests all granted scopes. */
  scopes: readonly string[] | undefined
  /** Digest of the client's address and user agent, to store. */
  from: SecretDigest
  /** Compares them with those of the last exchange. */
  isFrom(stored: Uint8Array): boolean
}

export interface NextTokens {
  accessNumber: number
  accessDigest: SecretDigest
  refreshDigest: SecretDigest
}

export type RedemptionOutcome =
  | ({ kind: 'redeemed'; refreshable: boolean } & Pick<TokenFamily, 'userId' | 'accountSession' | 'scopes'>)
  | {
      kind:
        | 'code-unknown'
        | 'code-of-another-client'
        | 'code-replayed'
        | 'code-revoked'
        | 'code-expired'
        | 'redirect-uri-differs'
        | 'verifier-missing'
        | 'verifier-unexpected'
        | 'verifier-malformed'
        | 'verifier-wrong'
    }

export type RotationOutcome =
  | { kind: 'rotated'; scopes: readonly string[] }
  | { kind: 'refresh-token-reused'; probably: ReuseCause }
  | {
      kind:
        | 'refresh-token-unknown'
        | 'refresh-token-of-another-client'
        | 'refresh-token-revoked'
        | 'refresh-token-expired'
    }
  /** `scope` is a requested scope that was not granted. `undefined` if the scope's name is not safe to repeat. */
  | { kind: 'scope-exceeds-grant'; scope: string | undefined }

/** The probable cause of a refresh token reuse, for investigations. Both causes are handled the same way. */
export type ReuseCause = 'client race' | 'theft'

/**
 * Decides whether this code may be redeemed now (RFC 6749 section 4.1.3, RFC 7636 section 4.6). Pure: called inside the
 * transaction that also spends the code. Compares the client before checking for a replay. Otherwise, a client that
 * learned another client's spent code could revoke that code's tokens.
 */
export function judgeRedemption(
  family: TokenFamily | undefined,
  presented: PresentedCode,
  nowMs: number,
): RedemptionOutcome {
  if (family === undefined || presented.generation !== 0 || !sameDigest(family.codeDigest, presented.digest)) {
    return { kind: 'code-unknown' }
  }
  if (family.applicationId !== presented.applicationId) return { kind: 'code-of-another-client' }
  if (family.redeemedAtMs !== null) return { kind: 'code-replayed' }
  if (family.revokedAtMs !== null) return { kind: 'code-revoked' }
  if (nowMs >= family.codeExpiresAtMs) return { kind: 'code-expired' }
  if (family.redirectUri !== presented.redirectUri) return { kind: 'redirect-uri-differs' }
  // Rejects PKCE downgrades in both directions (RFC 9700 section 4.8.2).
  if (family.codeChallenge === null) {
    if (presented.clearTextVerifier !== undefined) return { kind: 'verifier-unexpected' }
  } else {
    if (presented.clearTextVerifier === undefined) return { kind: 'verifier-missing' }
    if (!isCodeVerifier(presented.clearTextVerifier)) return { kind: 'verifier-malformed' }
    if (codeChallengeOf(presented.clearTextVerifier) !== family.codeChallenge) return { kind: 'verifier-wrong' }
  }
  const { userId, accountSession, scopes } = family
  return { kind: 'redeemed', userId, accountSession, scopes, refreshable: scopes.includes(offlineAccess) }
}

/** Decides whether the token may be exchanged (RFC 6749 section 6) or is reused (RFC 9700 section 4.14.2). Pure. */
export function judgeRotation(
  family: RefreshState | undefined,
  presented: PresentedRefreshToken,
  nowMs: number,
): RotationOutcome {
  if (family === undefined || !isOfFamily(family, presented)) return { kind: 'refresh-token-unknown' }
  if (family.applicationId !== presented.applicationId) return { kind: 'refresh-token-of-another-client' }
  if (presented.generation < family.refreshGeneration) {
    return { kind: 'refresh-token-reused', probably: probableReuseCause(family, presented, nowMs) }
  }
  if (family.revokedAtMs !== null) return { kind: 'refresh-token-revoked' }
  if (nowMs >= (family.refreshExpiresAtMs ?? 0)) return { kind: 'refresh-token-expired' }
  if (presented.scopes !== undefined && !isSubset(presented.scopes, family.scopes)) {
    return { kind: 'scope-exceeds-grant', scope: nameableBeyond(presented.scopes, family.scopes) }
  }
  return { kind: 'rotated', scopes: presented.scopes ?? family.scopes }
}

/** Guesses the cause: a client that refreshed twice at once repeats the token soon, from the same address and agent. */
function probableReuseCause(
  { rotatedAtMs, rotatedFrom }: RefreshState,
  presented: PresentedRefreshToken,
  nowMs: number,
): ReuseCause {
  const soon = rotatedAtMs !== null && nowMs - rotatedAtMs <= limits.clientRaceWithinMs
  return soon && rotatedFrom !== null && presented.isFrom(rotatedFrom) ? 'client race' : 'theft'
}

/**
 * Returns whether a refresh token is, or was, one of this family's. The digests of superseded tokens are not kept: the
 * encrypted number in the token proves that this service issued it.
 */
export function isOfFamily(family: RefreshState, presented: PresentedSecret): boolean {
  if (presented.generation === 0 || presented.generation > family.refreshGeneration) return false
  if (presented.generation < family.refreshGeneration) return true
  return family.refreshDigest !== null && sameDigest(family.refreshDigest, presented.digest)
}

const hourMs = 3_600_000

/** Returns when new tokens expire. `endsAtMs`, only for pruning, is rounded up to the hour: few rotations change it. */
export function lifetimes(nowMs: number, refreshable: boolean) {
  const accessExpiresAtMs = nowMs + limits.accessTokenLifetimeSeconds * 1_000
  const refreshExpiresAtMs = refreshable ? nowMs + limits.refreshTokenLifetimeSeconds * 1_000 : null
  const endsAtMs = Math.ceil((refreshExpiresAtMs ?? accessExpiresAtMs) / hourMs) * hourMs
  return { accessExpiresAtMs, refreshExpiresAtMs, endsAtMs }
}
