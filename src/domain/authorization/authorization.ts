import type { Session } from '../accounts/accounts.ts'
import { network } from '../accounts/sessions/sign-in-limits.ts'
import type { Application, Applications, Client } from '../applications/applications.ts'
import { matchesRedirectUri } from '../applications/redirect-uri.ts'
import type { RequestLog } from '../applications/request-log.ts'
import type { Audit } from '../audit/audit.ts'
import type { AuditKind, Happening, Origin } from '../audit/audit-event.ts'
import type { Clock } from '../clock.ts'
import { type ApplicationId, type AttemptId, type ClientId, newAttemptId, type UserId } from '../ids.ts'
import { LastTimes } from '../last-times.ts'
import {
  attemptsPerAddress,
  attemptsPerUser,
  authorizationAttemptLifetimeMs,
  authorizationCodeLifetimeSeconds,
  expiredTokensKeptMs,
  pushedRequestLifetimeSeconds,
  pushedRequestsPerApplication,
} from '../limits/limits.ts'
import type { RowShare } from '../limits/row-share.ts'
import { type SecretDigest, type Secrets, sameDigest, secretPrefixes } from '../secret.ts'
import type { AttemptStore, AuthorizationAttempt } from './attempt-store.ts'
import { type AuthorizationRequest, type RequestReading, readAuthorizationRequest } from './authorization-request.ts'
import type { AccessToken, Consent, Ended, GrantStore, NewGrant } from './grant-store.ts'
import { type NextStep, nextStep } from './next-step.ts'
import { type QueryValue, withQuery } from './query.ts'
import { AuthorizationRefusal, type AuthorizationRefusalReason } from './refusal.ts'
import { type DeclaredScope, parseScopes, standardScopes } from './scope.ts'
import type { ScopeStore } from './scope-store.ts'
import type { NextTokens, RedemptionOutcome, RotationOutcome } from './token-family.ts'
import { tryOutAddress } from './try-out.ts'

/** Tokens in clear, as the token response carries them. */
export interface IssuedTokens {
  accessToken: string
  refreshToken: string | undefined
  scopes: readonly string[]
}

/**
 * The party that begins an attempt: a signed-in user, a client with a pushed request, or a browser without a session.
 */
export type Beginner = { userId: UserId } | { clientOf: ApplicationId } | { address: string }

/** Whom and what an access token stands for. */
export interface Bearer {
  userId: UserId
  applicationId: ApplicationId
  scopes: readonly string[]
}

/** An attempt whose request still holds, with what its pages need to know. */
export interface OpenAttempt {
  id: AttemptId
  application: Application
  request: AuthorizationRequest
  redirectOrigin: string
  expired: boolean
  /** Begun so lately that a pushed request of it may still be used (RFC 9126 section 2.2). */
  pushedLately: boolean
}

/** What introspection tells of a live token (RFC 7662 section 2.2). Times in seconds. */
export interface TokenDescription {
  tokenType: 'access_token' | 'refresh_token'
  application: ApplicationId
  userId: UserId
  scopes: readonly string[]
  issuedAtSeconds: number | undefined
  expiresAtSeconds: number
}

/**
 * The life of an authorization: request, consent, code, tokens, revocation. One family of tokens is one
 * authorization, and every rule about it is judged inside the transaction that acts on it.
 */
export class Authorization {
  readonly #applications: Applications
  readonly #requests: RequestLog
  readonly #grants: GrantStore
  readonly #attempts: AttemptStore
  readonly #scopes: ScopeStore
  readonly #audit: Audit
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #portalUrl: string
  readonly #uses = new LastTimes()

  constructor(parts: {
    applications: Applications
    requests: RequestLog
    grants: GrantStore
    attempts: AttemptStore
    scopes: ScopeStore
    audit: Audit
    secrets: Secrets
    clock: Clock
    /** Where applications are tried out. */
    portalUrl: string
  }) {
    this.#applications = parts.applications
    this.#requests = parts.requests
    this.#grants = parts.grants
    this.#attempts = parts.attempts
    this.#scopes = parts.scopes
    this.#audit = parts.audit
    this.#secrets = parts.secrets
    this.#clock = parts.clock
    this.#portalUrl = parts.portalUrl
  }

  /** Reads an authorization request; see {@link readAuthorizationRequest}. */
  readRequest(parameters: ReadonlyMap<string, readonly QueryValue[]>): Promise<RequestReading> {
    return this.#readRequest(parameters, (clientId) => this.#applications.clientById(clientId))
  }

