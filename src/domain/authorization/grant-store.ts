import type { Clients } from '../applications/clients.ts'
import type { RequestLog } from '../applications/request-log.ts'
import type { Audit, Recorded } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId, PresentedSecret, SecretDigest, Secrets, UserId } from '../ids-and-secrets.ts'
import type { ScopeStore } from './scope.ts'
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

export interface NewGrant
  extends Pick<
    TokenFamily,
    'number' | 'applicationId' | 'userId' | 'scopes' | 'redirectUri' | 'codeChallenge' | 'codeExpiresAtMs'
  > {
  accountSession: number
  codeDigest: SecretDigest
  /** `given`: the user has just allowed it; `standing`: earlier; `implied`: the application is first-party. */
  consent: 'given' | 'standing' | 'implied'
}

export type IssueCodeOutcome = 'issued' | 'consent-gone' | 'party-gone'

/** With the scopes from all grants of a user to an application. */
export interface Consent {
  applicationId: ApplicationId
  applicationName: string
  websiteUrl: string
  scopes: readonly string[]
  firstGrantedAtMs: number
  /** Last use of an access token, accurate to the minute. `null` if never. */
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
  /** Whether the token or its family has been revoked, or its application is deleted or disabled. */
  ended: boolean
}

export interface Ended {
  userId: UserId
  applicationId: ApplicationId
}

/** Each method runs in one transaction, which is on disk before the method resolves. */
export interface GrantStore {
  /** Never returns the same number twice while the process runs. */
  allotNumber(of: 'family' | 'access-token'): number | Promise<number>

  /**
   * Stores the grant with its code, and adds its scopes to the user's consent. Scopes with implied consent are stored
   * separately: they are listed, but never count as standing consent.
   *
   * Stores nothing and returns `consent-gone` if a standing consent no longer covers the scopes, or `party-gone` if the
   * user or the application is deleted or disabled.
   */
  issueCode: Recorded<[grant: NewGrant, nowMs: number], IssueCodeOutcome>

  /** Spends the code and stores its tokens if {@link judgeRedemption} allows it. Of concurrent calls, one succeeds. */
  redeemCode(presented: PresentedCode, next: NextTokens, nowMs: number): Promise<RedemptionOutcome>

  /** The same with {@link judgeRotation} for a refresh token and its successors. */
  rotateRefreshToken(presented: PresentedRefreshToken, next: NextTokens, nowMs: number): Promise<RotationOutcome>

  /** Keeps the time and cause of the first call, which alone returns the family's user and application. Idempotent. */
  revokeFamily: Recorded<[family: number, cause: RevocationCause, nowMs: number], Ended | undefined>

  /** Revokes by a current or superseded refresh token. `client` must be the family's; `undefined` allows any. */
  revokeByRefreshToken: Recorded<
    [presented: PresentedSecret, client: ApplicationId | undefined, nowMs: number],
    Ended | undefined
  >

  /** @param client required client of the token; `undefined` allows any. */
  revokeAccessToken: Recorded<
    [presented: PresentedSecret, client: ApplicationId | undefined, nowMs: number],
    Ended | undefined
  >

  /** The caller must compare the digest. Never writes. */
  findAccessToken(number: number): AccessToken | undefined | Promise<AccessToken | undefined>

  /** Never writes. */
  findFamily(number: number): Promise<(TokenFamily & { applicationClosed: boolean }) | undefined>

  /** Implied scopes do not count. */
  consentedScopes(userId: UserId, applicationId: ApplicationId): Promise<readonly string[]>

  /** For applications that still exist, including implied scopes, latest grant first. */
  listConsents(userId: UserId): Promise<readonly Consent[]>

  /** Also revokes all token families of the user and application, including codes that have not been redeemed yet. */
  withdrawConsent: Recorded<[userId: UserId, applicationId: ApplicationId, nowMs: number], 'withdrawn' | 'not-given'>

  /**
   * Examines the next `limit` token families of all applications, and revokes those of this application. Returns the
   * number of the last family examined, or `undefined` at the end. One transaction for all would keep other writes
   * waiting.
   *
   * @param at.after 0, then the number that the previous call returned.
   */
  revokeSomeOf(
    applicationId: ApplicationId,
    at: { after: number; limit: number; nowMs: number },
  ): Promise<number | undefined>

  /** By family number. Ignores consents that have been withdrawn. */
  recordUse(lastUsedAtMs: ReadonlyMap<number, number>): Promise<void>

  /** Deletes up to `limit` access tokens and `limit` families that expired before `nowMs`. Returns the row count. */
  prune(nowMs: number, limit: number): Promise<number>
}

export interface AuthorizationParts {
  clients: Clients
  requests: RequestLog
  grants: GrantStore
  scopes: ScopeStore
  audit: Audit
  secrets: Secrets
  clock: Clock
  /** Test runs end at the developer portal. */
  portalUrl: string
}
