import { once } from 'node:events'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as rest } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { pino } from 'pino'
import { alwaysOurs } from '../src/domain/background-work.ts'
import { systemClock } from '../src/domain/clock.ts'
import { Secrets } from '../src/domain/ids-and-secrets.ts'
import { Checkpointer, identityFile } from '../src/storage/sqlite/database-files.ts'
import { SqliteFile } from '../src/storage/sqlite/sqlite-file.ts'
import { sqliteIdentity } from '../src/storage/sqlite/sqlite-identity.ts'
import { startUpkeep } from '../src/upkeep/upkeep.ts'
import type { LoadResult } from './load.ts'
import { median } from './measure.ts'
import { tokens } from './oauth-server.ts'
import { canPin, load, startService, stop } from './processes.ts'
import { openQueueWorkload } from './queue-workload.ts'
import { newSetting, provisionClient, provisionWebhookBot, type Setting } from './setting.ts'

/**
 * `npm run bench:millions [count]` compares an empty service with a full one. The full one has a million live tokens
 * (or `count`), a tenth as many users, and as many accepted and delivered webhooks as tokens. It prints the ratios for
 * userinfo and webhook acceptance.
 *
 * Then all data expires, and upkeep prunes it for several minutes (`BENCH_MINUTES`). It prints the longest pause of the
 * event loop and, for comparison, that of an idle thread.
 */
const count = Number(process.argv[2] ?? 1_000_000)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const secondsPerLoad = Number(process.env.BENCH_SECONDS ?? 3)
/** Number of connections, few enough not to saturate the service, so that latencies don't include queueing. */
const connections = 8
const presented = 2_000
const minutesOfUpkeep = Number(process.env.BENCH_MINUTES ?? 5)
const ratioLimit = 1.3
const pauseLimitMs = 20
const hourMs = 3_600_000
const minuteMs = 60_000

const [empty, full] = [await newSetting(), await newSetting()]

