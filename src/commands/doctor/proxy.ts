import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Config } from '../../config/config.ts'
import type { SurfaceAddress } from '../../config/surface-address.ts'
import { canonicalAddress, clientAddress, trustProxy } from '../../http/client-address.ts'
import { reasonOf } from '../start-fault.ts'
import { type Finding, fault, ok, orOk, warning } from './finding.ts'
import type { ProbedSurface } from './ports.ts'
import { publicSurfaces } from './settings.ts'

const answerTimeoutMs = 5_000

/** Address reserved for documentation (RFC 5737), sent as a forged client address. */
const madeUpAddress = '192.0.2.66'

interface Answered {
  kind: 'answered'
  status: number
  text: string
  location: string
}
type RequestOutcome = Answered | { kind: 'failed'; reason: string }

/**
 * Sends a request to each public URL and checks what the proxy forwards. The service is stopped, and probes listen in
 * its place. A load balancer may send the request to another node; the result then says nothing about this node.
 */
export async function examineProxy(config: Config, probed: readonly ProbedSurface[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const elsewhere: string[] = []
  for (const { name, address, server } of probed) {
    // Identifies our request, because the load balancer's health checks arrive here, too.
    const mark = `doctor=${randomUUID()}`
    const arrived: IncomingMessage[] = []
    const take = (message: IncomingMessage) => message.url?.includes(mark) && arrived.push(message)
    server.on('request', take)
    const outcome = await ask(`${address.url}/?${mark}`, { 'x-forwarded-for': madeUpAddress })
    server.off('request', take)
    const [message] = arrived
    if (outcome.kind === 'failed') findings.push(unreachable(name, address.url, outcome.reason))
    else if (message !== undefined) findings.push(...judgeHeaders(config, address.url, message))
    else {
      const judged = await judgePublicUrl(config, name, address)
      if (judged === undefined) elsewhere.push(address.url)
      else findings.push(judged)
    }
  }
  if (elsewhere.length > 0) {
    const summary = `another node answers ${elsewhere.join(', ')}, so what arrives at this one is not checked`
    findings.push(ok('proxy', summary))
  }
  if (probed.some(({ name }) => name === 'API')) findings.push(...(await examineUpgrade(config, findings)))
  return orOk(findings, 'proxy', 'requests to the public URLs arrive correctly')
}

/** Checks the public URLs from outside while the running service holds the ports. Can't check `X-Forwarded-For`. */
export async function examinePublicUrls(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { name, address } of publicSurfaces(config)) {
    const judged = await judgePublicUrl(config, name, address)
    if (judged !== undefined) findings.push(judged)
  }
  findings.push(...(await examineUpgrade(config, findings)))
  const summary =
    config.databaseUrls === undefined
      ? 'the public URLs reach this service; stop it to check X-Forwarded-For as well'
      : 'the public URLs reach this service, at this or another node; X-Forwarded-For is not checked'
  return orOk(findings, 'proxy', summary)
}

/** Returns what is wrong with a public URL, or `undefined` if a node of this service answers it. */
async function judgePublicUrl(config: Config, name: string, address: SurfaceAddress): Promise<Finding | undefined> {
  const { path, isOurs } = answersOf(config)[name as PublicSurface]
  const outcome = await ask(address.url + path, {})
  if (outcome.kind === 'failed') return unreachable(name, address.url, outcome.reason)
  if (isOurs(outcome)) return undefined
  return outcome.status === 503 ? noNodeReady(name, address) : misdirected(name, address, outcome.status)
}

type PublicSurface = 'BASE' | 'API' | 'PORTAL'

/** Returns a path to request on each public surface, and a check that the response came from this service. */
function answersOf({ base }: Config): Record<PublicSurface, { path: string; isOurs(answer: Answered): boolean }> {
  return {
    BASE: {
      path: '/.well-known/oauth-authorization-server',
      isOurs: ({ status, text }) => status === 200 && text.includes(JSON.stringify(base.url)),
    },
    // Accepts any status, because /health reports an error while the node's queue is unavailable.
    API: { path: '/health', isOurs: ({ text }) => text.includes('"service":"webhooks"') },
    PORTAL: { path: '/', isOurs: ({ location }) => location.startsWith(`${base.url}/`) },
  }
}

