import type { Client } from '../applications/clients.ts'
import type { AuditEntry, AuditKind, Origin } from '../audit/audit.ts'
import { LastUsedTimes } from '../background-work.ts'
import { type ApplicationId, type SecretDigest, sameDigest, secretPrefixes, type UserId } from '../ids-and-secrets.ts'
import type { AccessToken, AuthorizationParts, Ended } from './grant-store.ts'
import { AuthorizationRefusal, type AuthorizationRefusalReason } from './refusal.ts'
import { parseScopes } from './scope.ts'
import type { NextTokens, RedemptionOutcome, RotationOutcome, TokenFamily } from './token-family.ts'

export interface IssuedTokens {
  accessToken: string
  refreshToken: string | undefined
  scopes: readonly string[]
}

/** With the user, and the session in which the user allowed it. */
type RedeemedTokens = IssuedTokens & Pick<TokenFamily, 'userId' | 'accountSession'>

/** So that each transaction stays short. */
const familiesPerStep = 1_000

/**
 * A token family represents one authorization. The store applies the rules in `token-family.ts` inside the transaction
 * that changes the family.
 */
export function createTokens(parts: Pick<AuthorizationParts, 'grants' | 'requests' | 'audit' | 'secrets' | 'clock'>) {
  const { grants, requests, audit, secrets, clock } = parts

  function digestOfOrigin({ address, userAgent = '' }: Origin): SecretDigest {
    return secrets.digest(`origin\n${address}\n${userAgent}`)
  }

  async function nextTokens(family: number, generation: number) {
    const accessNumber = await grants.allotNumber('access-token')
    const access = secrets.makeNumbered('accessToken', { row: accessNumber, generation: 0 })
    const refresh = secrets.makeNumbered('refreshToken', { row: family, generation })
    const next: NextTokens = { accessNumber, accessDigest: access.digest, refreshDigest: refresh.digest }
    return { accessToken: access.clearText, refreshToken: refresh.clearText, next }
  }

  return {
    /**
     * Exchanges a code for tokens (RFC 6749 section 4.1.3). If the same client presents its code twice, the code's
     * tokens are revoked (section 4.1.2). No other error changes anything.
     *
     * @throws AuthorizationRefusal
     */
    async redeemCode(request: {
      client: Client
      clearTextCode: string
      redirectUri: string
      clearTextVerifier: string | undefined
      origin: Origin
    }): Promise<RedeemedTokens> {
      const presented = secrets.readNumbered('authorizationCode', request.clearTextCode)
      if (presented === undefined) throw new AuthorizationRefusal('code-unknown')
      const nowMs = clock.nowMs()
      const { accessToken, refreshToken, next } = await nextTokens(presented.row, 1)
      const outcome = await grants.redeemCode(
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
        const { userId, accountSession, scopes, refreshable } = outcome
        return { accessToken, refreshToken: refreshable ? refreshToken : undefined, scopes, userId, accountSession }
      }
      if (outcome.kind === 'replayed') {
        await grants.revokeFamily(
          presented.row,
          'code-replay',
          nowMs,
          audit.recording((ended) => endedByClient(ended, 'code-replay', request.origin)),
        )
      }
      throw new AuthorizationRefusal(redemptionRefusals[outcome.kind], { detail: `family ${presented.row}` })
    },

    /**
     * Exchanges a refresh token for a new access and refresh token (RFC 6749 section 6).
     *
     * Of several concurrent callers, one receives tokens and the others count as reuse, which revokes the whole token
     * family (RFC 9700 section 4.14.2). If the request narrows the scope, only the new access token is narrowed.
     *
     * A reuse is audited once per family, with its probable cause. A successful exchange is not audited.
     *
     * @throws AuthorizationRefusal
     */
    async refresh(request: {
      client: Client
      clearTextRefreshToken: string
      scope: string | undefined
      origin: Origin
    }): Promise<IssuedTokens> {
      const presented = secrets.readNumbered('refreshToken', request.clearTextRefreshToken)
      if (presented === undefined) throw new AuthorizationRefusal('refresh-token-unknown')
      const nowMs = clock.nowMs()
      const { accessToken, refreshToken, next } = await nextTokens(presented.row, presented.generation + 1)
      const scopes = request.scope === undefined ? undefined : parseScopes(request.scope)
      const outcome = await grants.rotateRefreshToken(
        {
          ...presented,
          applicationId: request.client.id,
          scopes: scopes?.length === 0 ? undefined : scopes,
          from: digestOfOrigin(request.origin),
        },
        next,
        nowMs,
      )
      if (outcome.kind === 'rotated') {
        requests.countRefresh(request.client.id)
        return { accessToken, refreshToken, scopes: outcome.scopes }
      }
      if (outcome.kind === 'reused') {
        const { probably } = outcome
        await grants.revokeFamily(
          presented.row,
          'refresh-reuse',
          nowMs,
          audit.recording((ended) => endedByClient(ended, 'refresh-reuse', request.origin, { probably })),
        )
      }
      throw new AuthorizationRefusal(rotationRefusals[outcome.kind], {
        detail: `family ${presented.row}`,
        ...(outcome.kind === 'scope-exceeds-grant' && { scope: outcome.scope }),
      })
    },

    /**
     * Revokes a token (RFC 7009): an access token alone, or a refresh token with its whole family. Ignores unknown
     * tokens and tokens of another client.
     *
     * @param client if `undefined`, possession of the token suffices.
     */
    async revoke(clearTextToken: string, client: Client | undefined, origin: Origin): Promise<void> {
      const nowMs = clock.nowMs()
      const kind = clearTextToken.startsWith(secretPrefixes.refreshToken) ? 'refreshToken' : 'accessToken'
      const presented = secrets.readNumbered(kind, clearTextToken)
      if (presented === undefined) return
      const recording = audit.recording<Ended | undefined>(
        (ended) =>
          ended && {
            ...ended,
            kind: 'revoke',
            // Possession of the token suffices, so the actor is unknown.
            actor: client === undefined ? 'nobody' : 'client',
            origin,
            detail: { token: kind === 'refreshToken' ? 'refresh token' : 'access token' },
          },
      )
      if (kind === 'refreshToken') await grants.revokeByRefreshToken(presented, client?.id, nowMs, recording)
      else await grants.revokeAccessToken(presented, client?.id, nowMs, recording)
    },

    /**
     * Revokes all tokens and codes of an application, in many short transactions. If one fails, the tokens revoked so
     * far stay revoked.
     */
    async revokeAllOf(applicationId: ApplicationId): Promise<void> {
      const nowMs = clock.nowMs()
      let after: number | undefined = 0
      while (after !== undefined) {
        after = await grants.revokeSomeOf(applicationId, { after, limit: familiesPerStep, nowMs })
      }
    },
  }
}

