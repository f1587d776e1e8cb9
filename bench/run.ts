import type { ChildProcess } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { endToEnd } from './end-to-end.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { canPin, load, processorSeconds, residentMiB, startServer, startService, stop } from './processes.ts'
import { aBot, botIdOf, newSetting, People, provision, provisionMany, type Setting } from './setting.ts'

/**
 * `npm run bench`: the hot paths, each as a ratio to a bare node:http server under the same load in the same run.
 * Absolute figures are of this machine and this hour; only the ratios carry over. Names as arguments choose rows.
 */
interface Row {
  name: string
  connections: number
  /** The load on the service, prepared afresh for each round. */
  order(setting: Setting, people: People): Promise<Omit<LoadOrder, 'connections' | 'host' | 'port'> & { url: URL }>
  /** Status every answer must have. */
  status: string
}

const secondsPerLoad = Number(process.env.BENCH_SECONDS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const barePort = 13_110
const forAWhile = { afterMs: secondsPerLoad * 1_000 }
const onceEach = 6_000
const endToEndName = 'end to end, webhook to the receipt of the runtime, idle'
const statusBots = 1_000

function webhookAccept(connections: number): Row {
  return {
    name: 'webhook accept, 256 B, durable',
    connections,
    status: '202',
    async order({ api }) {
      return { url: api, until: forAWhile, requests: [post('/bot-bench/hook', 'application/json', 'x'.repeat(256))] }
    },
  }
}

const rows: Row[] = [
  webhookAccept(64),
  webhookAccept(256),
  {
    name: 'userinfo',
    connections: 64,
    status: '200',
    async order({ base }, people) {
      const tokens = await people.tokens(64)
      return {
        url: base,
        until: forAWhile,
        requests: tokens.map((token) => get('/api/oauth/userinfo', `Authorization: Bearer ${token.access_token}\r\n`)),
      }
    },
  },
  {
    name: 'refresh',
    connections: 32,
    status: '200',
    async order({ base }, people) {
      const tokens = await people.tokens(32)
      const request = (token: string) => post('/api/oauth/token', formType, String(people.refreshBody(token)))
      const template = request('TOKEN')
        .replace(/Content-Length: \d+/, 'Content-Length: {length}')
        .replace('TOKEN', '{}')
      return {
        url: base,
        until: forAWhile,
        requests: tokens.map((token) => request(token.refresh_token)),
        chain: { member: 'refresh_token', template },
      }
    },
  },
  {
    name: 'redeem',
    connections: 32,
    status: '200',
    async order({ base }, people) {
      const codes = await people.codes(onceEach)
      const requests = codes.map((code) => post('/api/oauth/token', formType, String(people.redeemBody(code))))
      return { url: base, until: 'all-sent', requests }
    },
  },
  {
    name: 'revoke',
    connections: 32,
    status: '200',
    async order({ base }, people) {
      const tokens = await people.tokens(onceEach)
      const requests = tokens.map(({ access_token }) => post('/api/oauth/revoke', formType, `token=${access_token}`))
      return { url: base, until: 'all-sent', requests }
    },
  },
  {
    name: 'bot status, 1,000 bots',
    connections: 64,
    status: '200',
    async order({ base }) {
      // Each request comes from an address of its own, as behind a proxy, so that the limit of 60 does not answer.
      const requests = Array.from({ length: 50_000 }, (_, index) => {
        const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
        return get(`/botstatus/${botIdOf(index % statusBots)}/api`, `X-Forwarded-For: ${address}\r\n`)
      })
      return { url: base, until: forAWhile, requests }
    },
  },
]

const formType = 'application/x-www-form-urlencoded'

function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`
}

function post(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: bench\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

function median(figures: number[]): number {
  return figures.sort((one, other) => one - other)[Math.floor(figures.length / 2)] ?? 0
}

/** How many small synced writes this disk takes in a second: every durable figure depends on it. */
function syncsPerSecond(folder: string): number {
  const path = join(folder, 'sync-probe')
  const fd = openSync(path, 'w')
  const started = performance.now()
  let syncs = 0
  for (; performance.now() - started < 500; syncs += 1) {
    writeSync(fd, 'x'.repeat(4_096), 0)
    fdatasyncSync(fd)
  }
  closeSync(fd)
  rmSync(path)
  return Math.round(syncs * 2)
}

/** The load's result with the processor time the server spent on each answer: a busy machine bends it least. */
async function timed(server: ChildProcess, run: () => Promise<LoadResult>) {
  const before = processorSeconds(server) ?? Number.NaN
  const result = await run()
  const after = processorSeconds(server) ?? Number.NaN
  return { result, secondsPerAnswer: (after - before) / result.answers }
}

function assertStatus(row: Row, result: LoadResult): void {
  const others = Object.keys(result.statuses).filter((status) => status !== row.status)
  if (others.length > 0)
    throw new Error(`${row.name}: not every answer was ${row.status}: ${JSON.stringify(result.statuses)}`)
}

async function main(): Promise<void> {
  const setting = newSetting()
  const chosen = rows.filter((row) => process.argv.length < 3 || process.argv.some((word) => row.name.includes(word)))
  console.log(
    `Node ${process.version}; ${syncsPerSecond(setting.dataDir)} synced writes a second; ${rounds} rounds of ${secondsPerLoad} s`,
  )
  if (!canPin) console.log('Server and client are not held to a core each (no taskset), so the figures are rough.')
  const service = await startService({ ...setting.env, TRUST_PROXY: '1' })
  const bare = await startServer('./bare.ts', { PORT: String(barePort), ANSWER_BYTES: '200' })
  try {
    const people = await People.arrive(setting)
    await provision(setting, '/v1/bots/bot-bench', {
      ownerId: 'ada',
      name: 'Bench',
      chatPlatformId: '123456789012345678',
      hostingEnabled: true,
      publicStatus: true,
    })
    await provision(setting, '/v1/bots/bot-bench/flows/hook', {
      kind: 'event',
      name: 'Hook',
      webhook: { path: 'hook', requiresKey: false },
    })
    await provisionMany(
      setting,
      Array.from({ length: statusBots }, (_, number) => aBot(number)),
    )
    // First, while the queue is empty and the system idle.
    const asked = process.argv.length < 3 || process.argv.some((word) => endToEndName.includes(word))
    if (asked) {
      const { receipt, answer } = await endToEnd(setting, { botId: 'bot-bench', path: 'hook' })
      const spelt = ({ p50Ms, p99Ms }: typeof receipt) => `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`
      console.log(`${endToEndName}: ${spelt(receipt)}; to the answer 202: ${spelt(answer)}`)
    }
    if (chosen.length === 0) return
    console.log('| what | connections | a second | bare | ratio | processor ratio | p50 ms | p99 ms | RSS MiB |')
    console.log('|---|---|---|---|---|---|---|---|---|')
    for (const row of chosen) await measure(row, setting, people)
  } finally {
    await Promise.all([stop(service), stop(bare)])
    rmSync(setting.dataDir, { recursive: true, force: true })
  }

  async function measure(row: Row, setting: Setting, people: People): Promise<void> {
    const ours: LoadResult[] = []
    const yardsticks: LoadResult[] = []
    const processorRatios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const { url, ...order } = await row.order(setting, people)
      const { chain: _, ...plain } = order
      const at = { host: '127.0.0.1', connections: row.connections }
      const yardstick = await timed(bare, () => load({ ...plain, ...at, port: barePort, until: forAWhile }))
      const own = await timed(service, () => load({ ...order, ...at, port: Number(url.port) }))
      assertStatus(row, own.result)
      yardsticks.push(yardstick.result)
      ours.push(own.result)
      processorRatios.push(yardstick.secondsPerAnswer / own.secondsPerAnswer)
    }
    const ratio = median(ours.map((result, round) => result.perSecond / (yardsticks[round]?.perSecond ?? 1)))
    const figures = [
      row.name,
      row.connections,
      Math.round(median(ours.map((result) => result.perSecond))),
      Math.round(median(yardsticks.map((result) => result.perSecond))),
      ratio.toFixed(2),
      median(processorRatios).toFixed(2),
      median(ours.map((result) => result.p50Ms)).toFixed(1),
      median(ours.map((result) => result.p99Ms)).toFixed(1),
      residentMiB(service) ?? '?',
    ]
    console.log(`| ${figures.join(' | ')} |`)
  }
}

await main()
