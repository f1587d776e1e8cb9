import { type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Config } from '../../config/config.ts'
import type { NamedSurface } from '../../config/surface-address.ts'
import { canonicalAddress, clientAddress, trustProxy } from '../../http/client-address.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, warning } from './finding.ts'
import type { Probe } from './ports.ts'

const answerTimeoutMs = 5_000

/** Address reserved for documentation (RFC 5737), sent as a forged client address. */
const madeUpAddress = '192.0.2.66'

/**
 * Sends requests to the public URLs from outside and checks what arrives. While the service runs, it holds the ports,
 * so only the responses can be checked.
 */
export async function examineProxy(config: Config, probes: readonly Probe[]): Promise<Finding[]> {
  const findings: Finding[] = []
  const elsewhere: string[] = []
  for (const probe of probes) {
    const judged = await examinePublicUrl(config, probe)
    if (judged !== undefined) findings.push(...judged)
    else if (probe.listening !== undefined) elsewhere.push(probe.url)
  }
  if (elsewhere.length > 0) {
    findings.push(ok(`another node answers ${elsewhere.join(', ')}, so what arrives at this one is not checked`))
  }
  if (probes.some(({ name }) => name === 'API')) findings.push(...(await examineUpgrade(config, findings)))
  return findings
}

/**
 * Returns what is wrong with a public URL, or `undefined` if the service answers it. A load balancer may send the
 * request to another node, even if the probe takes this node's place. The result then says nothing about this node.
 */
async function examinePublicUrl(config: Config, probe: Probe): Promise<Finding[] | undefined> {
  const { name, url, host, port, mark } = probe
  if (probe.listening !== undefined) {
    const answer = await ask(`${url}/?${mark}`, { 'x-forwarded-for': madeUpAddress })
    if (typeof answer === 'string') return [unreachable(probe, answer)]
    if (probe.arrived !== undefined) return [...judgeHeaders(config, url, probe.arrived)]
  }
  const { path, isOurs } = ownAnswers[name as keyof typeof ownAnswers]
  const answer = await ask(url + path, {})
  if (typeof answer === 'string') return [unreachable(probe, answer)]
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

function unreachable({ name, url }: NamedSurface, reason: string): Finding {
  return warning(
    `${url} can't be reached from this machine (${reason})`,
    `check that ${name}_URL is right, its name resolves and its certificate is valid; ` +
      "some networks don't allow this from inside",
  )
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
    yield fault(
      `a client of ${url} can forge its address: TRUST_PROXY trusts more than the actual proxies`,
      `set TRUST_PROXY ${proxies}, and let the first proxy replace X-Forwarded-For`,
    )
  } else if (proxied && !trust(canonicalAddress(message.socket.remoteAddress ?? ''), 0)) {
    yield fault(
      `there is a proxy in front of ${url} (X-Forwarded-For arrives as ${forwarded}), ` +
        'but TRUST_PROXY does not include it',
      'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses',
    )
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
async function examineUpgrade({ api }: Config, found: readonly Finding[]): Promise<Finding[]> {
  // An earlier finding already reports that this URL does not reach the service.
  if (found.some(({ summary }) => summary.startsWith(api.url))) return []
  const answer = await ask(`${api.url}/runtime`, upgrade)
  const outcome = typeof answer === 'string' ? 'no response' : `status ${answer.status}`
  if (outcome === 'status 101') return []
  const summary = `a WebSocket to ${api.url}/runtime gets ${outcome}, so no runtime can connect`
  const settings = 'nginx: proxy_http_version 1.1 and the headers Upgrade and Connection'
  return [fault(summary, `let the proxy forward upgrades on /runtime, with an idle timeout over 75 s (${settings})`)]
}

interface Answer {
  status: number
  body: string
  location: string
}

/** Returns the response, or why there is none. The response to an upgrade is returned without its body. */
function ask(url: string, headers: Record<string, string>): Promise<Answer | string> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestTls : request
    const fail = (error: unknown) => resolve(reasonOf(error))
    async function receive(answer: IncomingMessage) {
      const {
        statusCode: status = 0,
        headers: { location = '' },
      } = answer
      if (headers === upgrade) answer.socket.destroy()
      resolve({ status, location, body: headers === upgrade ? '' : await text(answer) })
    }
    const asked = send(url, { headers, agent: false, timeout: answerTimeoutMs })
    for (const event of ['response', 'upgrade']) asked.on(event, (answer) => receive(answer).catch(fail))
    asked.on('timeout', () => asked.destroy(new Error(`no response in ${answerTimeoutMs / 1_000} s`)))
    asked.on('error', fail)
    asked.end()
  })
}
