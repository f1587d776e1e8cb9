import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import { type NamedSurface, reachableUrl } from '../../config/surface-address.ts'
import { type Listening, listen } from '../../http/listen.ts'
import { canonicalAddress, clientAddress, trustProxy } from '../../http/request-origin.ts'
import { reasonOf, unboundPort } from '../start-fault.ts'
import { type Finding, fault, faults, ok, warning } from './finding.ts'

const answerTimeoutMs = 5_000
export const countProxies = 'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses'

/** A server that takes the place of the stopped service on one surface for a short time. Accepts any request. */
interface Probe extends NamedSurface {
  server: Server
  /** Identifies our request, because the load balancer's health checks arrive here, too. */
  mark: string
  arrived?: IncomingMessage
  listening?: Listening
}

export function probeFor(surface: NamedSurface): Probe {
  const server = createServer((request, response) => {
    if (request.url?.includes(probe.mark)) probe.arrived ??= request
    response.end()
  })
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
  })
  const probe: Probe = { ...surface, server, mark: `doctor=${randomUUID()}` }
  return probe
}

/** The ports that were free stay bound. */
export async function* occupyPorts(probes: readonly Probe[]): AsyncIterable<Finding> {
  for (const probe of probes) {
    try {
      probe.listening = await listen(probe.server, probe)
    } catch (error) {
      yield* faults(unboundPort(probe.name, probe, error))
    }
  }
}

export async function* examineService({ control }: Config): AsyncIterable<Finding> {
  const address = `${await reachableUrl(control)}/readyz`
  const answer = await ask(address, {})
  if (typeof answer === 'string') {
    const summary = `the service is running, but ${address} does not respond (${answer})`
    yield fault(summary, 'run doctor with the environment of the service, or see its log')
  } else if (answer.status === 200) yield ok(`the service is running and ready (${address})`)
  else yield fault(`the service is running, but not ready: ${answer.body}`, 'see its log')
}

/** Address reserved for documentation (RFC 5737), sent as a forged client address. */
const madeUpAddress = '192.0.2.66'

/** Sends requests to the public URLs and checks what arrives, or if the service holds the ports, only the responses. */
export async function* examineProxy(config: Config, probes: readonly Probe[]): AsyncIterable<Finding> {
  const judged = await Promise.all(probes.map((probe) => examinePublicUrl(config, probe)))
  const findings = judged.flatMap((found) => found ?? [])
  yield* findings
  const elsewhere = probes.filter(({ listening }, at) => judged[at] === undefined && listening).map(({ url }) => url)
  if (elsewhere.length > 0) {
    yield ok(`another node answers ${elsewhere.join(', ')}, so what arrives at this one is not checked`)
  }
  const api = probes.find(({ name }) => name === 'API')?.url
  // Another finding already reports that this URL does not reach the service.
  if (api !== undefined && !findings.some(({ summary }) => summary.startsWith(api))) yield* examineUpgrade(api)
}

/** Returns what is wrong with a public URL, or `undefined`. Behind a load balancer, another node may have answered. */
async function examinePublicUrl(config: Config, probe: Probe): Promise<Finding[] | undefined> {
  const { name, url, host, port, mark } = probe
  const probed = probe.listening && (await ask(`${url}/?${mark}`, { 'x-forwarded-for': madeUpAddress }))
  if (probe.arrived !== undefined && typeof probed !== 'string') return [...judgeHeaders(config, url, probe.arrived)]
  const { path, isOurs } = ownAnswers[name as keyof typeof ownAnswers]
  const answer = typeof probed === 'string' ? probed : await ask(url + path, {})
  if (typeof answer === 'string') {
    const remedy = `check that ${name}_URL is right, its name resolves and its certificate is valid`
    const summary = `${url} can't be reached from this machine (${answer})`
    return [warning(summary, `${remedy}; some networks don't allow this from inside`)]
  }
  if (isOurs(answer, config.base.url)) return undefined
  const remedy = `let the proxy forward ${name}_URL to port ${port} of ${host}`
  // A load balancer usually responds with 503 if no node is healthy. A stopped node counts as unhealthy.
  if (answer.status === 503) {
    const summary = `${url} gets status 503: no node behind the proxy is ready, or it forwards elsewhere`
    return [warning(summary, `start the service and run doctor again; if the warning stays, ${remedy}`)]
  }
  return [fault(`${url} gets status ${answer.status} from something other than this service`, remedy)]
}