  /**
   * Begins a try-out of an application: its request is read as every other, but the one redirect URI it may have is
   * {@link tryOutAddress}. Call it for the owner; its pages then go on for nobody else.
   */
  async beginTryOut(
    parameters: ReadonlyMap<string, readonly QueryValue[]>,
    application: Application,
    { owner, id }: { owner: UserId; id: AttemptId },
  ): Promise<RequestReading> {
    const redirectUris = [tryOutAddress(this.#portalUrl, application.id, id)]
    const reading = await this.#readRequest(parameters, async () => ({ ...application, redirectUris }))
    if (reading.kind === 'valid') await this.beginAttempt(reading.request, { userId: owner }, id)
    return reading
  }

  #readRequest(
    parameters: ReadonlyMap<string, readonly QueryValue[]>,
    clientById: (clientId: ClientId) => Promise<Application | undefined>,
  ): Promise<RequestReading> {
    return readAuthorizationRequest(parameters, {
      clientById,
      knownScopes: async () => [...standardScopes, ...(await this.#scopes.list()).map((scope) => scope.name)],
    })
  }

  /**
   * Stores the request, so that its pages can be opened by its ID for half an hour. A party with more attempts than its
   * share loses its own oldest ones.
   */
  async beginAttempt(request: AuthorizationRequest, by: Beginner, id: AttemptId = newAttemptId()): Promise<AttemptId> {
    const nowMs = this.#clock.nowMs()
    const attempt: AuthorizationAttempt = {
      id,
      applicationId: request.application.id,
      redirectUri: request.redirectUri,
      scopes: request.scopes,
      encodedState: request.encodedState,
      codeChallenge: request.codeChallenge,
      skipConsent: request.skipConsent,
      expiresAtMs: nowMs + authorizationAttemptLifetimeMs,
    }
    await this.#attempts.begin(attempt, this.#shareOf(by), nowMs)
    return id
  }

  /** The attempt with this id; undefined when there is none, or its application or redirect URI is gone. */
  async attempt(id: string): Promise<OpenAttempt | undefined> {
    const stored = await this.#attempts.find(id)
    if (stored === undefined) return undefined
    const application = await this.#applications.application(stored.applicationId)
    if (application === undefined) return undefined
    const { redirectUri, scopes, encodedState, codeChallenge, skipConsent } = stored
    const tryOut = redirectUri === tryOutAddress(this.#portalUrl, application.id, stored.id)
    const registered = matchesRedirectUri(application.redirectUris, redirectUri, application.environment)
    if (!registered && !tryOut) return undefined
    const nowMs = this.#clock.nowMs()
    const begunAtMs = stored.expiresAtMs - authorizationAttemptLifetimeMs
    return {
      id: stored.id,
      application,
      request: { application, redirectUri, scopes, encodedState, codeChallenge, skipConsent, tryOut },
      redirectOrigin: new URL(redirectUri).origin,
      expired: nowMs >= stored.expiresAtMs,
      pushedLately: nowMs - begunAtMs < pushedRequestLifetimeSeconds * 1_000,
    }
  }

  /** What has to happen next; see {@link nextStep}. */
  async nextStep(request: AuthorizationRequest, session: Session | undefined): Promise<NextStep> {
    const consented =
      session === undefined ? [] : await this.#grants.consentedScopes(session.userId, request.application.id)
    return nextStep(request, session, consented)
  }

  /**
   * Stores the grant and its code, and returns the address that carries the code to the application. Where the
   * screen was skipped for a consent that has been withdrawn meanwhile, it carries `consent_required` instead.
   */
  async allow(request: AuthorizationRequest, userId: UserId, origin: Origin): Promise<string> {
    const nowMs = this.#clock.nowMs()
    const number = await this.#grants.allotNumber('family')
    const code = this.#secrets.makeNumbered('authorizationCode', { row: number, generation: 0 })
    const grant: NewGrant = {
      number,
      applicationId: request.application.id,
      userId,
      scopes: request.scopes,
      redirectUri: request.redirectUri,
      codeChallenge: request.codeChallenge ?? null,
      codeDigest: code.digest,
      codeExpiresAtMs: nowMs + authorizationCodeLifetimeSeconds * 1_000,
      consent: request.application.firstParty ? 'implied' : request.skipConsent ? 'standing' : 'given',
    }
    const outcome = await this.#grants.issueCode(
      grant,
      nowMs,
      this.#audit.recording((issued) => (issued === 'issued' ? grantOf(grant, origin) : undefined)),
    )
    if (outcome === 'issued') this.#requests.noteGrant(grant.applicationId)
    const answer = outcome === 'issued' ? (['code', code.clearText] as const) : (['error', 'consent_required'] as const)
    return this.answerAddress(request, [answer])
  }

  /** The redirect URI with these parameters and the state that was sent. */
  answerAddress(
    request: { redirectUri: string; encodedState: string | undefined },
    parameters: readonly (readonly [string, string])[],
  ): string {
    const state = request.encodedState === undefined ? [] : [['state', request.encodedState] as const]
    const encoded = parameters.map(([name, text]) => [name, encodeURIComponent(text)] as const)
    return withQuery(request.redirectUri, [...encoded, ...state])
  }

  /**
   * Exchanges a code for tokens (RFC 6749 section 4.1.3). A code presented twice by its client revokes
   * what it yielded (section 4.1.2); no other refusal changes anything.
   *
   * @throws AuthorizationRefusal
   */
  async redeemCode(request: {
    client: Client
    clearTextCode: string
    redirectUri: string
    clearTextVerifier: string | undefined
    origin: Origin
  }): Promise<IssuedTokens> {
    const presented = this.#secrets.readNumbered('authorizationCode', request.clearTextCode)
    if (presented === undefined) throw new AuthorizationRefusal('code-unknown')
    const nowMs = this.#clock.nowMs()
    const { accessToken, refreshToken, next } = await this.#nextTokens(presented.row, 1)
    const outcome = await this.#grants.redeemCode(
      {
        ...presented,
        applicationId: request.client.id,
        redirectUri: request.redirectUri,
        clearTextVerifier: request.clearTextVerifier,
      },
      next,
      nowMs,
    )
    if (outcome.kind === 'redeemed') {
      return { accessToken, refreshToken: outcome.refreshable ? refreshToken : undefined, scopes: outcome.scopes }
    }
    if (outcome.kind === 'replayed') {
      await this.#grants.revokeFamily(
        presented.row,
        'code-replay',
        nowMs,
        this.#audit.recording((ended) => endedByClient(ended, 'code-replay', request.origin)),
      )
    }
    throw new AuthorizationRefusal(redemptionRefusals[outcome.kind], { detail: `family ${presented.row}` })
  }

  /**
   * Exchanges a refresh token for a new access and refresh token (RFC 6749 section 6).
   *
   * The presented token is spent and its successor stored in one transaction: of two callers presenting
   * it at once, one receives tokens and the other is a reuse. Reuse revokes the whole token family
   * (RFC 9700 section 4.14.2). A narrower scope holds for this access token only. A reuse is recorded
   * once a family, with what probably lies behind it; a success is not recorded.
   *
   * @throws AuthorizationRefusal
   */
  async refresh(request: {
    client: Client
    clearTextRefreshToken: string
    scope: string | undefined
    origin: Origin
  }): Promise<IssuedTokens> {
    const presented = this.#secrets.readNumbered('refreshToken', request.clearTextRefreshToken)
    if (presented === undefined) throw new AuthorizationRefusal('refresh-token-unknown')
    const nowMs = this.#clock.nowMs()
    const { accessToken, refreshToken, next } = await this.#nextTokens(presented.row, presented.generation + 1)
    const scopes = request.scope === undefined ? undefined : parseScopes(request.scope)
    const outcome = await this.#grants.rotateRefreshToken(
      {
        ...presented,
        applicationId: request.client.id,
        scopes: scopes?.length === 0 ? undefined : scopes,
        from: this.#digestOfOrigin(request.origin),
      },
      next,
      nowMs,
    )
    if (outcome.kind === 'rotated') {
      this.#requests.noteRefresh(request.client.id)
      return { accessToken, refreshToken, scopes: outcome.scopes }
    }
    if (outcome.kind === 'reused') {
      const { probably } = outcome
      await this.#grants.revokeFamily(
        presented.row,
        'refresh-reuse',
        nowMs,
        this.#audit.recording((ended) => endedByClient(ended, 'refresh-reuse', request.origin, { probably })),
      )
    }
    throw new AuthorizationRefusal(rotationRefusals[outcome.kind], { detail: `family ${presented.row}` })
  }

  /**
   * Ends a token (RFC 7009): an access token alone, a refresh token with its whole family. Unknown tokens
   * and another client's are left alone, and the caller can't tell.
   *
   * @param client The authenticated client; undefined when possession of the token is all there is.
   */
  async revoke(clearTextToken: string, client: Client | undefined, origin: Origin): Promise<void> {
    const nowMs = this.#clock.nowMs()
    const kind = clearTextToken.startsWith(secretPrefixes.refreshToken) ? 'refreshToken' : 'accessToken'
    const presented = this.#secrets.readNumbered(kind, clearTextToken)
    if (presented === undefined) return
    const recording = this.#audit.recording<Ended | undefined>(
      (ended) =>
        ended && {
          ...ended,
          kind: 'revoke',
          // Possession of the token suffices; the caller need not authenticate.
          actor: client === undefined ? 'nobody' : 'client',
          origin,
          detail: { token: kind === 'refreshToken' ? 'refresh token' : 'access token' },
        },
    )
    if (kind === 'refreshToken') await this.#grants.revokeByRefreshToken(presented, client?.id, nowMs, recording)
    else await this.#grants.revokeAccessToken(presented, client?.id, nowMs, recording)
  }

  /**
   * Whom an access token stands for (RFC 6750). One indexed read, never a write; see {@link recordUse}.
   *
   * @throws AuthorizationRefusal `access-token-invalid`, `-expired` or `-revoked`.
   */
  async authenticateBearer(clearTextToken: string): Promise<Bearer> {
    const presented = this.#secrets.readNumbered('accessToken', clearTextToken)
    if (presented === undefined) throw new AuthorizationRefusal('access-token-invalid')
    const token = await this.#grants.findAccessToken(presented.row)
    if (token === undefined || !sameDigest(token.digest, presented.digest)) {
      throw new AuthorizationRefusal('access-token-invalid')
    }
    const { applicationId } = token
    if (token.ended) throw new AuthorizationRefusal('access-token-revoked', { applicationId })
    const nowMs = this.#clock.nowMs()
    if (nowMs >= token.expiresAtMs) throw new AuthorizationRefusal('access-token-expired', { applicationId })
    this.#uses.note(token.family, nowMs)
    return { userId: token.userId, applicationId, scopes: token.scopes }
  }

  /** Describes a live token of this client (undefined: of any); undefined for everything else (RFC 7662). */
  async describeToken(clearTextToken: string, client: Client | undefined): Promise<TokenDescription | undefined> {
    const described = clearTextToken.startsWith(secretPrefixes.refreshToken)
      ? await this.#describeRefreshToken(clearTextToken)
      : await this.#describeAccessToken(clearTextToken, client === undefined)
    return client === undefined || described?.application === client.id ? described : undefined
  }

  /** The applications that the user has allowed something, the latest first. */
  listConsents(userId: UserId): Promise<readonly Consent[]> {
    return this.#grants.listConsents(userId)
  }

  /**
   * Takes back all that the user has allowed the application: its tokens and codes of this user end now, and
   * whoever asks for the same again is asked. One transaction; a racing refresh leaves nothing alive.
   */
  withdrawConsent(userId: UserId, applicationId: ApplicationId, origin: Origin): Promise<'withdrawn' | 'not-given'> {
    return this.#grants.withdrawConsent(
      userId,
      applicationId,
      this.#clock.nowMs(),
      this.#audit.recording((outcome) =>
        outcome === 'withdrawn'
          ? { kind: 'consent-withdrawn', actor: 'user', origin, userId, applicationId }
          : undefined,
      ),
    )
  }

  /** Stores when tokens were last used, as it was noted since the last time. */
  recordUse(): Promise<void> {
    return this.#uses.flush((lastUsedAtMs) => this.#grants.recordUse(lastUsedAtMs))
  }

  declareScope(name: string, description: string): Promise<'created' | 'changed'> {
    return this.#scopes.declare({ name, description })
  }

  /** The scopes the operator declared, in order of their names. */
  declaredScopes(): Promise<readonly DeclaredScope[]> {
    return this.#scopes.list()
  }

  /** Deletes what is long over, in one bounded batch; returns how many rows. Repeat while it is many. */
  async prune(limit: number): Promise<number> {
    const nowMs = this.#clock.nowMs()
    // An expired attempt stays for a day, so that its page can offer to start again.
    const attempts = await this.#attempts.prune(nowMs - 24 * 3_600_000, limit)
    return attempts + (await this.#grants.prune(nowMs - expiredTokensKeptMs, limit))
  }

  #shareOf(by: Beginner): RowShare {
    const holder = (text: string) => this.#secrets.digest(`attempts of ${text}`)
    if ('userId' in by) return { holder: holder(`user\n${by.userId}`), atMost: attemptsPerUser }
    if ('clientOf' in by) return { holder: holder(`client\n${by.clientOf}`), atMost: pushedRequestsPerApplication }
    return { holder: holder(`address\n${network(by.address)}`), atMost: attemptsPerAddress }
  }

  #digestOfOrigin({ address, userAgent = '' }: Origin): SecretDigest {
    return this.#secrets.digest(`origin\n${address}\n${userAgent}`)
  }

  async #nextTokens(family: number, generation: number) {
    const accessNumber = await this.#grants.allotNumber('access-token')
    const access = this.#secrets.makeNumbered('accessToken', { row: accessNumber, generation: 0 })
    const refresh = this.#secrets.makeNumbered('refreshToken', { row: family, generation })
    const next: NextTokens = { accessNumber, accessDigest: access.digest, refreshDigest: refresh.digest }
    return { accessToken: access.clearText, refreshToken: refresh.clearText, next }
  }

  /** @param used one of the platform's own services asks because it was presented with the token. */
  async #describeAccessToken(clearText: string, used: boolean): Promise<TokenDescription | undefined> {
    const presented = this.#secrets.readNumbered('accessToken', clearText)
    if (presented === undefined) return undefined
    const token: AccessToken | undefined = await this.#grants.findAccessToken(presented.row)
    if (token === undefined || !sameDigest(token.digest, presented.digest)) return undefined
    const nowMs = this.#clock.nowMs()
    if (token.ended || nowMs >= token.expiresAtMs) return undefined
    if (used) this.#uses.note(token.family, nowMs)
    return {
      tokenType: 'access_token',
      application: token.applicationId,
      userId: token.userId,
      scopes: token.scopes,
      issuedAtSeconds: Math.floor(token.issuedAtMs / 1_000),
      expiresAtSeconds: Math.floor(token.expiresAtMs / 1_000),
    }
  }

  async #describeRefreshToken(clearText: string): Promise<TokenDescription | undefined> {
    const presented = this.#secrets.readNumbered('refreshToken', clearText)
    if (presented === undefined) return undefined
    const family = await this.#grants.findFamily(presented.row)
    if (family === undefined || family.refreshDigest === null || family.refreshExpiresAtMs === null) return undefined
    if (!sameDigest(family.refreshDigest, presented.digest)) return undefined
    const ended = family.revokedAtMs !== null || family.applicationDeleted
    if (ended || this.#clock.nowMs() >= family.refreshExpiresAtMs) return undefined
    return {
      tokenType: 'refresh_token',
      application: family.applicationId,
      userId: family.userId,
      scopes: family.scopes,
      issuedAtSeconds: undefined,
      expiresAtSeconds: Math.floor(family.refreshExpiresAtMs / 1_000),
    }
  }
}

