import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { nameServerTimeoutMs, nameServerTries } from '../../domain/limits/limits.ts'

export type Resolved = { address: string; family: number }[]

/**
 * Returns a function that asks the name servers for a host's addresses.
 *
 * The system's resolver would occupy one of the process's two look-up threads until a slow name server responds. A user
 * who owns such a name could stop all other look-ups that way, including those of the database (decision 0119).
 *
 * @param servers default: those of the system.
 */
export function publicResolver(
  servers?: readonly string[],
  timeoutMs: number = nameServerTimeoutMs,
): (host: string) => Promise<Resolved> {
  return async (host) => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    // Name servers are never asked for `localhost` names (RFC 6761 section 6.3).
    if (/(?:^|\.)localhost\.?$/i.test(host)) return [{ address: '127.0.0.1', family: 4 }]
    // Create a resolver for each look-up, so that it uses the system's current name servers.
    const resolver = new Resolver({ timeout: timeoutMs, tries: nameServerTries })
    if (servers !== undefined) resolver.setServers(servers)
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer, index) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    )
    if (found.length > 0) return found
    const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'ENODATA'))
    const unclear = codes.some((code) => code !== 'ENOTFOUND' && code !== 'ENODATA')
    throw Object.assign(new Error(`no address: ${codes.join(', ')}`), { code: unclear ? 'EAI_AGAIN' : 'ENOTFOUND' })
  }
}
