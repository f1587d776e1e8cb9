import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { serve, stopped } from '../support/gatehouse-process.ts'
import { adaWithClient, codeFor, redeem, signedIn, userinfo } from '../support/people.ts'
import { HandlingRuntime, provision, surfaceUrls, WebhookLedger } from '../support/service-process-client.ts'
import { Balancer } from './balancer.ts'
import { openPostgres, startNode, startNodeInProcess } from './nodes-on-postgres.ts'

const wanted = 500

test('after kill -9 of one of two nodes under load, every accepted webhook is handled exactly once', async (t) => {
  const postgres = await openPostgres(t)
  const one = await startNode(t, postgres.url())
  const other = await startNodeInProcess(t, postgres.url())
  const key = await provision(one.env)

  // The runtime connected to the node that will be killed holds its deliveries without acknowledging them.
  const ready = { credit: 64, instance: 'at-one' }
  const { runtime: atOne } = await BotRuntime.ready(t, surfaceUrls(one.env), key, ready)
  const atOther = new HandlingRuntime(t, other.env, key, 'at-other')
  const ledger = new WebhookLedger()
  let killed = false
  const send = async (first: { env: Record<string, string> }) => {
    while (ledger.accepted.size < wanted || !killed) {
      const { env } = killed ? other : first
      const answer = await ledger.send(env)
      if (answer === undefined) assert.ok(killed && env === one.env, 'only the killed node cuts senders off')
      else assert.equal(answer.status, 202, answer.text)
      if (ledger.accepted.size < wanted / 2 || atOne.unread.length === 0 || killed) continue
      killed = true
      one.process.signal('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: 8 }, (_, sender) => send(sender % 2 === 0 ? one : other)))
  assert.equal(await one.process.exited, 'SIGKILL')
  const { body } = await atOne.next('dispatch')

  // The dead node's deliveries are redelivered. The node counts as gone after ten seconds, and its leases expire ten
  // seconds later.
  await atOther.has([...ledger.accepted, Buffer.from(body, 'base64').toString()])
  ledger.assertHandled(atOther.bodies)
  await other.stop()
})

test('during a rolling restart under load behind a load balancer that polls /readyz, no webhook or userinfo request fails, and each webhook is handled exactly once', async (t) => {
  const postgres = await openPostgres(t)
  const nodes = [await startNode(t, postgres.url()), await startNode(t, postgres.url())]
  const envs = nodes.map(({ env }) => env)
  const [env = {}] = envs
  const world = surfaceUrls(env)
  const key = await provision(env)
  const client = await adaWithClient(world)
  const { json } = await redeem(world, client, await codeFor(world, await signedIn(world), client))
  const balancer = new Balancer(t, envs)
  const [api, base] = [await balancer.front(t, 'API_URL'), await balancer.front(t, 'BASE_URL')]
  const allReady = () => eventually(() => (envs.every((each) => balancer.isReady(each)) ? true : undefined))
  await allReady()

  let loaded = true
  const ledger = new WebhookLedger()
  let userinfos = 0
  const senders = Array.from({ length: 4 }, async () => {
    while (loaded) {
      const answer = await ledger.send({ API_URL: api })
      assert.deepEqual([answer?.status, answer?.text], [202, '{"ok": true}'])
    }
  })
  const readers = Array.from({ length: 2 }, async () => {
    while (loaded) {
      const answer = await userinfo({ ...world, baseUrl: base }, json.access_token)
      assert.equal(answer.status, 200, JSON.stringify(answer.json))
      userinfos += 1
    }
  })
  const load = Promise.all([...senders, ...readers])
  const restarts = (async () => {
    for (const node of nodes) {
      await stopped(node.process)
      await serve(t, node.env)
      await allReady()
    }
    loaded = false
  })()
  await Promise.all([load, restarts])
  assert.ok(ledger.sent.size > 100 && userinfos > 100, `${ledger.sent.size} webhooks, ${userinfos} userinfos`)
  await ledger.assertReceived(t, env, key)
})
