import type { Client } from '../applications/clients.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId, UserId } from '../ids.ts'
import { LastUsedTimes } from '../last-times.ts'
import { type Secrets, sameDigest, secretPrefixes } from '../secret.ts'
import type { AccessToken, GrantStore } from './grant-store.ts'
import { AuthorizationRefusal } from './refusal.ts'

export interface Bearer {
  userId: UserId
  applicationId: ApplicationId
  scopes: readonly string[]
}

/** A valid token as described by introspection (RFC 7662 section 2.2). */
export interface TokenDescription {
  tokenType: 'access_token' | 'refresh_token'
  application: ApplicationId
  userId: UserId
  scopes: readonly string[]
  issuedAtSeconds: number | undefined
  expiresAtSeconds: number
}

export class LiveTokens {
  readonly #grants: GrantStore
  readonly #secrets: Secrets
  readonly #clock: Clock
  readonly #uses = new LastUsedTimes()

  constructor(parts: { grants: GrantStore; secrets: Secrets; clock: Clock }) {
    this.#grants = parts.grants
    this.#secrets = parts.secrets
    this.#clock = parts.clock
  }

  /**
   * Returns the user, application and scopes of an access token (RFC 6750). Does one indexed read and no writes;
   * {@link recordUse} stores the time of use later.
   *
   * @throws AuthorizationRefusal `access-token-invalid`, `-expired` or `-revoked`.
   */
  async authenticate(clearTextToken: string): Promise<Bearer> {
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
    this.#uses.record(token.family, nowMs)
    return { userId: token.userId, applicationId, scopes: token.scopes }
  }

  /**
   * Describes a valid token (RFC 7662). Returns `undefined` for any other token.
   *
   * @param client required client of the token; `undefined` allows any.
   */
  async describe(clearTextToken: string, client: Client | undefined): Promise<TokenDescription | undefined> {
    const described = clearTextToken.startsWith(secretPrefixes.refreshToken)
      ? await this.#describeRefreshToken(clearTextToken)
      : await this.#describeAccessToken(clearTextToken, client === undefined)
    return client === undefined || described?.application === client.id ? described : undefined
  }

  recordUse(): Promise<void> {
    return this.#uses.flush((lastUsedAtMs) => this.#grants.recordUse(lastUsedAtMs))
  }

  /**
   * @param used whether to record the token as used. Set if a resource server asks, because a client has presented the
   * token to that server.
   */
  async #describeAccessToken(clearText: string, used: boolean): Promise<TokenDescription | undefined> {
    const presented = this.#secrets.readNumbered('accessToken', clearText)
    if (presented === undefined) return undefined
    const token: AccessToken | undefined = await this.#grants.findAccessToken(presented.row)
    if (token === undefined || !sameDigest(token.digest, presented.digest)) return undefined
    const nowMs = this.#clock.nowMs()
    if (token.ended || nowMs >= token.expiresAtMs) return undefined
    if (used) this.#uses.record(token.family, nowMs)
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
    const ended = family.revokedAtMs !== null || family.applicationClosed
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
