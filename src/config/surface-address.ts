import { lookup } from 'node:dns/promises'

export interface SurfaceAddress {
  /** Public URL without a trailing slash. */
  url: string
  host: string
  port: number
}

/** Returns the variable with the bind address of the surface whose other variables begin with `prefix`. */
export function listenVariable(prefix: string): string {
  return prefix === 'CONTROL' ? 'CONTROL_LISTEN_HOST' : 'LISTEN_HOST'
}

export function parseSurfaceUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const plain =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return plain && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined
}

/** Returns the URL's host if it is a loopback address or `localhost`. */
export function loopbackOf({ hostname }: URL): string | undefined {
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
  return isLoopback ? hostname.replace(/[[\]]/g, '') : undefined
}

/**
 * Returns the URL at which a program on the same machine reaches the surface, without a trailing slash. Resolves a name
 * other than localhost, because the control surface rejects a `Host` that only `CONTROL_LISTEN_HOST` names.
 */
export async function reachableUrl({ host, port }: SurfaceAddress): Promise<string> {
  const local: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', localhost: 'localhost' }
  const reachable =
    local[host] ??
    (await lookup(host).then(
      ({ address }) => address,
      () => host,
    ))
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export interface NamedSurface extends SurfaceAddress {
  /** Prefix of the surface's environment variables. */
  name: 'BASE' | 'API' | 'PORTAL' | 'CONTROL'
}

type Surfaces = Readonly<Record<'base' | 'api' | 'portal' | 'control', SurfaceAddress>>

export function namedSurfaces({ base, api, portal, control }: Surfaces): NamedSurface[] {
  return [
    { name: 'BASE', ...base },
    { name: 'API', ...api },
    { name: 'PORTAL', ...portal },
    { name: 'CONTROL', ...control },
  ]
}

/** Returns a fault for each surface whose port and address another uses too. Port 0 means any free port. */
export function portConflicts(addresses: Surfaces): string[] {
  const surfaces = namedSurfaces(addresses)
  return surfaces.flatMap((surface, index) => {
    const conflict = surfaces
      .slice(0, index)
      .find(({ host, port }) => port === surface.port && port !== 0 && sameInterface(host, surface.host))
    if (conflict === undefined) return []
    const where = `port ${surface.port} of ${surface.host}`
    return `${surface.name}_PORT and ${conflict.name}_PORT are both ${where}; give each surface its own port`
  })
}

function sameInterface(one: string, other: string): boolean {
  const addresses = [one, other].flatMap((host) => (host === 'localhost' ? ['127.0.0.1', '::1'] : host))
  return new Set(addresses).size < addresses.length || addresses.some((host) => host === '0.0.0.0' || host === '::')
}
