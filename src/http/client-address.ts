import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'

/** Whether the hop with this address, counted from our socket as 0, may name the one before it. */
export type TrustProxy = (address: string, hop: number) => boolean

/**
 * @param trusted hop count, or addresses and ranges (CIDR). Undefined trusts none.
 * @param onIgnored told of the first request that names another client where none is trusted.
 */
export function trustProxy(trusted: number | readonly string[] | undefined, onIgnored: () => void): TrustProxy {
  if (trusted === undefined) return noneTrusted(onIgnored)
  if (typeof trusted === 'number') return (_address, hop) => hop < trusted
  const isTrusted = proxyAddr.compile([...trusted])
  return (address, hop) => isTrusted(withoutPort(address), hop)
}

function noneTrusted(onIgnored: () => void): TrustProxy {
  let told = false
  // Asked only about requests that carry the header.
  return () => {
    if (!told) onIgnored()
    told = true
    return false
  }
}

/** The client's address, taken from the right of `X-Forwarded-For` past the trusted hops only. */
export function clientAddress(request: IncomingMessage, trust: TrustProxy): string {
  // Without the header the peer is the client, whoever is trusted; most requests take this way.
  if (request.headers['x-forwarded-for'] === undefined) return canonicalAddress(request.socket.remoteAddress ?? '')
  return canonicalAddress(proxyAddr(request, trust))
}

const mappedIpv4 = '::ffff:'

/**
 * Returns one spelling per address: IPv4 for IPv4-mapped IPv6, IPv6 in compressed lower case, and no port.
 *
 * @param address undefined, whatever the framework's types say, of a connection that is gone: then empty.
 */
export function canonicalAddress(address: string | undefined): string {
  if (address === undefined) return ''
  // As the system spells peers on a listener for both: of each request, so without the detour over an address.
  if (address.startsWith(mappedIpv4) && isIP(address.slice(mappedIpv4.length)) === 4)
    return address.slice(mappedIpv4.length)
  const version = isIP(address)
  if (version === 4) return address
  if (version === 0) {
    const portless = withoutPort(address)
    return portless === address ? address : canonicalAddress(portless)
  }
  const [bare] = address.split('%')
  const canonical = new URL(`http://[${bare}]/`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}

/**
 * Strips the port that some proxies add to entries of `X-Forwarded-For`, since it differs with each connection. Accepts
 * `192.0.2.1:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`; returns anything else unchanged.
 */
function withoutPort(entry: string): string {
  const [, ipv4, ipv6] = /^(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?)$/.exec(entry) ?? []
  const address = ipv4 ?? ipv6 ?? ''
  return isIP(address) === 0 ? entry : address
}

/**
 * Who counts as one client: an IPv4 address alone, of IPv6 the /64, which is what one line gets.
 *
 * @param address in its canonical spelling.
 */
export function addressBlock(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.split('::')
  const groups = before === '' ? [] : before.split(':')
  if (after !== undefined) {
    const last = after === '' ? [] : after.split(':')
    while (groups.length < 8 - last.length) groups.push('0')
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
