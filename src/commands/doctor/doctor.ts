import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { type Config, readConfig } from '../../config/config.ts'
import { namedSurfaces, type SurfaceAddress } from '../../config/surface-address.ts'
import { isLocked, otherOwner, unusableDirectory } from '../data-directory.ts'
import { exitCodes } from '../start-fault.ts'
import { examineDatabase, examineDatabaseServer, examineKeys } from './data.ts'
import { type Finding, fault, ok, type Subject, warning } from './finding.ts'
import { examineClock, examineDirectory, examineDisk } from './machine.ts'
import { countProxies, examineProxy, examineService, occupyPorts, probeFor } from './network.ts'

/**
 * `gatehouse doctor`: checks the service's environment and prints each finding with its remedy. Changes nothing.
 * Resolves with 0, with 78 if a setting is invalid, or with 1 for any other fault.
 */
export async function doctor(): Promise<number> {
  const reading = readConfig()
  if ('faults' in reading) {
    const remedy = 'correct it in the environment of the service; docs/operations.md lists all settings'
    for (const message of reading.faults) print('settings', fault(message, remedy))
    return exitCodes.configuration
  }
  const { config } = reading
  const foreign = otherOwner(config.dataDir)
  if (foreign !== undefined) {
    // Opening another user's databases might leave files behind that the service can't use.
    print('data', fault(foreign, 'run doctor and all other commands as the service user'))
    return exitCodes.failed
  }
  const unusable = unusableDirectory(config.dataDir)
  if (unusable !== undefined) {
    print('data', fault(unusable.summary, unusable.remedy))
    return exitCodes.configuration
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

type Findings = Iterable<Finding> | AsyncIterable<Finding>

/** Yields the checks. If one finds nothing, `passed` is printed. */
async function* examine(config: Config): AsyncIterable<[about: Subject, findings: Findings, passed?: string]> {
  const { dataDir, databaseUrls } = config
  yield ['settings', examineSettings(config), 'all settings are valid']
  const noKeys = 'none yet; the first start creates those that are not set'
  yield ['keys', examineKeys(config), existsSync(dataDir) ? 'keys and data are only accessible to their user' : noKeys]
  if (databaseUrls !== undefined) yield ['database', examineDatabaseServer(config, databaseUrls)]
  else {
    yield ['data', examineDirectory(config)]
    yield ['disk', examineDisk(config)]
    yield ['database', examineDatabase(config)]
  }
  yield ['clock', examineClock(config)]
  const probes = namedSurfaces(config).map(probeFor)
  const ports = probes.map(({ port }) => port).join(', ')
  const isRunning = isLocked(dataDir)
  const node = databaseUrls === undefined ? '' : ', at this or another node'
  const reached = `the public URLs reach this service${node}; X-Forwarded-For is only checked while it is stopped`
  const passed = isRunning ? reached : 'requests to the public URLs arrive correctly'
  try {
    yield ['ports', isRunning ? examineService(config) : occupyPorts(probes), `${ports} are free`]
    const examined = probes.filter(({ name, listening }) => name !== 'CONTROL' && (isRunning || listening))
    yield ['proxy', examineProxy(config, examined), passed]
  } finally {
    for (const { server, listening } of probes) {
      server.closeAllConnections()
      listening?.close({ silentMs: 0, sendingMs: 0 })
    }
  }
}

function print(about: Subject, { level, summary, remedy, about: itself = about }: Finding): void {
  process.stdout.write(`${level.padEnd(7)}  ${itself.padEnd(8)}  ${summary}\n`)
  if (remedy !== undefined) process.stdout.write(`${' '.repeat(19)}remedy: ${remedy}\n`)
}

const loopback = /^(localhost|127\.[0-9.]+|::1|\[::1\])$/

/** Longest time that nginx, HAProxy, Traefik, AWS load balancers, cloudflared and Caddy keep idle connections. */
const proxiesKeepAliveSeconds = 120

/** Reports settings that are valid but rarely intentional. */
function* examineSettings({ base, api, portal, control, trustProxy, keepAliveSeconds }: Config): Iterable<Finding> {
  const surfaces = Object.entries({ BASE_URL: base, API_URL: api, PORTAL_URL: portal })
  for (const [name, { url }] of surfaces) {
    if (!url.startsWith('http:') || loopback.test(new URL(url).hostname)) continue
    const remedy = `let a proxy terminate TLS and set ${name} to https://…; see docs/operations.md, "Behind a proxy"`
    yield warning(`${name} is ${url}: without TLS, passwords, codes and tokens can be read in transit`, remedy)
  }
  if (isIP(new URL(base.url).hostname.replace(/[[\]]/g, '')) !== 0) {
    yield warning(`BASE_URL is ${base.url}: browsers offer no passkeys for IP addresses`, 'set BASE_URL to a host name')
  }
  if (!loopback.test(control.host)) {
    const remedy = 'set CONTROL_URL to a loopback address, or let a firewall admit only the platform'
    yield warning(`other machines reach CONTROL_URL on ${control.host}:${control.port}; /metrics needs no key`, remedy)
  }
  // Gatehouse itself does not support TLS.
  const isFronted = ({ url, port }: SurfaceAddress) =>
    url.startsWith('https:') || Number(new URL(url).port || 80) !== port
  const [name, fronted] = surfaces.find(([, surface]) => isFronted(surface)) ?? []
  if (fronted === undefined) return
  if (trustProxy === undefined) {
    const shared = 'without TRUST_PROXY all of its clients share one address and one rate limit'
    const { url, port } = fronted
    yield fault(`${name} is ${url} and port ${port} is bound, so a proxy stands in front; ${shared}`, countProxies)
  }
  if (keepAliveSeconds <= proxiesKeepAliveSeconds) {
    const summary = `KEEP_ALIVE_SECONDS is ${keepAliveSeconds}: a proxy that keeps idle connections for longer loses requests`
    yield warning(summary, 'set it to more than the proxy\'s own timeout; see docs/operations.md, "Behind a proxy"')
  }
}
