import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { SurfaceAddress } from '../../config/surface-address.ts'
import { type Finding, fault, orOk, warning } from './finding.ts'

const loopback = /^(localhost|127\.[0-9.]+|::1|\[::1\])$/

/** Reports settings that are valid but rarely intentional. */
export function examineSettings(config: Config): readonly Finding[] {
  return orOk(
    [
      ...examineAddresses(config),
      ...examineControl(config.control),
      ...examineTrust(config),
      ...examineKeepAlive(config),
    ],
    'settings',
    'all settings are valid',
  )
}

/** Returns the surfaces that external clients use. Each name is the prefix of the surface's environment variables. */
export function publicSurfaces({ base, api, portal }: Config): { name: string; address: SurfaceAddress }[] {
  return [
    { name: 'BASE', address: base },
    { name: 'API', address: api },
    { name: 'PORTAL', address: portal },
  ]
}

/** Returns whether requests to the public URL must pass through a proxy. Gatehouse itself does not support TLS. */
export function hasProxyInFront({ url, port }: SurfaceAddress): boolean {
  const { protocol, port: publicPort } = new URL(url)
  return protocol === 'https:' || Number(publicPort || 80) !== port
}

function examineAddresses(config: Config): Finding[] {
  const plain = publicSurfaces(config).filter(({ address }) => {
    const { protocol, hostname } = new URL(address.url)
    return protocol === 'http:' && !loopback.test(hostname)
  })
  const findings = plain.map(({ name, address }) =>
    warning(
      'settings',
      `${name}_URL is ${address.url}: without TLS, passwords, codes and tokens can be read in transit`,
      `let a proxy terminate TLS and set ${name}_URL to https://…; see docs/operations.md, "Behind a proxy"`,
    ),
  )
  const { hostname } = new URL(config.base.url)
  if (isIP(hostname.replace(/[[\]]/g, '')) !== 0) {
    findings.push(
      warning(
        'settings',
        `BASE_URL is ${config.base.url}: browsers don't offer passkeys for an IP address`,
        'set BASE_URL to a host name',
      ),
    )
  }
  return findings
}

function examineControl({ host, port }: SurfaceAddress): Finding[] {
  if (loopback.test(host)) return []
  return [
    warning(
      'settings',
      `the control surface is reachable from other machines on ${host}:${port}; its /metrics and /readyz need no key`,
      'set CONTROL_URL to a loopback address, or let a firewall admit only the platform',
    ),
  ]
}

function examineTrust(config: Config): Finding[] {
  const fronted = publicSurfaces(config).find(({ address }) => hasProxyInFront(address))
  if (fronted !== undefined && config.trustProxy === undefined) {
    return [
      fault(
        'settings',
        `${fronted.name}_URL is ${fronted.address.url} and port ${fronted.address.port} is bound, so a proxy stands in ` +
          'front; without TRUST_PROXY all of its clients share one address and one rate limit',
        'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses',
      ),
    ]
  }
  if (Array.isArray(config.trustProxy) && config.trustProxy.some((range) => range.endsWith('/0'))) {
    return [
      fault(
        'settings',
        'TRUST_PROXY trusts every address, so any client can forge the address for rate limits and logs',
        'set it to the addresses of the proxies, such as 10.0.0.0/8, or to their number',
      ),
    ]
  }
  return []
}

/** The longest time for which nginx, HAProxy, Traefik, AWS load balancers, cloudflared and Caddy keep idle connections. */
const proxiesKeepAliveSeconds = 120

function examineKeepAlive(config: Config): Finding[] {
  const isFronted = publicSurfaces(config).some(({ address }) => hasProxyInFront(address))
  if (!isFronted || config.keepAliveSeconds > proxiesKeepAliveSeconds) return []
  return [
    warning(
      'settings',
      `KEEP_ALIVE_SECONDS is ${config.keepAliveSeconds}: a proxy that keeps idle connections for longer loses requests`,
      'set it to more than the proxy\'s own timeout for idle connections; see docs/operations.md, "Behind a proxy"',
    ),
  ]
}
