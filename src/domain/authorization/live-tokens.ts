import type { Client } from '../applications/clients.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import { LastUsedTimes } from '../last-times.ts'
import { sameDigest, secretPrefixes } from '../secret.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import type { AccessToken } from './grant-store.ts'
import { AuthorizationRefusal } from './refusal.ts'

export interface Bearer {
  userId: UserId
  applicationId: ApplicationId
  scopes: readonly string[]
}

/** Introspection (RFC 7662 section 2.2). */
export interface TokenDescription {
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
