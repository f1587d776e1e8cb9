import { existsSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Config, readConfig } from '../../config/config.ts'
import { type NamedSurface, namedSurfaces } from '../../config/surface-address.ts'
import { isLocked, otherOwner } from '../data-directory.ts'
import { exitCodes } from '../start-fault.ts'
import { examineDatabase, examineKeys } from './data.ts'
import { type Finding, fault, ok, type Subject, warning } from './finding.ts'
import { examineClock, examineDirectory, examineDisk } from './machine.ts'
import { examineProxy, examineService, occupyPorts, probeFor, releasePorts } from './network.ts'

/** A check's findings. If there are none, `passed` is printed. */
type Check = [about: Subject, findings: Iterable<Finding> | AsyncIterable<Finding>, passed?: string]

/**
 * `gatehouse doctor`: checks the service's environment and prints each finding with its remedy. Changes nothing,
 * whether or not the service is running. Resolves with 0, with 78 if a setting is invalid, or with 1 for any other
 * fault.
 */
export async function doctor(): Promise<number> {
  const reading = readConfig()
  if ('faults' in reading) {
    const remedy = 'correct it in the environment of the service; docs/operations.md lists all settings'
    for (const message of reading.faults) print('settings', fault(message, remedy))
    return exitCodes.configuration
  }
  const { config } = reading
  if (statSync(config.dataDir, { throwIfNoEntry: false })?.isDirectory() === false) {
    print('data', fault(`${config.dataDir} is no directory`, 'set DATA_DIR to one that the service user can write'))
    return exitCodes.configuration
  }
  const foreign = otherOwner(config.dataDir)
  if (foreign !== undefined) {
    // Opening another user's databases might leave files behind that the service can't use.
    print('data', fault(foreign, 'run doctor and all other commands as the service user'))
    return exitCodes.failed
  }
  let exitCode: number = exitCodes.ok
  for await (const [about, found, passed] of examine(config)) {
    const findings = await Array.fromAsync(found)
    if (findings.length === 0 && passed !== undefined) findings.push(ok(passed))
    // The reader of the output is gone, for example because the output was piped to `head`.
    if (process.stdout.destroyed) break
    for (const finding of findings) print(about, finding)
    if (findings.some(({ level }) => level === 'fault')) exitCode = exitCodes.failed
  }
  return exitCode
}

async function* examine(config: Config): AsyncIterable<Check> {
  const { dataDir, databaseUrls } = config
  const onSqlite = databaseUrls === undefined
  yield ['settings', examineSettings(config), 'all settings are valid']
  const noKeys = 'none yet; the first start creates those that are not set'
  yield ['keys', examineKeys(config), existsSync(dataDir) ? 'keys and data are only accessible to their user' : noKeys]
  if (onSqlite) {
    yield ['data', examineDirectory(config)]
    yield ['disk', examineDisk(config)]
    yield ['database', examineDatabase(config)]
  } else {
    const { examineDatabaseServer } = await import('./postgres.ts')
    yield ['database', examineDatabaseServer(config, databaseUrls)]
  }
  yield ['clock', await examineClock(config)]
  const probes = namedSurfaces(config).map(probeFor)
  if (isLocked(dataDir)) {
    yield ['ports', await examineService(config)]
    const reached = onSqlite
      ? 'the public URLs reach this service; stop it to check X-Forwarded-For as well'
      : 'the public URLs reach this service, at this or another node; X-Forwarded-For is not checked'
    yield ['proxy', await examineProxy(config, probes.filter(isPublic)), reached]
    return
  }
  try {
    yield ['ports', occupyPorts(probes), `${probes.map(({ port }) => port).join(', ')} are free`]
    const bound = probes.filter((probe) => isPublic(probe) && probe.listening !== undefined)
    yield ['proxy', await examineProxy(config, bound), 'requests to the public URLs arrive correctly']
  } finally {
    releasePorts(probes)
  }
}

function print(about: Subject, finding: Finding): void {
  const lines = [`${finding.level.padEnd(7)}  ${(finding.about ?? about).padEnd(8)}  ${finding.summary}`]
  if (finding.remedy !== undefined) lines.push(`${' '.repeat(19)}remedy: ${finding.remedy}`)
  process.stdout.write(`${lines.join('\n')}\n`)
}

const loopback = /^(localhost|127\.[0-9.]+|::1|\[::1\])$/

/** Longest time that nginx, HAProxy, Traefik, AWS load balancers, cloudflared and Caddy keep idle connections. */
const proxiesKeepAliveSeconds = 120

/** Reports settings that are valid but rarely intentional. */
export function* examineSettings(config: Config): Iterable<Finding> {
  const { base, trustProxy, keepAliveSeconds } = config
  const surfaces = namedSurfaces(config).filter(isPublic)
  for (const { name, url } of surfaces) {
    if (!url.startsWith('http:') || loopback.test(new URL(url).hostname)) continue
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
  if (fronted === undefined) return
  if (trustProxy === undefined) {
    yield fault(
      `${fronted.name}_URL is ${fronted.url} and port ${fronted.port} is bound, so a proxy stands in front; ` +
        'without TRUST_PROXY all of its clients share one address and one rate limit',
      'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses',
    )
  }
  if (keepAliveSeconds <= proxiesKeepAliveSeconds) {
    yield warning(
      `KEEP_ALIVE_SECONDS is ${keepAliveSeconds}: a proxy that keeps idle connections for longer loses requests`,
      'set it to more than the proxy\'s own timeout for idle connections; see docs/operations.md, "Behind a proxy"',
    )
  }
}

export function isPublic({ name }: NamedSurface): boolean {
  return name !== 'CONTROL'
}

/** Gatehouse itself does not support TLS. */
function hasProxyInFront({ url, port }: NamedSurface): boolean {
  const { protocol, port: publicPort } = new URL(url)
  return protocol === 'https:' || Number(publicPort || 80) !== port
}
