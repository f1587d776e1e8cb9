import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { Browser } from '../test/support/people.ts'
import { type Gatehouse, startGatehouse } from './gatehouse.ts'
import type { HostileCounts, HostileOwner } from './hostile-owner.ts'
import { startBare } from './measure.ts'
import { refreshBody, tokens } from './oauth-server.ts'
import { percentilesOf } from './percentiles.ts'
import { onPostgres } from './postgres.ts'
import { moveOtherThreadsToClientCore, moveToClientCore, startHostileOwner, stop } from './processes.ts'
import { botIdOf, hookRecord, provision } from './setting.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const perSecond = 50
/** A neighbour's p99 may be this many times its quiet value. */
const timesAllowed = 3

interface Probe {
  name: string
  send(): Promise<void>
}

/** Measures on each database how much another owner notices of a hostile one. */
export async function measureNeighbours(): Promise<void> {
  moveToClientCore(process.pid)
  await measureOn('SQLite', {})
  await onPostgres((env) => measureOn('PostgreSQL', env))
}

/**
 * Prints the p99 of webhooks, token refreshes and bot status, without load and while a hostile owner attacks in every
 * way at once. Each request is sent on its own, at a fixed rate. A bare node:http server that nobody attacks shows how
 * much of the difference is the machine's, which the attack keeps busy.
 */
async function measureOn(database: string, env: Record<string, string>): Promise<void> {
  // With these settings, the hostile bot's queue fills up within seconds.
  const service = await startGatehouse({ ...env, QUEUE_MAX_EVENTS_PER_BOT: '1000', QUEUE_MAX_EVENTS: '100000' })
  const bare = await startBare()
  moveOtherThreadsToClientCore(service.server)
  try {
    const probes = await probesOf(service, bare.port)
    const owner = await hostileOwner(service)
    await measure(probes, 1)
    const quiet = await measure(probes, seconds)
    const attack = startHostileOwner(owner)
    // The attack's first second opens its connections.
    await measure(probes, 1)
    const attacked = await measure(probes, seconds)
    const counts = await attack.end()
    console.log(`Beside a hostile owner, on ${database}:`)
    for (const { name } of probes) console.log(`- ${name}: ${comparison(quiet.get(name), attacked.get(name))}`)
    console.log(`- ${summary(counts)}`)
  } finally {
    await Promise.all([service.end(), stop(bare.server)])
  }
}

async function probesOf({ setting, target }: Gatehouse, barePort: number): Promise<Probe[]> {
  const { oauth } = target
  const agent = new Agent({ keepAlive: true })
  let address = 0
  const send = (url: URL, method: string, expected: number, body?: string, type = 'text/plain'): Promise<string> => {
    // Limits per address are not what is measured.
    address += 1
    const headers = { 'content-type': type, 'x-forwarded-for': `10.0.${(address >> 8) & 255}.${address & 255}` }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.once('end', () =>
          answer.statusCode === expected ? resolve(text) : reject(new Error(`${url.pathname}: ${answer.statusCode}`)),
        )
      })
      sent.once('error', reject)
      sent.end(body)
    })
  }
  let [{ refresh_token: token } = assert.fail('no tokens')] = await tokens(oauth, 1, 'grant')
  // Each bot takes its turn, so that none of their queues fills up.
  let bot = 0
  return [
    {
      name: 'webhook',
      send: async () => {
        bot = (bot + 1) % 64
        await send(new URL(`/${botIdOf(bot)}/hook`, setting.api), 'POST', 202, 'x'.repeat(256))
      },
    },
    {
      name: 'token refresh',
      send: async () => {
        const url = new URL(oauth.paths.token, oauth.origin)
        const text = await send(
          url,
          'POST',
          200,
          String(refreshBody(oauth, token)),
          'application/x-www-form-urlencoded',
        )
        token = (JSON.parse(text) as { refresh_token: string }).refresh_token
      },
    },
    {
      name: '/livez',
      send: async () => {
        await send(new URL('/livez', setting.control), 'GET', 200)
      },
    },
    {
      name: 'bot status',
      send: async () => {
        await send(new URL(`/botstatus/${botIdOf(1)}/api`, setting.base), 'GET', 200)
      },
    },
    {
      name: 'a bare node:http server',
      send: async () => {
        await send(new URL(`http://127.0.0.1:${barePort}`), 'GET', 200)
      },
    },
  ]
}

