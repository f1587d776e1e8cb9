import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startNode } from '../faults/nodes-on-postgres.ts'
import { botIds, HandlingRuntime, provision } from '../support/service-process-client.ts'
import { pluck } from '../support/together.ts'
import { WebhookLoad } from '../support/webhook-load.ts'
import { startHaproxy } from './haproxy.ts'
import { openPatroniCluster, type PatroniCluster } from './patroni-cluster.ts'
import { findPrograms } from './programs.ts'

/**
 * `npm run test:failover`: measures how long webhooks are rejected when a database server fails, and whether any is
 * lost. Starts three PostgreSQL servers under Patroni, etcd, two nodes and HAProxy on loopback, configured by the files
 * in `deploy/`. Takes about eight minutes. Prints the table in `docs/performance.md`.
 */
interface Fault {
  title: string
  /** Maximum time without a 202, in seconds. Default: {@link unplannedSeconds}. */
  limitSeconds?: number
  /** Returns a function that repairs the fault. */
  inflict(cluster: PatroniCluster): Promise<() => unknown>
}

/** How often a webhook is sent to each bot. */
const everyMs = 60
/** Patroni's `ttl` plus the time to promote a standby and for nodes to find it. */
const unplannedSeconds = 35
/** Longer than Patroni's `ttl`, so that any failover has finished before the fault is repaired. */
const faultLastsMs = 50_000

function kill(role: 'leader' | 'sync_standby'): Fault['inflict'] {
  return async (cluster) => {
    const member = await cluster.memberWith(role)
    await cluster.kill(member)
    return () => cluster.start(member)
  }
}

const faults: readonly Fault[] = [
  {
    title: 'Planned switchover',
    limitSeconds: 3,
    async inflict(cluster) {
      await cluster.switchover()
      return () => {}
    },
  },
  { title: 'Leader killed', inflict: kill('leader') },
  {
    title: 'Leader frozen',
    async inflict(cluster) {
      const leader = await cluster.memberWith('leader')
      cluster.freeze(leader)
      return () => cluster.thaw(leader)
    },
  },
  {
    title: 'Leader cut off',
    async inflict(cluster) {
      cluster.cutOff(await cluster.memberWith('leader'))
      return () => cluster.reconnect()
    },
  },
  { title: 'Synchronous standby killed', inflict: kill('sync_standby') },
  {
    title: 'etcd killed',
    async inflict({ etcd }) {
      await etcd.kill()
      return () => etcd.start()
    },
  },
]

// The programs have process groups of their own, so Ctrl-C reaches only this process, which then stops them.
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort())
const title = 'after each fault, a database server accepts webhooks again, and each accepted webhook is delivered'
await test(title, { signal: interrupted.signal }, measure)
if (interrupted.signal.aborted) process.exit(1)

async function measure(t: TestContext): Promise<void> {
  const cluster = await openPatroniCluster(t, findPrograms())
  const { env } = await startNode(t, cluster.url)
  const other = await startNode(t, cluster.url)
  const gateway = await startHaproxy(t, [env, other.env])
  const runtime = new HandlingRuntime(t, { API_URL: gateway }, await provision(env))
  const senders = botIds.map((botId) => ({ apiUrl: gateway, botId }))

  const rows = [
    '| Fault | Longest time without a 202 | Other responses | Webhooks answered 202 | Lost |',
    '|---|---|---|---|---|',
  ]
  for (const { title, limitSeconds = unplannedSeconds, inflict } of faults) {
    await t.test(`${title}: at most ${limitSeconds} s without a 202, and nothing is lost`, async (t) => {
      const load = new WebhookLoad(title, senders, everyMs)
      t.after(() => load.stop())
      await load.untilAccepted(100)
      const repair = await inflict(cluster)
      await wait(faultLastsMs, undefined, { signal: t.signal })
      await repair()
      await cluster.untilHealthy()
      await load.untilAccepted(100)
      await load.stop()

      const accepted = pluck(load.accepted, 'body')
      const missing = await runtime.has(accepted).then(
        () => undefined,
        (error: Error) => error,
      )
      const lost = new Set(accepted).difference(new Set(runtime.bodies)).size
      const gap = load.longestGapSeconds()
      rows.push(`| ${title} | ${gap.toFixed(1)} s | ${load.otherResponses()} | ${accepted.length} | ${lost} |`)
      assert.equal(missing, undefined)
      assert.ok(gap <= limitSeconds, `${gap} s without a 202`)
    })
  }
  console.log(rows.join('\n'))
}