function grantOf({ userId, applicationId, scopes, consent }: NewGrant, origin: Origin): Happening {
  const detail = { scopes: scopes.join(' '), consent }
  return { kind: 'grant', actor: 'user', origin, userId, applicationId, detail }
}

/** What a client did that ended a family; undefined when the family had ended before. */
function endedByClient(
  ended: Ended | undefined,
  kind: AuditKind,
  origin: Origin,
  detail: Happening['detail'] = {},
): Happening | undefined {
  return ended && { ...ended, kind, actor: 'client', origin, detail }
}

const redemptionRefusals: Record<Exclude<RedemptionOutcome['kind'], 'redeemed'>, AuthorizationRefusalReason> = {
  unknown: 'code-unknown',
  'of-another-client': 'code-of-another-client',
  replayed: 'code-replayed',
  revoked: 'code-revoked',
  expired: 'code-expired',
  'redirect-uri-differs': 'redirect-uri-differs',
  'verifier-missing': 'verifier-missing',
  'verifier-unexpected': 'verifier-unexpected',
  'verifier-wrong': 'verifier-wrong',
}

const rotationRefusals: Record<Exclude<RotationOutcome['kind'], 'rotated'>, AuthorizationRefusalReason> = {
  unknown: 'refresh-token-unknown',
  'of-another-client': 'refresh-token-of-another-client',
  reused: 'refresh-token-reused',
  revoked: 'refresh-token-revoked',
  expired: 'refresh-token-expired',
  'scope-exceeds-grant': 'scope-exceeds-grant',
}