function endedByClient(
  ended: Ended | undefined,
  kind: AuditKind,
  origin: Origin,
  detail: AuditEntry['detail'] = {},
): AuditEntry | undefined {
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
  'verifier-malformed': 'verifier-malformed',
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

export interface Bearer {
  userId: UserId
  applicationId: ApplicationId
  scopes: readonly string[]
}

/** Introspection (RFC 7662 section 2.2). */
interface TokenDescription {
  tokenType: 'access_token' | 'refresh_token'
  application: ApplicationId
  userId: UserId
  scopes: readonly string[]
  issuedAtSeconds: number | undefined
  expiresAtSeconds: number
}

export function createLiveTokens({ grants, secrets, clock }: Pick<AuthorizationParts, 'grants' | 'secrets' | 'clock'>) {
  const uses = new LastUsedTimes()

  /** @param used set if a resource server asks, because a client has presented the token to that server. */
  async function describeAccessToken(clearText: string, used: boolean): Promise<TokenDescription | undefined> {
    const presented = secrets.readNumbered('accessToken', clearText)
    if (presented === undefined) return undefined
    const token: AccessToken | undefined = await grants.findAccessToken(presented.row)
    if (token === undefined || !sameDigest(token.digest, presented.digest)) return undefined
    const nowMs = clock.nowMs()
    if (token.ended || nowMs >= token.expiresAtMs) return undefined
    if (used) uses.record(token.family, nowMs)
    return {
      tokenType: 'access_token',
      application: token.applicationId,
      userId: token.userId,
      scopes: token.scopes,
      issuedAtSeconds: Math.floor(token.issuedAtMs / 1_000),
      expiresAtSeconds: Math.floor(token.expiresAtMs / 1_000),
    }
  }

  async function describeRefreshToken(clearText: string): Promise<TokenDescription | undefined> {
    const presented = secrets.readNumbered('refreshToken', clearText)
    if (presented === undefined) return undefined
    const family = await grants.findFamily(presented.row)
    if (family === undefined || family.refreshDigest === null || family.refreshExpiresAtMs === null) return undefined
    if (!sameDigest(family.refreshDigest, presented.digest)) return undefined
    const ended = family.revokedAtMs !== null || family.applicationClosed
    if (ended || clock.nowMs() >= family.refreshExpiresAtMs) return undefined
    return {
      tokenType: 'refresh_token',
      application: family.applicationId,
      userId: family.userId,
      scopes: family.scopes,
      issuedAtSeconds: undefined,
      expiresAtSeconds: Math.floor(family.refreshExpiresAtMs / 1_000),
    }
  }

  return {
    /**
     * RFC 6750. Does one indexed read and no writes; {@link recordUse} stores the time of use later.
     *
     * @throws AuthorizationRefusal `access-token-invalid`, `-expired` or `-revoked`.
     */
    async authenticate(clearTextToken: string): Promise<Bearer> {
      const presented = secrets.readNumbered('accessToken', clearTextToken)
      if (presented === undefined) throw new AuthorizationRefusal('access-token-invalid')
      const token = await grants.findAccessToken(presented.row)
      if (token === undefined || !sameDigest(token.digest, presented.digest)) {
        throw new AuthorizationRefusal('access-token-invalid')
      }
      const { applicationId } = token
      if (token.ended) throw new AuthorizationRefusal('access-token-revoked', { applicationId })
      const nowMs = clock.nowMs()
      if (nowMs >= token.expiresAtMs) throw new AuthorizationRefusal('access-token-expired', { applicationId })
      uses.record(token.family, nowMs)
      return { userId: token.userId, applicationId, scopes: token.scopes }
    },

    /**
     * Describes a valid token (RFC 7662).
     *
     * @param client required client of the token; `undefined` allows any.
     */
    async describe(clearTextToken: string, client: Client | undefined): Promise<TokenDescription | undefined> {
      const described = clearTextToken.startsWith(secretPrefixes.refreshToken)
        ? await describeRefreshToken(clearTextToken)
        : await describeAccessToken(clearTextToken, client === undefined)
      return client === undefined || described?.application === client.id ? described : undefined
    },

    recordUse: () => uses.flush((lastUsedAtMs) => grants.recordUse(lastUsedAtMs)),
  }
}
