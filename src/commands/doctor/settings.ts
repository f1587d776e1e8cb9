import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import { type NamedSurface, namedSurfaces } from '../../config/surface-address.ts'
import { type Finding, fault, warning } from './finding.ts'

const loopback = /^(localhost|127\.[0-9.]+|::1|\[::1\])$/

/** Longest time that nginx, HAProxy, Traefik, AWS load balancers, cloudflared and Caddy keep idle connections. */
const proxiesKeepAliveSeconds = 120

/** Reports settings that are valid but rarely intentional. */
export function* examineSettings(config: Config): Iterable<Finding> {
  const { base, trustProxy, keepAliveSeconds } = config
  const surfaces = namedSurfaces(config).filter(isPublic)
  for (const { name, url } of surfaces) {
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'http:' || loopback.test(hostname)) continue
    yield warning(
      `${name}_URL is ${url}: without TLS, passwords, codes and tokens can be read in transit`,
      `let a proxy terminate TLS and set ${name}_URL to https://…; see docs/operations.md, "Behind a proxy"`,
    )
  }
  if (isIP(new URL(base.url).hostname.replace(/[[\]]/g, '')) !== 0) {
    const summary = `BASE_URL is ${base.url}: browsers don't offer passkeys for an IP address`
    yield warning(summary, 'set BASE_URL to a host name')
  }
  const { host, port } = config.control
  if (!loopback.test(host)) {
    yield warning(
      `the control surface is reachable from other machines on ${host}:${port}; its /metrics and /readyz need no key`,
      'set CONTROL_URL to a loopback address, or let a firewall admit only the platform',
    )
  }
  const fronted = surfaces.find(hasProxyInFront)
  if (fronted !== undefined && trustProxy === undefined) {
    yield fault(
      `${fronted.name}_URL is ${fronted.url} and port ${fronted.port} is bound, so a proxy stands in front; ` +
        'without TRUST_PROXY all of its clients share one address and one rate limit',
      'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses',
    )
  }
  if (fronted !== undefined && keepAliveSeconds <= proxiesKeepAliveSeconds) {
    yield warning(
      `KEEP_ALIVE_SECONDS is ${keepAliveSeconds}: a proxy that keeps idle connections for longer loses requests`,
      'set it to more than the proxy\'s own timeout for idle connections; see docs/operations.md, "Behind a proxy"',
    )
  }
}

/** Returns whether external clients use the surface. */
export function isPublic({ name }: NamedSurface): boolean {
  return name !== 'CONTROL'
}

/** Returns whether requests to the public URL must pass through a proxy. Gatehouse itself does not support TLS. */
function hasProxyInFront({ url, port }: NamedSurface): boolean {
  const { protocol, port: publicPort } = new URL(url)
  return protocol === 'https:' || Number(publicPort || 80) !== port
}
