import type { ChildProcess } from 'node:child_process'
import { createConnection, type Socket } from 'node:net'
import { connect } from '../clients/typescript/src/runtime.ts'
import { runtimeKey } from './end-to-end.ts'
import { startGatehouse } from './gatehouse.ts'
import type { LoadOrder } from './load.ts'
import { measureNeighbours } from './neighbours.ts'
import { tokens } from './oauth-server.ts'
import type { ArrivalResult } from './open-loop.ts'
import { type Percentiles, percentilesOf } from './percentiles.ts'
import { arrivals, canPin, load, residentMiB } from './processes.ts'
import type { Setting } from './setting.ts'
import type { Target } from './works.ts'

/**
 * `npm run bench:overload` measures webhooks and userinfo requests in two phases. In the first, each sender waits for
 * its response, which gives the sustainable rate. In the second, requests arrive at three times that rate, regardless
 * of responses. It prints the share of shed requests, the latency of `/livez` during the overload, and the time to
 * recover. At the end, a runtime must receive every accepted webhook.
 *
 * It then measures how much one owner notices of another, hostile one; `--neighbours` measures only that.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const times = Number(process.env.BENCH_TIMES ?? 3)
const connections = 64
/** Number of connections, which exceeds the service's limits for in-flight webhooks and OAuth requests. */
const floodConnections = 12_000
const livezLimitMs = 100

interface Subject {
  name: string
  url: URL
  requests: string[]
  normal: string
}

async function main(): Promise<void> {
  if (!canPin) console.log('taskset not found: server and client share cores, so the figures are rough.')
  const { setting, server, target, end } = await startGatehouse()
  try {
    for (const subject of await subjectsOf(target)) await overload(subject, setting, server)
    await handleAll(setting)
  } finally {
    await end()
  }
}

async function subjectsOf({ oauth, webhooks }: Required<Target>): Promise<Subject[]> {
  const body = 'x'.repeat(256)
  const bearers = (await tokens(oauth, connections, 'userinfo')).map(({ access_token }) => access_token)
  const { pathname } = webhooks.url
  return [
    {
      name: 'webhook accept, 256 B',
      url: webhooks.url,
      normal: webhooks.status,
      requests: [`POST ${pathname} HTTP/1.1\r\nHost: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    },
    {
      name: 'userinfo',
      url: oauth.origin,
      normal: '200',
      requests: bearers.map(
        (token) => `GET ${oauth.paths.userinfo} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
      ),
    },
  ]
}

/**
 * Number of webhooks answered with 202, and number without a response. Webhooks without a response may have been
 * accepted too.
 */
const webhooks = { accepted: 0, unanswered: 0 }

function noteWebhooks({ normal }: Subject, statuses: Record<string, number>, unanswered = 0): void {
  if (normal !== '202') return
  webhooks.accepted += statuses[normal] ?? 0
  webhooks.unanswered += unanswered
}

/**
 * Runs a runtime that handles all webhooks.
 *
 * @throws Error unless the number of handled webhooks is at least `accepted` and at most `accepted + unanswered`.
 */
async function handleAll(setting: Setting): Promise<void> {
  let handled = 0
  const runtime = connect({
    url: setting.api,
    key: await runtimeKey(setting, 'bot-bench'),
    instance: 'bench',
    credit: 1_024,
    onWebhook: () => {
      handled += 1
    },
  })
  // Allows five seconds for the first webhook, then waits until none has arrived for a second.
  for (let before = -1; handled > before; ) {
    before = handled
    await new Promise((resolve) => setTimeout(resolve, before === 0 ? 5_000 : 1_000))
  }
  await runtime.leave()
  const { accepted, unanswered } = webhooks
  console.log(`${accepted} webhooks accepted, ${unanswered} without a response, ${handled} handled`)
  if (handled < accepted || handled > accepted + unanswered)
    throw new Error('the number of handled webhooks does not match the accepted ones')
}