/** A path to request on each public surface, and a check that the response came from this service. */
const ownAnswers = {
  BASE: {
    path: '/.well-known/oauth-authorization-server',
    isOurs: ({ status, body }: Answer, baseUrl: string) => status === 200 && body.includes(JSON.stringify(baseUrl)),
  },
  // Accepts any status, because /health reports an error while the node's queue is unavailable.
  API: { path: '/health', isOurs: ({ body }: Answer) => body.includes('"service":"webhooks"') },
  PORTAL: { path: '/', isOurs: ({ location }: Answer, baseUrl: string) => location.startsWith(`${baseUrl}/`) },
}

function* judgeHeaders(config: Config, url: string, message: IncomingMessage): Iterable<Finding> {
  const { host } = message.headers
  if (host !== new URL(url).host) {
    const summary = `a request to ${url} arrives with Host ${JSON.stringify(host)}`
    yield fault(summary, 'let the proxy keep the Host header (nginx: proxy_set_header Host $host)')
  }
  const forwarded = String(message.headers['x-forwarded-for'])
  const proxied = forwarded !== madeUpAddress
  const trust = trustProxy(config.trustProxy, () => {})
  if (clientAddress(message, trust) === madeUpAddress) {
    const proxies = proxied ? 'to the actual number of proxies' : 'only if there is a proxy'
    const remedy = `set TRUST_PROXY ${proxies}, and let the first proxy replace X-Forwarded-For`
    yield fault(`a client of ${url} can forge its address: TRUST_PROXY trusts more than the actual proxies`, remedy)
  } else if (proxied && !trust(canonicalAddress(message.socket.remoteAddress ?? ''), 0)) {
    const arrives = `(X-Forwarded-For arrives as ${forwarded})`
    yield fault(`there is a proxy in front of ${url} ${arrives}, but TRUST_PROXY does not include it`, countProxies)
  }
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'Z2F0ZWhvdXNlIGRvY3Rvcg==',
  'sec-websocket-protocol': 'gatehouse.runtime.v1',
}

/** Checks that the proxy forwards WebSocket upgrades, which runtimes need. Many proxies must be configured to do so. */
async function* examineUpgrade(url: string): AsyncIterable<Finding> {
  const answer = await ask(`${url}/runtime`, upgrade)
  const outcome = typeof answer === 'string' ? 'no response' : `status ${answer.status}`
  if (outcome === 'status 101') return
  const settings = 'nginx: proxy_http_version 1.1 and the headers Upgrade and Connection'
  const remedy = `let the proxy forward upgrades on /runtime, with an idle timeout over 75 s (${settings})`
  yield fault(`a WebSocket to ${url}/runtime gets ${outcome}, so no runtime can connect`, remedy)
}

type Answer = { status: number; body: string; location: string }

/** Returns the response, or why there is none. Ignores the body of a response to an upgrade. */
async function ask(url: string, headers: Record<string, string>): Promise<Answer | string> {
  const send = url.startsWith('https:') ? requestTls : request
  const asked = send(url, { headers, agent: false, timeout: answerTimeoutMs }).end()
  asked.on('timeout', () => asked.destroy(new Error(`no response in ${answerTimeoutMs / 1_000} s`)))
  try {
    const events = ['response', 'upgrade'].map((event) => once(asked, event) as Promise<[IncomingMessage]>)
    const [answer] = await Promise.race(events)
    if (headers === upgrade) answer.socket.destroy()
    const body = headers === upgrade ? '' : await text(answer)
    return { status: answer.statusCode ?? 0, location: answer.headers.location ?? '', body }
  } catch (error) {
    return reasonOf(error)
  }
}
