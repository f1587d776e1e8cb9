import { lookup, Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import * as limits from '../../domain/limits/limits.ts'
import {
  internalAddressError,
  type OutgoingRequests,
  type OutgoingResponse,
  RequestFailed,
} from '../../domain/subscriptions/outgoing-requests.ts'

type Resolved = { address: string; family: number }[]

/** Options that tests replace. */
interface GuardOptions {
  timeoutMs?: number
  resolve?: (host: string) => Promise<Resolved>
}

/**
 * Sends requests to URLs that users chose. Unless internal addresses are allowed, the host must resolve to public
 * addresses only. The connection goes to one of the checked addresses, so that a second response of the name server
 * can't lead it elsewhere (DNS rebinding).
 */
export function guardedRequests(
  allowInternal: boolean,
  {
    timeoutMs = limits.outgoingRequestTimeoutMs,
    resolve = allowInternal ? resolveBySystem : publicResolver(),
  }: GuardOptions = {},
): OutgoingRequests {
  return {
    isInternalHost(hostname) {
      const host = hostname.replace(/^\[|\]$/g, '')
      return !allowInternal && (localhostName.test(host) || (isIP(host) !== 0 && isInternalAddress(host)))
    },

    async post({ url, headers, body, signal }) {
      const target = new URL(url)
      const timeout = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, timeout])
      try {
        const addresses = await withinTime(resolve(target.hostname.replace(/^\[|\]$/g, '')), either)
        if (!allowInternal && addresses.some(({ address }) => isInternalAddress(address))) {
          throw new RequestFailed(internalAddressError)
        }
        return await send(target, { headers, body, addresses, signal: either })
      } catch (error) {
        if (error instanceof RequestFailed || signal.aborted) throw error
        if (timeout.aborted) throw new RequestFailed(`no complete response within ${timeoutMs / 1_000} s`)
        throw new RequestFailed(describeFailure(error), { cause: error })
      }
    },
  }
}

const localhostName = /(?:^|\.)localhost\.?$/i

/**
 * Returns a function that asks the name servers for a host's addresses. The system's resolver would occupy one of the
 * process's two look-up threads until a slow name server responds: its owner could stop all other look-ups, including
 * those of the database (decision 0105).
 *
 * @param servers default: those of the system.
 */
export function publicResolver(
  servers?: readonly string[],
  timeoutMs: number = limits.nameServerTimeoutMs,
): (host: string) => Promise<Resolved> {
  return async (host) => {
    const family = isIP(host)
    if (family !== 0) return [{ address: host, family }]
    // Name servers are never asked for `localhost` names (RFC 6761 section 6.3).
    if (localhostName.test(host)) return [{ address: '127.0.0.1', family: 4 }]
    // Create a resolver for each look-up, so that it uses the system's current name servers.
    const resolver = new Resolver({ timeout: timeoutMs, tries: limits.nameServerTries })
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

/** Resolves a host name with the system's resolver. An IP address resolves to itself. */
function resolveBySystem(host: string): Promise<Resolved> {
  return lookup(host, { all: true, verbatim: true })
}

/** Stops waiting when the signal aborts. The look-up itself can't be aborted and continues. */
function withinTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    }),
  ])
}

interface Sent {
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  addresses: Resolved
  signal: AbortSignal
}

async function send(target: URL, { headers, body, addresses, signal }: Sent): Promise<OutgoingResponse> {
  const { request } = target.protocol === 'https:' ? https : http
  const sent = request(target, {
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
    lookup: checked(addresses),
    // A pooled connection could lead to an address from an earlier check.
    agent: false,
    signal,
  })
  // Once there is a response, reading it fails too.
  sent.on('error', () => {})
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  const bytes = await readStart(response)
  return {
    status: response.statusCode ?? 0,
    text: bytes.toString('utf8'),
    retryAfter: response.headers['retry-after'],
  }
}

/** Resolving the host again could return addresses that were not checked. */
function checked(addresses: Resolved): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses
    if (options.all) callback(null, addresses)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Reads the beginning of the body, then closes the connection. */
async function readStart(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop destroys the response and its connection.
    if (bytes >= limits.outgoingResponseMaxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, limits.outgoingResponseMaxBytes)
}

/** Uses the error's code, because Node's messages contain addresses. */
function describeFailure(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (typeof code !== 'string') return 'the request failed'
  return descriptions[code] ?? `the request failed: ${code}`
}

const descriptions: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name does not exist (ENOTFOUND)',
  EAI_AGAIN: 'the host name could not be resolved (EAI_AGAIN)',
  ECONNREFUSED: 'the connection was refused (ECONNREFUSED)',
  ECONNRESET: 'the connection was closed before the response (ECONNRESET)',
  ETIMEDOUT: 'the connection timed out (ETIMEDOUT)',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired (CERT_HAS_EXPIRED)',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the TLS certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host (ERR_TLS_CERT_ALTNAME_INVALID)',
}

/** Networks that are not on the public internet (IANA special-purpose registries, RFC 6890), and multicast. */
const internal = new BlockList()
for (const network of [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '2001::/23', // protocol assignments, with Teredo, which embeds IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which embeds IPv4 addresses
  '3fff::/20', // documentation
]) {
  const [address = '', bits] = network.split('/')
  internal.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

/** Global unicast: the only IPv6 addresses on the public internet. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/**
 * Returns whether the address is internal, that is, not on the public internet. IPv6 addresses that embed an IPv4
 * address (mapped, NAT64, 6to4, Teredo) count as internal, because the connection could end at the embedded address.
 */
export function isInternalAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return internal.check(address, 'ipv4')
    case 6:
      // A zone, as in fe80::1%eth0, occurs only in link-local addresses.
      return address.includes('%') || !globalUnicast.check(address, 'ipv6') || internal.check(address, 'ipv6')
    default:
      return true
  }
}
