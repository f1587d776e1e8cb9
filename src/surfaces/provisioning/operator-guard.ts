import type { FastifyRequest } from 'fastify'
import type { Operator, OperatorKeys } from '../../domain/operators/operator-keys.ts'
import type { WrongOperatorKeys } from '../../domain/operators/wrong-operator-keys.ts'
import { clearTextBearer } from '../../http/bearer.ts'
import { browserInfo } from '../../http/browser-info.ts'
import { addressBlock } from '../../http/client-address.ts'
import type { Refusals } from '../../http/refusals.ts'
import { Problem } from './problem.ts'

export interface OperatorGuardParts {
  operatorKeys: OperatorKeys
  wrongOperatorKeys: WrongOperatorKeys
  refusals: Refusals
}

/** Admits holders of an operator key. Logs, counts, slows and records wrong keys; the right key always works. */
export class OperatorGuard {
  readonly #parts: OperatorGuardParts
  readonly #admitted = new WeakMap<FastifyRequest, Operator>()

  constructor(parts: OperatorGuardParts) {
    this.#parts = parts
  }

  /** @throws Problem 401, 403 or 429; StoreUnavailable if a named key can't be looked up. */
  async admit(request: FastifyRequest): Promise<void> {
    const { address, userAgent } = browserInfo(request)
    const { authorization } = request.headers
    if (authorization === undefined) {
      this.#parts.refusals.note({ cause: 'key-missing' }, { client: address })
      throw unauthorized()
    }
    const clearTextKey = clearTextBearer(authorization)
    const operator = clearTextKey && (await this.#parts.operatorKeys.authenticate(clearTextKey))
    if (!operator) {
      const waitMs = await this.#parts.wrongOperatorKeys.note(addressBlock(address), { address, userAgent })
      this.#parts.refusals.note({ cause: waitMs === 0 ? 'key-wrong' : 'too-many-wrong-keys' }, { client: address })
      throw waitMs === 0 ? unauthorized() : tooManyWrongKeys(waitMs)
    }
    if (operator.access === 'read' && !readingMethods.includes(request.method)) {
      const operatorKeyId = operator.key?.id
      this.#parts.refusals.note({ cause: 'read-only' }, { client: address, operatorKeyId })
      throw new Problem(403, 'This operator key has read access, so it can only send GET. Nothing was changed.')
    }
    this.#admitted.set(request, operator)
  }

  /** Returns the operator whose request was admitted. */
  operatorOf(request: FastifyRequest): Operator {
    const operator = this.#admitted.get(request)
    if (operator === undefined) throw new Error('the request was not admitted')
    return operator
  }
}

const readingMethods: readonly string[] = ['GET', 'HEAD']

function unauthorized(): Problem {
  return new Problem(401, 'Send the operator key in the header Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function tooManyWrongKeys(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1_000)
  return new Problem(429, `Too many wrong operator keys from this address. Wait ${seconds} s, or send the right key.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
