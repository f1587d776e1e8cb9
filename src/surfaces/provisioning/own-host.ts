import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Problem, sendProblem } from './problem.ts'

/**
 * Refuses requests by a DNS name that is not ours, so that no page in an operator's browser reaches the control surface
 * by a name that its attacker points here (DNS rebinding). Addresses pass: scrapers and probes use them, and a browser
 * sends one only where the page came from that address.
 */
export function refuseOtherHosts(app: FastifyInstance, controlUrl: string): void {
  const ownNames = ['localhost', new URL(controlUrl).hostname]
  app.addHook('onRequest', async (request, reply) => {
    // As sent: what the framework calls the host may come from a forwarded header.
    const { host } = request.raw.headers
    if (host === undefined || isAddress(host)) return
    if (ownNames.includes(host.replace(/:[0-9]*$/, '').toLowerCase())) return
    const names = [...new Set(ownNames)].join(' and ')
    return sendProblem(reply, new Problem(421, `The control surface answers to ${names} and to IP addresses.`))
  })
}

function isAddress(host: string): boolean {
  const [, bracketed, bare] = /^(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]*)?$/.exec(host) ?? []
  return isIP(bracketed ?? bare ?? '') !== 0
}