async function overload(subject: Subject, setting: Setting, service: ChildProcess): Promise<void> {
  const at = { host: '127.0.0.1', port: Number(subject.url.port), requests: subject.requests }
  const order: LoadOrder = { ...at, connections, until: { afterMs: seconds * 1_000 } }
  const loaded = async (each: LoadOrder) => {
    const result = await load(each)
    noteWebhooks(subject, result.statuses)
    return result
  }
  await loaded({ ...order, until: { afterMs: 1_000 } })
  const sustainable = await loaded(order)
  const idle = await livez(setting, async () => new Promise((resolve) => setTimeout(resolve, 1_000)))

  const perSecond = Math.round(sustainable.perSecond * times)
  let recoveredMs = Number.NaN
  const flooded = await livez(setting, () =>
    arrivals({ ...at, perSecond, forMs: seconds * 1_000, connections: floodConnections }, async () => {
      recoveredMs = await untilNormal(subject, sustainable.p99Ms)
    }),
  )
  const after = await loaded(order)
  noteWebhooks(subject, flooded.result.statuses, flooded.result.cut)

  console.log(`${subject.name}:`)
  console.log(
    `- sustainable: ${Math.round(sustainable.perSecond)}/s over ${connections} connections, p99 ${ms(sustainable.p99Ms)}`,
  )
  printFlood(flooded.result, perSecond, subject)
  console.log(
    `- /livez idle: ${withMax(idle.latencies)}; during the flood: ${withMax(flooded.latencies)} (limit ${livezLimitMs} ms)`,
  )
  console.log(
    `- first normal response ${ms(recoveredMs)} after the last arrival; then ${Math.round(after.perSecond)}/s, p99 ${ms(after.p99Ms)}; RSS ${residentMiB(service) ?? '?'} MiB`,
  )
}

function printFlood(result: ArrivalResult, perSecond: number, { normal }: Subject): void {
  const shed = result.statuses['503'] ?? 0
  const share = (count: number) => `${((count / result.arrived) * 100).toFixed(1)} %`
  console.log(
    `- ${perSecond}/s arrived for ${seconds} s: ${share(result.statuses[normal] ?? 0)} answered ${normal} (${summary(result.served)}), ` +
      `${share(shed)} shed with 503 (${summary(result.shed)}; ${result.withoutRetryAfter} without Retry-After), ` +
      `${share(result.withoutConnection)} found all ${floodConnections} connections busy, ${result.cut} without a response; statuses ${JSON.stringify(result.statuses)}; sender delayed by at most ${ms(result.ownDelayMaxMs)}`,
  )
}

const livezEveryMs = 10

/** Measures the latency of `/livez` a hundred times per second, on a separate connection, while `during` runs. */
async function livez<Result>({ control }: Setting, during: () => Promise<Result>) {
  const probe = await Probe.on(control)
  const latencies: number[] = []
  let ended = false
  const running = during().finally(() => {
    ended = true
  })
  for (let dueMs = performance.now(); !ended; dueMs += livezEveryMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
    const { status, tookMs } = await probe.send('GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n')
    if (status !== '200') throw new Error(`/livez responded with ${status}`)
    latencies.push(tookMs)
  }
  probe.end()
  return { result: await running, latencies }
}

/** Returns the milliseconds until a request gets a normal response within the p99 latency of the sustainable load. */
async function untilNormal(subject: Subject, usualMs: number): Promise<number> {
  const { url, requests, normal } = subject
  const beganMs = performance.now()
  for (;;) {
    const probe = await Probe.on(url)
    const { status, tookMs } = await probe.send(requests[0] as string)
    probe.end()
    noteWebhooks(subject, { [status]: 1 })
    if (status === normal && tookMs <= Math.max(usualMs, 5)) return performance.now() - beganMs
    if (performance.now() - beganMs > 30_000) return Number.POSITIVE_INFINITY
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

class Probe {
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static on({ hostname, port }: URL): Promise<Probe> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ host: hostname, port: Number(port), noDelay: true }, () =>
        resolve(new Probe(socket)),
      )
      socket.once('error', reject)
    })
  }

  /** Sends a request. Expects the whole response in a single chunk. */
  send(request: string): Promise<{ status: string; tookMs: number }> {
    const sentMs = performance.now()
    return new Promise((resolve) => {
      this.#socket.once('data', (chunk) => {
        resolve({ status: chunk.toString('latin1', 9, 12), tookMs: performance.now() - sentMs })
      })
      this.#socket.write(request)
    })
  }

  end(): void {
    this.#socket.destroy()
  }
}

function summary({ p50Ms, p99Ms }: Percentiles): string {
  return `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}`
}

function withMax(latencies: readonly number[]): string {
  return `${summary(percentilesOf(latencies))}, max ${ms(Math.max(...latencies))}`
}

function ms(figure: number): string {
  return `${figure.toFixed(1)} ms`
}

const only = process.argv.slice(2)
if (!only.includes('--neighbours')) await main()
await measureNeighbours()