async function main(): Promise<void> {
  if (!canPin) console.log('taskset not found: server and client share cores, so the figures are rough.')
  try {
    await provisionTarget(full)
    const beganMs = performance.now()
    const fullTokens = fillTokens(full)
    await fillQueue(full)
    console.log(
      `${count} tokens and events stored in ${((performance.now() - beganMs) / 1_000).toFixed(0)} s: ${sizes(full)}`,
    )
    // Create these tokens last: they could otherwise expire while the full service is being filled.
    const emptyTokens = await provisionTarget(empty)
    await compare(emptyTokens, fullTokens)
    await prune(full)
  } finally {
    for (const { dataDir } of [empty, full]) rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Provisions a user, an application and a bot that listens for webhooks. Returns access tokens to use in requests. */
async function provisionTarget(setting: Setting): Promise<string[]> {
  const service = await startService(setting.env)
  try {
    const oauth = await provisionClient(setting)
    await provisionWebhookBot(setting)
    return (await tokens(oauth, presented, 'userinfo')).map(({ access_token }) => access_token)
  } finally {
    await stop(service)
  }
}

/**
 * Inserts authorizations in one transaction, in the form in which the service stores them. Returns access tokens from
 * all parts of the table.
 */
function fillTokens({ dataDir }: Setting): string[] {
  const secrets = new Secrets(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim())
  const db = new DatabaseSync(join(dataDir, identityFile.name))
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; BEGIN')
  const insertUser = db.prepare('INSERT INTO users (id, name, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?)')
  const insertFamily = db.prepare(
    `INSERT INTO token_families (number, application_id, user_id, scopes, redirect_uri, code_digest, code_expires_at_ms,
       redeemed_at_ms, refresh_generation, refresh_digest, refresh_expires_at_ms, created_at_ms, ends_at_ms)
     VALUES (?, 'acme', ?, 'user.identify offline_access', 'https://client.example/callback', ?, ?, ?, 1, ?, ?, ?, ?)`,
  )
  const insertToken = db.prepare(
    "INSERT INTO access_tokens (number, digest, family, scopes, expires_at_ms) VALUES (?, ?, ?, 'user.identify offline_access', ?)",
  )
  const nowMs = Date.now()
  const people = Math.ceil(count / 10)
  // Scrambles the number, because the IDs of real users don't arrive in sorted order either.
  const userId = (n: number) => `user-${((n * 2_654_435_761) % 2 ** 32).toString(36)}`
  for (let n = 0; n < people; n += 1) insertUser.run(userId(n), `Person ${n}`, nowMs, nowMs)
  const kept: string[] = []
  for (let n = 1; n <= count; n += 1) {
    const number = presented + n
    const { clearText, digest } = secrets.makeNumbered('accessToken', { row: number, generation: 0 })
    const monthLater = nowMs + 30 * 24 * hourMs + n
    const user = userId(Math.floor(Math.random() * people))
    insertFamily.run(number, user, digest, nowMs, nowMs, digest, monthLater, nowMs, monthLater)
    insertToken.run(number, digest, number, nowMs + 6 * hourMs)
    if (n % Math.ceil(count / presented) === 0) kept.push(clearText)
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return kept
}

const batchSize = 64

/**
 * Accepts and acknowledges `count` events through the queue's own methods. As in a running service, the queue removes
 * finished events beyond its retention limits.
 */
async function fillQueue({ dataDir }: Setting): Promise<void> {
  const nowMs = Date.now()
  const workload = openQueueWorkload(join(dataDir, 'queue.sqlite'), nowMs)
  for (let events = 0; events < count; events += batchSize) await workload.acceptAndFinish(batchSize, nowMs)
  await workload.close()
}

async function compare(emptyTokens: readonly string[], fullTokens: readonly string[]): Promise<void> {
  const services = [await startService(empty.env), await startService(full.env)]
  try {
    console.log('| workload | p99 ms, empty | p99 ms, full | ratio of p99 | ratio of p50 | ratio of throughput |')
    console.log('|---|---|---|---|---|---|')
    const userinfos = (tokens: readonly string[]) =>
      tokens.map((token) => `GET /api/oauth/userinfo HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`)
    await alternate('userinfo', '200', (setting) => ({
      url: setting.base,
      requests: userinfos(setting === empty ? emptyTokens : fullTokens),
    }))
    const body = 'x'.repeat(256)
    const webhook = `POST /bot-bench/hook HTTP/1.1\r\nHost: bench\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    await alternate('webhook accept', '202', ({ api }) => ({ url: api, requests: [webhook] }))
  } finally {
    await Promise.all(services.map(stop))
  }
}

async function alternate(what: string, status: string, of: (setting: Setting) => { url: URL; requests: string[] }) {
  const results = new Map<Setting, LoadResult[]>([
    [empty, []],
    [full, []],
  ])
  // The first round only warms up and is not counted.
  for (let round = -1; round < rounds; round += 1) {
    for (const [setting, ofIt] of results) {
      const { url, requests } = of(setting)
      const until = { afterMs: secondsPerLoad * 1_000 }
      const result = await load({ host: '127.0.0.1', port: Number(url.port), connections, requests, until })
      if (result.statuses[status] !== result.answers) throw new Error(`${what}: ${JSON.stringify(result.statuses)}`)
      if (round >= 0) ofIt.push(result)
    }
  }
  const figure = (setting: Setting, name: 'p99Ms' | 'p50Ms' | 'perSecond') =>
    median((results.get(setting) ?? []).map((result) => result[name]))
  const ratio = (name: 'p99Ms' | 'p50Ms' | 'perSecond') => (figure(full, name) / figure(empty, name)).toFixed(2)
  const columns = [
    what,
    figure(empty, 'p99Ms').toFixed(2),
    figure(full, 'p99Ms').toFixed(2),
    `${ratio('p99Ms')} (limit ${ratioLimit})`,
    ratio('p50Ms'),
    ratio('perSecond'),
  ]
  console.log(`| ${columns.join(' | ')} |`)
}

async function prune({ dataDir }: Setting): Promise<void> {
  const nowMs = Date.now() + 32 * 24 * hourMs
  const path = join(dataDir, identityFile.name)
  const file = new SqliteFile({ ...identityFile, path, checkpointer: new Checkpointer() })
  const { grants } = sqliteIdentity(file)
  const workload = openQueueWorkload(join(dataDir, 'queue.sqlite'), nowMs)
  const idle = startIdleThread()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const upkeep = startUpkeep({
    clock: systemClock,
    log: pino({ level: 'warn' }),
    duty: alwaysOurs,
    jobs: [
      { name: 'tokens', prune: (limit) => grants.prune(nowMs, limit) },
      { name: 'events', prune: (limit) => workload.queue.prune(nowMs, limit) },
    ],
  })
  // Maintenance starts after a minute and then runs once a minute.
  await rest((minutesOfUpkeep + 1) * minuteMs)
  delay.disable()
  await upkeep.stop()
  for (const { name, rowsDeleted } of upkeep.figures) {
    console.log(`${rowsDeleted} rows of ${name} pruned in ${minutesOfUpkeep} minutes`)
  }
  const ms = (nanoseconds: number) => (nanoseconds / 1e6).toFixed(1)
  console.log(
    `longest pause ${ms(delay.max)} ms (limit ${pauseLimitMs}); ` +
      `in an idle thread ${(await idle.longestPauseMs()).toFixed(1)} ms`,
  )
  await file.close()
  await workload.close()
  console.log(`after pruning: ${sizes(full)}`)
}

/** Measures event loop delays caused by the machine rather than by the service. */
function startIdleThread() {
  const source = `
    const { monitorEventLoopDelay } = require('node:perf_hooks')
    const { parentPort } = require('node:worker_threads')
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    parentPort.once('message', () => parentPort.postMessage(delay.max / 1e6))`
  const worker = new Worker(source, { eval: true })
  return {
    async longestPauseMs(): Promise<number> {
      worker.postMessage('report')
      const [ms] = (await once(worker, 'message')) as [number]
      await worker.terminate()
      return ms
    },
  }
}

function sizes({ dataDir }: Setting): string {
  return ['identity.sqlite', 'queue.sqlite']
    .map((name) => `${name} ${(statSync(join(dataDir, name)).size / 1_048_576).toFixed(0)} MiB`)
    .join(', ')
}

await main()
