import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { network } from '../../domain/limits/budget.ts'
import type { Operator, OperatorKeys, WrongOperatorKeys } from '../../domain/operators/operator-keys.ts'
import { type MalformedRequest, malformedDetail } from '../../http/new-app.ts'
import type { Refusals } from '../../http/request-metrics.ts'
import { browserInfo, clearTextBearer } from '../../http/request-origin.ts'
import { Problem, problemResponse, sendProblem, waitFirst } from '../engine/problem.ts'

export interface OperatorGuardParts {
  operatorKeys: OperatorKeys
  wrongOperatorKeys: WrongOperatorKeys
  refusals: Refusals
}

/**
 * Returns a function that admits valid operator keys. Logs, counts and audits wrong ones, and limits them per address,
 * from which a valid key is still admitted. Throws Problem 401, 403 or 429; StoreUnavailable.
 */
export function operatorGuard({ operatorKeys, wrongOperatorKeys, refusals }: OperatorGuardParts) {
  return async (request: FastifyRequest): Promise<Operator> => {
    const { address, userAgent } = browserInfo(request)
    const { authorization } = request.headers
    if (authorization === undefined) {
      refusals.note({ cause: 'key-missing' }, { client: address })
      throw unauthorized()
    }
    const clearTextKey = clearTextBearer(authorization)
    const operator = clearTextKey && (await operatorKeys.authenticate(clearTextKey))
    if (!operator) {
      const waitMs = await wrongOperatorKeys.note(network(address), { address, userAgent })
      refusals.note({ cause: waitMs === 0 ? 'key-wrong' : 'too-many-wrong-keys' }, { client: address })
      if (waitMs === 0) throw unauthorized()
      const tooMany = 'Too many wrong operator keys from this address.'
      throw waitFirst(waitMs, (seconds) => `${tooMany} Wait ${seconds} s, or send the right key.`)
    }
    if (operator.access === 'read' && !readingMethods.includes(request.method)) {
      refusals.note({ cause: 'read-only' }, { client: address, operatorKeyId: operator.key?.id })
      throw new Problem(403, 'This operator key has read access, so it can only send GET. Nothing was changed.')
    }
    return operator
  }
}

const readingMethods: readonly string[] = ['GET', 'HEAD']

function unauthorized(): Problem {
  return new Problem(401, 'Send a valid operator key in the header Authorization: Bearer <key>.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

/**
 * Rejects a `Host` with an unknown DNS name, against DNS rebinding, by which a page in an operator's browser would
 * reach this surface. Allows IP addresses: probes use them, and rebinding can't.
 */
export function refuseOtherHosts(app: FastifyInstance, controlUrl: string): void {
  const ownNames = ['localhost', new URL(controlUrl).hostname]
  app.addHook('onRequest', async (request, reply) => {
    // Reads the raw header, because Fastify's `request.host` may come from a forwarded header.
    const { host } = request.raw.headers
    if (host === undefined || isAddress(host)) return
    if (ownNames.includes(host.replace(/:[0-9]*$/, '').toLowerCase())) return
    const names = [...new Set(ownNames)].join(', ')
    return sendProblem(reply, new Problem(421, `Unknown host. Use ${names} or an IP address.`))
  })
}

function isAddress(host: string): boolean {
  const [, bracketed, bare] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]*)?$/.exec(host) ?? []
  return isIP(bracketed ?? bare ?? '') !== 0
}

export function malformedProblem(error: MalformedRequest) {
  const { status, detail } = malformedDetail(error)
  return problemResponse(new Problem(status, detail))
}
