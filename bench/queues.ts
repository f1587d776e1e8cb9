import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BotId, FlowId } from '../src/domain/ids-and-secrets.ts'
import type { DeliveryQueue } from '../src/domain/webhooks/delivery-queue.ts'
import { migratePrimary } from '../src/storage/postgres/migrate.ts'
import { Primary } from '../src/storage/postgres/primary.ts'
import { Checkpointer, queueFile } from '../src/storage/sqlite/database-files.ts'
import { embeddedQueue } from '../src/storage/sqlite/queue/embedded-queue.ts'
import { SqliteFile } from '../src/storage/sqlite/sqlite-file.ts'
import { openQueueNode } from '../test/support/postgres/queue.ts'
import { PostgresServer } from '../test/support/postgres/server.ts'
import { median } from './measure.ts'
import { headers, limits, NumberedBodies } from './queue-workload.ts'

/**
 * `npm run bench:queues` compares the two delivery queues without HTTP. Every commit is synced to disk. Each sender
 * waits for the response before it sends again, and each webhook must be handed out exactly once. Each figure is the
 * median of three rounds, in which the queues take turns.
 */
const roundMs = 3_000
const senders = 64
const drainMs = 120_000

interface Subject {
  name: string
  queue: DeliveryQueue
  /**
   * The queue from which runtimes claim. On PostgreSQL, it belongs to another node than `queue`, which accepts the
   * webhooks.
   */
  elsewhere: DeliveryQueue
  bodies: NumberedBodies
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-queues-'))
const file = new SqliteFile({ ...queueFile, path: join(folder, queueFile.name), checkpointer: new Checkpointer() })
const embedded = embeddedQueue({ file, limits, nowMs: Date.now(), chance: Math.random, strictFlows: () => [] })
const server = await PostgresServer.fresh({
  settings: ['fsync = on', 'full_page_writes = on', 'shared_buffers = 256MB'],
})
const primary = new Primary([server.url()])
await migratePrimary(primary)
const node = () => openQueueNode({ primary, limits, nowMs: Date.now(), chance: Math.random })
const [one, other] = [await node(), await node()]
const subjects: Subject[] = [
  { name: 'embedded', queue: embedded, elsewhere: embedded, bodies: new NumberedBodies() },
  { name: 'postgres', queue: one, elsewhere: other, bodies: new NumberedBodies() },
]

function accept({ queue, bodies }: Subject, botId: string) {
  const body = bodies.next()
  // Record the body before calling `accept`: a claim may hand the webhook out before `accept` resolves.
  bodies.accepted(body)
  const event = { flowId: 'flow' as FlowId, path: 'hook', headers, clientIp: '192.0.2.1', body, ordered: false }
  return queue.accept({ ...event, botId: botId as BotId, acceptedAtMs: Date.now() })
}

/** Returns the number of events accepted per second, spread over a thousand bots. */
async function acceptances(subject: Subject): Promise<number> {
  const untilMs = performance.now() + roundMs
  let accepted = 0
  const send = async () => {
    while (performance.now() < untilMs) {
      const { kind } = await accept(subject, `bot-${accepted % 1_000}`)
      if (kind !== 'accepted') throw new Error(`webhook not accepted: ${kind}`)
      accepted += 1
    }
  }
  await Promise.all(Array.from({ length: senders }, send))
  return accepted / (roundMs / 1_000)
}

/** Returns the number of events claimed and acknowledged per second by eight runtimes with 125 bots each. */
async function deliveries({ queue, bodies }: Subject, forMs = roundMs): Promise<number> {
  const untilMs = performance.now() + forMs
  let done = 0
  const run = async (runtime: number) => {
    const botIds = Array.from({ length: 125 }, (_, n) => `bot-${runtime * 125 + n}` as BotId)
    const holder = `runtime/${runtime}`
    let due = botIds
    while (performance.now() < untilMs && due.length > 0) {
      const asked = due.slice(0, 64)
      const { deliveries, more } = await queue.claim({
        holder,
        botIds: asked,
        most: 64,
        mostBytes: 2e6,
        nowMs: Date.now(),
      })
      due = [...due.slice(64), ...more]
      for (const { body } of deliveries) bodies.handedOut(body)
      const names = deliveries.map(({ delivery }) => delivery)
      await queue.acknowledge(holder, names, Date.now())
      done += names.length
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, runtime) => run(runtime)))
  return done / (roundMs / 1_000)
}

/** Measures one event at a time. Returns the milliseconds from the sender's call to the claim on the other node. */
async function latencies(subject: Subject): Promise<number[]> {
  const { elsewhere, bodies } = subject
  const botId = `lonely-${randomUUID()}` as BotId
  const ms: number[] = []
  for (let n = 0; n < 100; n += 1) {
    // Pause for longer than the interval between broadcasts, so that the event's broadcast is sent immediately.
    await sleep(25)
    const notified = new Promise<void>((resolve) => {
      const stop = elsewhere.onDue((due) => {
        if (due !== botId) return
        stop()
        resolve()
      })
    })
    const beganMs = performance.now()
    await accept(subject, botId)
    await notified
    const claim = { holder: 'runtime/lonely', botIds: [botId], most: 1, mostBytes: 1e9, nowMs: Date.now() }
    const { deliveries } = await elsewhere.claim(claim)
    ms.push(performance.now() - beganMs)
    for (const { body } of deliveries) bodies.handedOut(body)
    await elsewhere.acknowledge('runtime/lonely', [deliveries[0]?.delivery ?? ''], Date.now())
  }
  return ms.sort((one, other) => one - other)
}

const results = subjects.map(() => ({ accepted: [] as number[], delivered: [] as number[], latency: [] as number[][] }))
for (let round = 0; round < 3; round += 1) {
  for (const [at, subject] of subjects.entries()) {
    results[at]?.latency.push(await latencies(subject))
    results[at]?.accepted.push(await acceptances(subject))
    results[at]?.delivered.push(await deliveries(subject))
  }
}
for (const subject of subjects) {
  await deliveries(subject, drainMs)
  const { waiting } = subject.bodies
  if (waiting > 0) throw new Error(`${subject.name}: ${waiting} webhooks were accepted and not handed out`)
}
console.log('| queue | accepted/s | claimed and acknowledged/s | latency when idle: p50 ms | p99 ms |')
console.log('|---|---|---|---|---|')
for (const [at, { accepted, delivered, latency }] of results.entries()) {
  const quantile = (share: number) => median(latency.map((ms) => ms[Math.floor(ms.length * share)] ?? 0)).toFixed(1)
  const figures = [median(accepted).toFixed(0), median(delivered).toFixed(0), quantile(0.5), quantile(0.99)]
  console.log(`| ${subjects[at]?.name} | ${figures.join(' | ')} |`)
}
await Promise.all([one.close(), other.close(), file.close()])
await server.remove()
rmSync(folder, { recursive: true, force: true })
