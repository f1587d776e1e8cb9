import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Problem, sendProblem } from '../engine/problem.ts'

/**
 * Rejects requests whose `Host` is an unknown DNS name. This prevents DNS rebinding, where a web page in an operator's
 * browser reaches the control surface through the attacker's domain. IP addresses are allowed, because scrapers and
 * probes use them, and rebinding needs a DNS name.
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
