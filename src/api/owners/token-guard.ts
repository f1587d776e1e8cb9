import type { FastifyRequest } from 'fastify'
import { type PersonalTokens, personalTokenScopes } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import { TooManyActs } from '../../domain/audit/audit-shares.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { network } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { secretPrefixes } from '../../domain/secret.ts'
import { clearTextBearer } from '../../http/authorization-header.ts'
import { Type } from '../../http/json-schema.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { browserInfo } from '../../http/request-origin.ts'
import { type Operation, ok } from '../engine/api.ts'
import { Problem } from '../engine/problem.ts'
import { inIsoTimes, timestamp } from '../engine/schemas.ts'
import { type OwnerCaller, type RuntimeCaller, withScope } from './api.ts'

export interface TokenGuardParts {
  personalTokens: Pick<PersonalTokens, 'authenticate'>
  bots: Pick<Bots, 'runtimes'>
  audit: Pick<Audit, 'demandShare'>
  clock: Clock
  refusals: Refusals
}

/**
 * Admits requests with a valid personal access token or runtime key, as bearer tokens (RFC 6750). Limits the requests per
 * token. Wrong tokens are logged, and rate-limited per client address; a valid token is admitted even from a limited
 * address.
 */
export class TokenGuard {
  readonly #parts: TokenGuardParts
  readonly #requests = new SlidingLog({ limit: limits.ownerApiRequestsPerMinute, windowMs: 60_000 })
  readonly #wrong = new SlidingLog({ limit: limits.wrongPersonalTokensPerMinute, windowMs: 60_000 })

  constructor(parts: TokenGuardParts) {
    this.#parts = parts
  }

  /** @throws Problem 401 or 429; StoreUnavailable. */
  async authenticate(request: FastifyRequest): Promise<OwnerCaller | RuntimeCaller> {
    const { userAgent, address } = browserInfo(request)
    const { authorization } = request.headers
    if (authorization === undefined) {
      this.#parts.refusals.note({ cause: 'token-missing' }, { client: address })
      throw unauthorized('Bearer')
    }
    const clearText = clearTextBearer(authorization)
    if (clearText?.startsWith(secretPrefixes.runtimeKey)) {
      const found = await this.#parts.bots.runtimes.authenticate(clearText)
      if (found === undefined) throw this.#refuseWrong('runtime key', address)
      const { runtime, key } = found
      this.#demandRequest(`runtime ${key.number}`, { runtime: runtime.id })
      return { runtime, clearTextKey: clearText, address }
    }
    const token = clearText && (await this.#parts.personalTokens.authenticate(clearText))
    if (!token) throw this.#refuseWrong('personal access token', address)
    const { id, name } = token
    this.#demandRequest(`token ${token.number}`, { user: token.userId, tokenId: id })
    return { by: { userId: token.userId, origin: { userAgent, address, token: { id, name } } }, token }
  }

  /**
   * @throws Problem 403 if the call needs a key of the other kind, or the token lacks its scope; 429 if the token's user
   *   has made too many audited changes.
   */
  authorize(caller: OwnerCaller | RuntimeCaller, { scope = null, method }: Operation): void {
    if ('runtime' in caller) {
      if (scope === 'runtime-key') return
      throw new Problem(403, 'A runtime key can’t make this call. Send a personal access token. Nothing was changed.')
    }
    if (scope === 'runtime-key') throw new Problem(403, 'This call needs a runtime key instead of a token.')
    const { by, token } = caller
    if (scope === null || token.scopes.includes(scope)) {
      if (method !== 'get') this.#demandShare(by)
      return
    }
    this.#parts.refusals.note({ cause: 'scope-missing' }, { user: token.userId, tokenId: token.id, scope })
    throw new Problem(403, `This token lacks the scope ${scope}. Create one that has it. Nothing was changed.`, {
      headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    })
  }

  #demandShare({ userId, origin }: OwnerCaller['by']): void {
    try {
      this.#parts.audit.demandShare(userId, origin)
    } catch (error) {
      if (!(error instanceof TooManyActs)) throw error
      this.#parts.refusals.note({ cause: 'too-many-requests' }, { user: userId })
      throw tooMany(error.retryAfterMs, 'You have made too many changes in a short time.')
    }
  }

  #demandRequest(party: string, fields: object): void {
    const waitMs = this.#requests.take(party, this.#parts.clock.nowMs())
    if (waitMs <= 0) return
    this.#parts.refusals.note({ cause: 'too-many-requests' }, fields)
    throw tooMany(waitMs, `This token has sent more than ${limits.ownerApiRequestsPerMinute} requests in a minute.`)
  }

  #refuseWrong(what: 'personal access token' | 'runtime key', address: string): Problem {
    const nowMs = this.#parts.clock.nowMs()
    const waitMs = this.#wrong.take(network(address), nowMs)
    this.#parts.refusals.note({ cause: waitMs === 0 ? 'token-wrong' : 'too-many-wrong-tokens' }, { client: address })
    if (waitMs === 0) return unauthorized('Bearer error="invalid_token"', what)
    return tooMany(waitMs, 'Too many wrong tokens came from this address.')
  }
}

function unauthorized(challenge: string, wrong?: 'personal access token' | 'runtime key'): Problem {
  const place = wrong === 'runtime key' ? 'a bot’s page' : 'your account page'
  const detail =
    wrong === undefined
      ? 'Send a personal access token in the header Authorization: Bearer <token>.'
      : `The ${wrong} is wrong, revoked or expired. Create one on ${place}.`
  return new Problem(401, detail, { headers: { 'www-authenticate': challenge } })
}

function tooMany(waitMs: number, why: string): Problem {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Problem(429, `${why} Wait ${seconds} s.`, { headers: { 'retry-after': String(seconds) } })
}

const record = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    userId: Type.String({ description: 'your user ID' }),
    scopes: Type.Array(Type.Enum(personalTokenScopes, { type: 'string' })),
    createdAt: timestamp('when the token was created'),
    expiresAt: timestamp('when the token expires'),
  },
  { title: 'Token' },
)

export const tokenRoute = withScope(null).get(
  '/token',
  'Read the token of this request',
  { 200: ['The token, without the secret.', record] },
  async ({ caller }) => ok(inIsoTimes(caller.token)),
)
