import type { Client } from '../applications/clients.ts'
import type { AuditEntry, Origin } from '../audit/audit.ts'
import { LastUsedTimes } from '../background-work.ts'
import { type ApplicationId, sameDigest, secretPrefixes } from '../ids-and-secrets.ts'
import type { AccessToken, AuthorizationParts, Ended } from './grant-store.ts'
import { AuthorizationRefusal } from './refusal.ts'
import { parseScopes } from './scope.ts'
import type { NextTokens, TokenFamily } from './token-family.ts'

export interface IssuedTokens {
  accessToken: string
  refreshToken: string | undefined
  scopes: readonly string[]
}

/** With the user, and the session in which the user allowed it. */
type RedeemedTokens = IssuedTokens & Pick<TokenFamily, 'userId' | 'accountSession'>

/** So that each transaction stays short. */
const familiesPerStep = 1_000

/** The store applies the rules in `token-family.ts` inside the transaction that changes the family. */
export function createTokens(parts: Pick<AuthorizationParts, 'grants' | 'requests' | 'audit' | 'secrets' | 'clock'>) {
  const { grants, requests, audit, secrets, clock } = parts

  function cameFrom({ address, userAgent = '' }: Origin) {
    const text = `origin\n${address}\n${userAgent}`
    return {
      from: secrets.digest(text),
      // The stored digest may have been made with a previous secret key.
      isFrom: (stored: Uint8Array) => secrets.find(text, (one) => sameDigest(one, stored) || undefined) ?? false,
    }
  }

  async function nextTokens(family: number, generation: number) {
    const accessNumber = await grants.allotNumber('access-token')
    const access = secrets.makeNumbered('accessToken', { row: accessNumber, generation: 0 })
    const refresh = secrets.makeNumbered('refreshToken', { row: family, generation })
    const next: NextTokens = { accessNumber, accessDigest: access.digest, refreshDigest: refresh.digest }
    return { accessToken: access.clearText, refreshToken: refresh.clearText, next }
  }

  function revokeFamily(
    family: number,
    kind: 'code-replay' | 'refresh-reuse',
    origin: Origin,
    detail: AuditEntry['detail'] = {},
  ) {
    const recording = audit.recording<Ended | undefined>(
      (ended) => ended && { ...ended, kind, actor: 'client', origin, detail },
    )
    return grants.revokeFamily(family, kind, clock.nowMs(), recording)
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
      if (outcome.kind === 'code-replayed') await revokeFamily(presented.row, 'code-replay', request.origin)
      throw new AuthorizationRefusal(outcome.kind, { detail: `family ${presented.row}` })
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
          ...cameFrom(request.origin),
        },
        next,
        nowMs,
      )
      if (outcome.kind === 'rotated') {
        requests.count(request.client.id, 'refreshes')
        return { accessToken, refreshToken, scopes: outcome.scopes }
      }
      if (outcome.kind === 'refresh-token-reused') {
        const { probably } = outcome
        await revokeFamily(presented.row, 'refresh-reuse', request.origin, { probably })
      }
      throw new AuthorizationRefusal(outcome.kind, {
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

    /** Uses many short transactions. If one fails, the tokens revoked so far stay revoked. */
    async revokeAllOf(applicationId: ApplicationId): Promise<void> {
      const nowMs = clock.nowMs()
      let after: number | undefined = 0
      while (after !== undefined) {
        after = await grants.revokeSomeOf(applicationId, { after, limit: familiesPerStep, nowMs })
      }
    },
  }
}

export type Bearer = Pick<AccessToken, 'userId' | 'applicationId' | 'scopes'>

/** Introspection (RFC 7662 section 2.2). */
interface TokenDescription extends Bearer {
  tokenType: 'Bearer' | 'refresh_token'
  issuedAtMs?: number
  expiresAtMs: number
}

export function createLiveTokens({ grants, secrets, clock }: Pick<AuthorizationParts, 'grants' | 'secrets' | 'clock'>) {
  const uses = new LastUsedTimes()

  async function accessToken(clearText: string): Promise<AccessToken | AuthorizationRefusal> {
    const presented = secrets.readNumbered('accessToken', clearText)
    const token = presented && (await grants.findAccessToken(presented.row))
    if (presented === undefined || token === undefined || !sameDigest(token.digest, presented.digest)) {
      return new AuthorizationRefusal('access-token-invalid')
    }
    const { applicationId } = token
    if (token.ended) return new AuthorizationRefusal('access-token-revoked', { applicationId })
    if (clock.nowMs() < token.expiresAtMs) return token
    return new AuthorizationRefusal('access-token-expired', { applicationId })
  }

  async function describeRefreshToken(clearText: string): Promise<TokenDescription | undefined> {
    const presented = secrets.readNumbered('refreshToken', clearText)
    if (presented === undefined) return undefined
    const family = await grants.findFamily(presented.row)
    if (family === undefined || family.refreshDigest === null || family.refreshExpiresAtMs === null) return undefined
    if (!sameDigest(family.refreshDigest, presented.digest)) return undefined
    const ended = family.revokedAtMs !== null || family.applicationClosed
    if (ended || clock.nowMs() >= family.refreshExpiresAtMs) return undefined
    return { ...family, tokenType: 'refresh_token', expiresAtMs: family.refreshExpiresAtMs }
  }

  return {
    /**
     * Reads one row by index and writes none (RFC 6750); {@link recordUse} stores the time of use later.
     *
     * @throws AuthorizationRefusal `access-token-invalid`, `-expired` or `-revoked`.
     */
    async authenticate(clearTextToken: string): Promise<Bearer> {
      const token = await accessToken(clearTextToken)
      if (token instanceof AuthorizationRefusal) throw token
      uses.record(token.family, clock.nowMs())
      return token
    },

    /**
     * Describes a valid token (RFC 7662).
     *
     * @param client required client of the token. `undefined` allows any: a resource server asks, because a client has
     *   presented the token to it, which counts as use.
     */
    async describe(clearTextToken: string, client: Client | undefined): Promise<TokenDescription | undefined> {
      let described: TokenDescription | undefined
      if (clearTextToken.startsWith(secretPrefixes.refreshToken)) {
        described = await describeRefreshToken(clearTextToken)
      } else {
        const token = await accessToken(clearTextToken)
        if (token instanceof AuthorizationRefusal) return undefined
        if (client === undefined) uses.record(token.family, clock.nowMs())
        described = { ...token, tokenType: 'Bearer' }
      }
      return client === undefined || described?.applicationId === client.id ? described : undefined
    },

    recordUse: () => uses.flush((lastUsedAtMs) => grants.recordUse(lastUsedAtMs)),
  }
}
