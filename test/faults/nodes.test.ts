import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../eventually.ts'
import { serve } from '../gatehouse-process.ts'
import { adaWithClient, codeFor, redeem, refresh, signedIn, userinfo } from '../people.ts'
import { Balancer } from './balancer.ts'
import { bodyOf, connect, provision, reached } from './from-outside.ts'
import { openPostgres, startNode } from './nodes-on-postgres.ts'

const temporarilyUnavailable = {
  error: 'temporarily_unavailable',
  error_description: 'The service can not reach its data right now. Try again in a moment.',
}

const wanted = 500
/** A node counts as gone after ten seconds, its leases lapse ten seconds later, and the next attempt waits its turn. */
const adoptedWithinMs = 60_000

describe('Faults of many nodes on one PostgreSQL', () => {
  test('kill -9 of one of two nodes under load: each webhook accepted at either is delivered, and nothing else is', async (t) => {
    const postgres = await openPostgres(t)
    const one = await startNode(t, postgres.url())
    const other = await startNode(t, postgres.url())
    const key = await provision(one.env)

    // The runtime at the node that is killed holds what it has been given.
    const atOne = await connect(t, one.env, key, { credit: 64, instance: 'at-one' })
    const atOther = await connect(t, other.env, key, { credit: 64, instance: 'at-other' })
    const sent = new Set<string>()
    const accepted = new Set<string>()
    const delivered = new Set<string>()
    void (async () => {
      for (;;) {
        const event = await atOther.next('dispatch')
        delivered.add(bodyOf(event))
        atOther.send({ type: 'ack', deliveries: [event.delivery] })
      }
    })()
    let killed = false
    const send = async (first: string, then: string, sender: number) => {
      for (let n = 0; accepted.size < wanted; n += 1) {
        const body = `${sender}-${n}`
        sent.add(body)
        const url = killed ? then : first
        const answer = await fetch(`${url}/greeter/hooks`, { method: 'POST', body }).catch(() => undefined)
        if (answer === undefined) assert.ok(killed && url === one.env.API_URL, 'only the killed node cuts senders off')
        else assert.equal(answer.status, 202, await answer.text())
        if (answer !== undefined) accepted.add(body)
        if (accepted.size < wanted / 2 || killed) continue
        killed = true
        one.process.signal('SIGKILL')
      }
    }
    const [apiOne = '', apiOther = ''] = [one.env.API_URL, other.env.API_URL]
    await Promise.all(
      Array.from({ length: 8 }, (_, sender) => send(sender % 2 === 0 ? apiOne : apiOther, apiOther, sender)),
    )
    assert.equal(await one.process.exited, 'SIGKILL')
    const held = await atOne.next('dispatch')

    const missing = () => [...accepted].filter((body) => !delivered.has(body))
    for (const untilMs = Date.now() + adoptedWithinMs; missing().length > 0 && Date.now() < untilMs; ) await wait(50)
    assert.deepEqual(missing(), [])
    assert.ok(delivered.has(bodyOf(held)), 'what the dead node had handed out was handed out again')
    for (const body of delivered) assert.ok(sent.has(body), `${body} was never sent`)
  })

  test('PostgreSQL goes away and comes back: 503 meanwhile, in the shape of each surface, and all is well again by itself', async (t) => {
    const postgres = await openPostgres(t)
    const { env } = await startNode(t, postgres.url())
    const world = reached(env)
    await provision(env)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const first = (await redeem(world, client, await codeFor(world, browser, client))).json
    const webhook = async (path = 'hooks') => {
      const answer = await fetch(`${env.API_URL}/greeter/${path}`, { method: 'POST', body: 'hello' })
      return { status: answer.status, headers: answer.headers, text: await answer.text() }
    }
    const health = () => fetch(`${env.API_URL}/health`)
    assert.deepEqual([(await webhook()).status, (await health()).status], [202, 200])

    await postgres.stop()
    // The second is of a path that the node does not remember, so nobody can tell whether somebody listens there.
    for (const path of ['hooks', 'not-remembered']) {
      const { status, headers, text } = await webhook(path)
      assert.deepEqual(
        [status, headers.get('retry-after'), text],
        [503, '1', '{"error": "Webhook gateway unavailable."}'],
      )
    }
    // A healthy answer is shared for a second.
    const unhealthy = await eventually(async () => {
      const answer = await health()
      return answer.status === 503 ? answer : undefined
    })
    assert.deepEqual(await unhealthy.json(), { status: 'unavailable', service: 'webhooks', reason: 'backend_error' })
    const failed = await refresh(world, client, first.refresh_token)
    assert.deepEqual([failed.status, failed.json], [503, temporarilyUnavailable])
    const unread = await userinfo(world, first.access_token)
    assert.deepEqual([unread.status, unread.json], [503, temporarilyUnavailable])
    assert.equal((await fetch(`${env.CONTROL_URL}/readyz`)).status, 503)
    assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)

    await postgres.start()
    await eventually(async () => ((await webhook()).status === 202 ? true : undefined))
    await eventually(async () => ((await health()).status === 200 ? true : undefined))
    await eventually(async () => ((await fetch(`${env.CONTROL_URL}/readyz`)).status === 200 ? true : undefined))
    await eventually(async () => ((await userinfo(world, first.access_token)).status === 200 ? true : undefined))
    // What was refused was not spent.
    assert.equal((await refresh(world, client, first.refresh_token)).status, 200)
  })
  test('a rolling restart under load behind what asks /readyz: not one webhook and not one userinfo fails', async (t) => {
    const postgres = await openPostgres(t)
    const nodes = [await startNode(t, postgres.url()), await startNode(t, postgres.url())]
    const envs = nodes.map(({ env }) => env)
    const [env = {}] = envs
    const world = reached(env)
    await provision(env)
    const client = await adaWithClient(world)
    const { json } = await redeem(world, client, await codeFor(world, await signedIn(world), client))
    const balancer = new Balancer(t, envs)
    const [api, base] = [await balancer.front(t, 'API_URL'), await balancer.front(t, 'BASE_URL')]
    const allReady = () => eventually(() => (envs.every((each) => balancer.isReady(each)) ? true : undefined))
    await allReady()

    let loaded = true
    const answered = { webhooks: 0, userinfos: 0 }
    const senders = Array.from({ length: 4 }, async (_, sender) => {
      for (let n = 0; loaded; n += 1) {
        const answer = await fetch(`${api}/greeter/hooks`, { method: 'POST', body: `${sender}-${n}` })
        assert.deepEqual([answer.status, await answer.text()], [202, '{"ok": true}'])
        answered.webhooks += 1
      }
    })
    const readers = Array.from({ length: 2 }, async () => {
      while (loaded) {
        const answer = await userinfo({ ...world, baseUrl: base }, json.access_token)
        assert.equal(answer.status, 200, JSON.stringify(answer.json))
        answered.userinfos += 1
      }
    })
    const load = Promise.all([...senders, ...readers])
    const restarts = (async () => {
      for (const node of nodes) {
        node.process.signal('SIGTERM')
        assert.equal(await node.process.exited, 0, node.process.stdout().slice(-2_000))
        await serve(t, node.env)
        await allReady()
      }
      loaded = false
    })()
    await Promise.all([load, restarts])
    assert.ok(answered.webhooks > 100 && answered.userinfos > 100, JSON.stringify(answered))
  })
})
