import type { FastifyRequest } from 'fastify'
import { type PersonalTokens, personalTokenScopes } from '../../domain/accounts/personal-tokens/personal-tokens.ts'
import type { Audit } from '../../domain/audit/audit.ts'
import { TooManyActs } from '../../domain/audit/audit.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { Clock } from '../../domain/clock.ts'
import { secretPrefixes } from '../../domain/ids-and-secrets.ts'
import { network } from '../../domain/limits/budget.ts'
import * as limits from '../../domain/limits/limits.ts'
import { SlidingLog } from '../../domain/limits/sliding-log.ts'
import { Type } from '../../http/json-schema.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { browserInfo, clearTextBearer } from '../../http/request-origin.ts'
import { type Operation, ok } from '../engine/api.ts'
import { Problem, waitFirst } from '../engine/problem.ts'
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
 * Admits valid personal access tokens and runtime keys (RFC 6750), with a limit of requests for each. Logs wrong
 * tokens, and limits them per address, from which a valid token is still admitted.
 */
export function tokenGuard({ personalTokens, bots, audit, clock, refusals }: TokenGuardParts) {
  const requests = new SlidingLog({ limit: limits.ownerApiRequestsPerMinute, windowMs: 60_000 })
  const wrong = new SlidingLog({ limit: limits.wrongPersonalTokensPerMinute, windowMs: 60_000 })

  function demandShare({ userId, origin }: OwnerCaller['by']): void {
    try {
      audit.demandShare(userId, origin)
    } catch (error) {
      if (!(error instanceof TooManyActs)) throw error
      refusals.note({ cause: 'too-many-requests' }, { user: userId })
      throw tooMany(error.retryAfterMs, 'You have made too many changes in a short time.')
    }
  }

  function demandRequest(party: string, fields: object): void {
    const waitMs = requests.take(party, clock.nowMs())
    if (waitMs <= 0) return
    refusals.note({ cause: 'too-many-requests' }, fields)
    throw tooMany(waitMs, `This token has sent more than ${limits.ownerApiRequestsPerMinute} requests in a minute.`)
  }

  function refuseWrong(what: 'personal access token' | 'runtime key', address: string): Problem {
    const waitMs = wrong.take(network(address), clock.nowMs())
    refusals.note({ cause: waitMs === 0 ? 'token-wrong' : 'too-many-wrong-tokens' }, { client: address })
    if (waitMs > 0) return tooMany(waitMs, 'Too many wrong tokens came from this address.')
    const place = what === 'runtime key' ? 'a bot’s page' : 'your account page'
    const detail = `The ${what} is wrong, revoked or expired. Create one on ${place}.`
    return unauthorized('Bearer error="invalid_token"', detail)
  }

  return {
    /** @throws Problem 401 or 429; StoreUnavailable. */
    async authenticate(request: FastifyRequest): Promise<OwnerCaller | RuntimeCaller> {
      const { userAgent, address } = browserInfo(request)
      const { authorization } = request.headers
      if (authorization === undefined) {
        refusals.note({ cause: 'token-missing' }, { client: address })
        throw unauthorized('Bearer', 'Send a personal access token in the header Authorization: Bearer <token>.')
      }
      const clearText = clearTextBearer(authorization)
      if (clearText?.startsWith(secretPrefixes.runtimeKey)) {
        const found = await bots.runtimes.authenticate(clearText)
        if (found === undefined) throw refuseWrong('runtime key', address)
        const { runtime, key } = found
        demandRequest(`runtime ${key.number}`, { runtime: runtime.id })
        return { runtime, clearTextKey: clearText, address }
      }
      const token = clearText && (await personalTokens.authenticate(clearText))
      if (!token) throw refuseWrong('personal access token', address)
      const { id, name } = token
      demandRequest(`token ${token.number}`, { user: token.userId, tokenId: id })
      return { by: { userId: token.userId, origin: { userAgent, address, token: { id, name } } }, token }
    },

    /** @throws Problem 403 for a key of the wrong kind or without the scope; 429 after too many audited changes. */
    authorize(caller: OwnerCaller | RuntimeCaller, { scope, method }: Operation): void {
      if ('runtime' in caller) {
        if (scope === 'runtime-key') return
        throw new Problem(403, 'A runtime key can’t make this call. Send a personal access token. Nothing was changed.')
      }
      if (scope === 'runtime-key') throw new Problem(403, 'This call needs a runtime key instead of a token.')
      const { by, token } = caller
      if (scope === null || token.scopes.includes(scope)) {
        if (method !== 'get') demandShare(by)
        return
      }
      refusals.note({ cause: 'scope-missing' }, { user: token.userId, tokenId: token.id, scope })
      throw new Problem(403, `This token lacks the scope ${scope}. Create one that has it. Nothing was changed.`, {
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
      })
    },
  }
}

export function unauthorized(challenge: string, detail: string): Problem {
  return new Problem(401, detail, { headers: { 'www-authenticate': challenge } })
}

function tooMany(waitMs: number, why: string): Problem {
  return waitFirst(waitMs, (seconds) => `${why} Wait ${seconds} s.`)
}

const record = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    userId: Type.String('your user ID'),
    scopes: Type.Array(Type.Enum(personalTokenScopes)),
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