function judgeHeaders(config: Config, url: string, message: IncomingMessage): Finding[] {
  const findings: Finding[] = []
  const { host } = new URL(url)
  if (message.headers.host !== host) {
    const summary = `a request to ${url} arrives with Host ${JSON.stringify(message.headers.host)}`
    findings.push(fault('proxy', summary, `let the proxy keep the Host header (nginx: proxy_set_header Host $host)`))
  }
  const forwarded = String(message.headers['x-forwarded-for'])
  const proxied = forwarded !== madeUpAddress
  const trust = trustProxy(config.trustProxy, () => {})
  if (clientAddress(message, trust) === madeUpAddress) {
    const summary = `a client of ${url} can forge its address: TRUST_PROXY trusts more than the actual proxies`
    const proxies = proxied ? 'to the actual number of proxies' : 'only if there is a proxy'
    findings.push(
      fault('proxy', summary, `set TRUST_PROXY ${proxies}, and let the first proxy replace X-Forwarded-For`),
    )
  } else if (proxied && !trust(canonicalAddress(message.socket.remoteAddress ?? ''), 0)) {
    const summary = `there is a proxy in front of ${url} (X-Forwarded-For arrives as ${forwarded}), but TRUST_PROXY does not include it`
    findings.push(
      fault('proxy', summary, 'set TRUST_PROXY to the number of proxies in front, such as 1, or to their addresses'),
    )
  }
  return findings
}

/** Checks that the proxy forwards WebSocket upgrades, which runtimes need. Many proxies must be configured to do so. */
async function examineUpgrade({ api }: Config, found: readonly Finding[]): Promise<Finding[]> {
  // An earlier finding already reports that this URL does not reach the service.
  if (found.some(({ summary }) => summary.startsWith(api.url))) return []
  const status = await upgradeStatus(`${api.url}/runtime`)
  if (status === 101) return []
  const summary = `a WebSocket to ${api.url}/runtime gets ${status === undefined ? 'no response' : `status ${status}`}, so no runtime can connect`
  return [
    fault(
      'proxy',
      summary,
      'let the proxy forward upgrades on /runtime, with an idle timeout over 75 s (nginx: proxy_http_version 1.1 and the headers Upgrade and Connection)',
    ),
  ]
}

function unreachable(name: string, url: string, reason: string): Finding {
  return warning(
    'proxy',
    `${url} can't be reached from this machine (${reason})`,
    `check that ${name}_URL is right, its name resolves and its certificate is valid; some networks don't allow this from inside`,
  )
}

/** A load balancer usually responds with 503 if no node is healthy. A stopped node counts as unhealthy. */
function noNodeReady(name: string, { url, host, port }: SurfaceAddress): Finding {
  return warning(
    'proxy',
    `${url} gets status 503: no node behind the proxy is ready, or it forwards elsewhere`,
    `start the service and run doctor again; if the warning stays, let the proxy forward ${name}_URL to port ${port} of ${host}`,
  )
}

function misdirected(name: string, { url, host, port }: SurfaceAddress, status: number): Finding {
  const summary = `${url} gets status ${status} from something other than this service`
  return fault('proxy', summary, `let the proxy forward ${name}_URL to port ${port} of ${host}`)
}

function ask(url: string, headers: Record<string, string>): Promise<RequestOutcome> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestTls : request
    const asked = send(url, { headers, agent: false, timeout: answerTimeoutMs }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer
        resolve({ kind: 'answered', status, text, location: headers.location ?? '' })
      })
      answer.on('error', (error) => resolve({ kind: 'failed', reason: reasonOf(error) }))
    })
    asked.on('timeout', () => asked.destroy(new Error(`no response in ${answerTimeoutMs / 1_000} s`)))
    asked.on('error', (error) => resolve({ kind: 'failed', reason: reasonOf(error) }))
    asked.end()
  })
}

/** Requests an upgrade and returns the response's status, or `undefined` if there is no response. */
function upgradeStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestTls : request
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'Z2F0ZWhvdXNlIGRvY3Rvcg==',
      'sec-websocket-protocol': 'gatehouse.runtime.v1',
    }
    const asked = send(url, { headers, agent: false, timeout: answerTimeoutMs }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('upgrade', (answer, socket) => {
      socket.destroy()
      resolve(answer.statusCode)
    })
    asked.on('timeout', () => asked.destroy(new Error('no response')))
    asked.on('error', () => resolve(undefined))
    asked.end()
  })
}
