import type { Recording } from '../audit/audit-event.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import type { PresentedSecret, SecretDigest } from '../secret.ts'
import type {
  NextTokens,
  PresentedCode,
  PresentedRefreshToken,
  RedemptionOutcome,
  RotationOutcome,
  TokenFamily,
} from './token-family.ts'

export type RevocationCause =
  | 'code-replay'
  | 'refresh-reuse'
  | 'revoke-request'
  | 'consent-withdrawn'
  | 'access-removed'

export interface NewGrant {
  number: number
  applicationId: ApplicationId
  userId: UserId
  scopes: readonly string[]
  redirectUri: string
  codeChallenge: string | null
  codeDigest: SecretDigest
  codeExpiresAtMs: number
  /**
   * `given`: the user was asked now. `standing`: the user allowed the same before. `implied`: the application is
   * first-party, so the user is not asked.
   */
  consent: 'given' | 'standing' | 'implied'
}

/** What a user has allowed an application, all grants added up, and what came of it. */
export interface Consent {
  applicationId: ApplicationId
  applicationName: string
  websiteUrl: string
  scopes: readonly string[]
  firstGrantedAtMs: number
  /** When one of its access tokens was last used, to the minute. Null: never. */
  lastUsedAtMs: number | null
}

export interface AccessToken {
  number: number
  digest: Uint8Array
  family: number
  applicationId: ApplicationId
  userId: UserId
  scopes: readonly string[]
  issuedAtMs: number
  expiresAtMs: number
  /** It, its family or its application has been ended. */
  ended: boolean
}

/** Whose authorization it was that a revocation ended. */
export interface Ended {
  userId: UserId
  applicationId: ApplicationId
}

/** Authorizations and their tokens. Each method is one transaction, on disk before it resolves. */
export interface GrantStore {
  /** The next row number of families or of access tokens; never handed out twice. */
  allotNumber(of: 'family' | 'access-token'): number | Promise<number>

  /**
   * Stores the authorization with its code, and adds its scopes to the user's consent for the application. Scopes of
   * implied consent are stored separately: they are listed, but never count as standing consent.
   * Where it relies on a standing consent that does not (any more) cover its scopes, nothing is stored.
   */
  issueCode(
    grant: NewGrant,
    nowMs: number,
    recording?: Recording<'issued' | 'consent-gone'>,
  ): Promise<'issued' | 'consent-gone'>

  /** Spends the code and stores its tokens if {@link judgeRedemption} allows it. Of two at once one succeeds. */
  redeemCode(presented: PresentedCode, next: NextTokens, nowMs: number): Promise<RedemptionOutcome>

  /** Spends the refresh token and stores its successors if {@link judgeRotation} allows it. Of two at once one succeeds. */
  rotateRefreshToken(presented: PresentedRefreshToken, next: NextTokens, nowMs: number): Promise<RotationOutcome>

  /**
   * Ends the family and all its tokens. Repeating it is harmless: the first time and cause stay, and of all
   * callers only the one that ended it is told whose it was.
   */
  revokeFamily(
    family: number,
    cause: RevocationCause,
    nowMs: number,
    recording?: Recording<Ended | undefined>,
  ): Promise<Ended | undefined>

  /**
   * Ends the family of this refresh token, current or superseded, if it is that client's (undefined: any client's).
   * Undefined when it ended nothing.
   */
  revokeByRefreshToken(
    presented: PresentedSecret,
    client: ApplicationId | undefined,
    nowMs: number,
    recording?: Recording<Ended | undefined>,
  ): Promise<Ended | undefined>

  /** Ends one access token if it is that client's (undefined: any client's). Undefined when it ended nothing. */
  revokeAccessToken(
    presented: PresentedSecret,
    client: ApplicationId | undefined,
    nowMs: number,
    recording?: Recording<Ended | undefined>,
  ): Promise<Ended | undefined>

  /** The access token with this number; its digest is the caller's to compare. Never writes. */
  findAccessToken(number: number): AccessToken | undefined | Promise<AccessToken | undefined>

  /** The family with this number, and whether its application is gone. Never writes. */
  findFamily(number: number): Promise<(TokenFamily & { applicationDeleted: boolean }) | undefined>

  /** Returns all scopes that the user has allowed the application. Implied scopes do not count. */
  consentedScopes(userId: UserId, applicationId: ApplicationId): Promise<readonly string[]>

  /** Returns the user's consents for applications that still exist, implied scopes included, latest grant first. */
  listConsents(userId: UserId): Promise<readonly Consent[]>

  /**
   * Forgets what the user has allowed the application and ends all its families of this user, codes that are
   * on their way included.
   */
  withdrawConsent(
    userId: UserId,
    applicationId: ApplicationId,
    nowMs: number,
    recording?: Recording<'withdrawn' | 'not-given'>,
  ): Promise<'withdrawn' | 'not-given'>

  /** Notes when access tokens of these families (by number) were last used. A consent that is gone stays gone. */
  recordUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>

  /** Deletes families and access tokens over since before `nowMs`, at most `limit` of each; returns how many. */
  prune(nowMs: number, limit: number): Promise<number>
}