/** Returns the latencies of each probe. */
async function measure(probes: readonly Probe[], forSeconds: number): Promise<Map<string, number[]>> {
  const latencies = await Promise.all(
    probes.map(async ({ name, send }) => {
      const took: number[] = []
      const beganMs = performance.now()
      for (let n = 0; n < forSeconds * perSecond; n += 1) {
        const dueMs = beganMs + (n * 1_000) / perSecond
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())))
        const sentMs = performance.now()
        await send()
        took.push(performance.now() - sentMs)
      }
      return [name, took] as const
    }),
  )
  return new Map(latencies)
}

async function hostileOwner({ setting }: Gatehouse): Promise<HostileOwner> {
  const address = '203.0.113.7'
  const [baseUrl, apiUrl, portalUrl] = [setting.base.origin, setting.api.origin, setting.env.PORTAL_URL ?? '']
  const [email, password, botId, applicationId] = ['mallory@example.com', 'correct horse', 'bot-of-mallory', 'hostile']
  await provision(setting, '/v1/users/mallory', { name: 'Mallory', email, password })
  const bot = { ownerId: 'mallory', name: 'Mallory', chatPlatformId: '215215215215215215', hostingEnabled: true }
  await provision(setting, `/v1/bots/${botId}`, bot)
  const { path, body } = hookRecord(botId)
  await provision(setting, path, body)
  const long = (n: number) => `https://hostile.example/${'long/'.repeat(380)}${n}`
  const { clientId = '' } = await provision(setting, `/v1/applications/${applicationId}`, {
    ...{ ownerId: 'mallory', name: 'Hostile', websiteUrl: 'https://hostile.example' },
    redirectUris: ['https://hostile.example/', ...Array.from({ length: 49 }, (_, n) => long(n))],
  })
  for (let n = 100; n < 300; n += 1) {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: long(n) })
    await fetch(`${baseUrl}/auth/consent?${query}`)
  }
  const operatorKey = readFileSync(join(setting.dataDir, 'operator.key'), 'utf8').trim()
  const world = { baseUrl, apiUrl, portalUrl, controlUrl: setting.control.origin, operatorKey }
  const browser = new Browser({}, { 'x-forwarded-for': address })
  await browser.submit(await browser.get(`${baseUrl}/sign-in`), { email, password }, '/sign-in')
  await browser.visit(portalUrl, world)
  const runtimes = await browser.get(`${baseUrl}/bots/${botId}/runtimes`)
  const made = await browser.submit(runtimes, { name: 'hostile', hosts: 'all' }, '/runtimes')
  const runtimeKey = /svc_rk_[A-Za-z0-9_]+/.exec(made.text)?.[0] ?? assert.fail(`no key: ${made.status}`)
  const formToken = /name="form_token" value="([^"]+)"/.exec(runtimes.text)?.[1] ?? ''
  const account = { cookie: browser.cookieHeader(), formToken, runtimeKey, address }
  return { ...account, base: baseUrl, api: apiUrl, portal: portalUrl, botId, clientId, applicationId }
}

function comparison(quiet: number[] = [], attacked: number[] = []): string {
  const [before, during] = [percentilesOf(quiet).p99Ms, percentilesOf(attacked).p99Ms]
  const ratio = during / before
  const verdict = during > 0 && ratio <= timesAllowed ? '' : ` (more than ${timesAllowed})`
  return `p99 ${before.toFixed(1)} ms quiet, ${during.toFixed(1)} ms attacked, ratio ${ratio.toFixed(1)}${verdict}`
}

function summary(counts: HostileCounts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
