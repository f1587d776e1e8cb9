import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BotRuntime, hostedBot, makeRuntime, post, provisionListeningBot } from '../support/bot-runtime.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { openFirstNode, openNodes } from '../support/nodes.ts'
import { adaWithClient, codeFor, redeem, refresh, revoke, signedIn, testOrigin, userinfo } from '../support/people.ts'
import { ask } from '../support/postgres/with-client.ts'
import type { World } from '../support/world.ts'
import { advanceSilently, dispatched } from './runtime-link-scene.ts'

describe('Several nodes: OAuth', () => {
  test('sessions, codes and tokens of one node work on the other, and a revocation and a rotated secret apply there from the next request on', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const browser = await signedIn(one)
    assert.match((await browser.get(`${other.baseUrl}/account`)).text, /Ada/)
    const { status, json } = await redeem(other, client, await codeFor(one, browser, client))
    assert.equal(status, 200, JSON.stringify(json))
    for (const node of [one, other]) {
      const answer = await userinfo(node, json.access_token)
      assert.deepEqual([answer.status, answer.json], [200, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 }])
    }
    const { clientId: client_id, clientSecret: client_secret } = client
    await revoke(one, { client_id, client_secret, token: json.access_token })
    assert.equal((await userinfo(other, json.access_token)).status, 401)
    const { secrets } = one.service.applications
    const { clearTextSecret } = await secrets.rotate('ada' as never, 'acme' as never, testOrigin)
    assert.deepEqual((await refresh(other, client, json.refresh_token)).json.error, 'invalid_client')
    const rotatedClient = { ...client, clientSecret: clearTextSecret }
    assert.equal((await refresh(other, rotatedClient, json.refresh_token)).status, 200)
  })

  test('if a code is redeemed, or a token refreshed, concurrently on two nodes, one request succeeds, and the others revoke the whole token family', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const browser = await signedIn(one)
    const code = await codeFor(one, browser, client)
    const { json } = await redeem(one, client, await codeFor(one, browser, client))
    for (const answers of [
      await Promise.all([one, other].map((node) => redeem(node, client, code))),
      await Promise.all([one, other].map((node) => refresh(node, client, json.refresh_token))),
    ]) {
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
      const winner = answers.find(({ status }) => status === 200)?.json
      for (const node of [one, other]) assert.equal((await userinfo(node, winner.access_token)).status, 401)
      assert.equal((await refresh(other, client, winner.refresh_token)).status, 400)
    }
  })
})

describe('Several nodes: webhooks', () => {
  test('a webhook accepted on one node reaches a runtime connected to the other node', async (t) => {
    const [one, other] = await openNodes(t)
    const { bot, key } = await hostedBot(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    await post(one, bot, 'across')
    const { delivery, body } = await runtime.next('dispatch')
    assert.equal(Buffer.from(body, 'base64').toString(), 'across')
    runtime.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => ((await one.service.queue.figures()).waitingEvents === 0 ? true : undefined))
  })

  test('a runtime connected to one node is notified of a bot created on the other, and its connection is closed when it is removed there', async (t) => {
    const [one, other] = await openNodes(t)
    await provisionListeningBot(one.service)
    const { id, key } = await makeRuntime(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    const late = await provisionListeningBot(one.service, { botId: 'late' })
    const { add, remove } = await runtime.next('bots')
    assert.deepEqual({ add, remove }, { add: [late.botId], remove: [] })
    await one.service.bots.runtimes.remove(id, 'operator')
    assert.deepEqual(await runtime.closed, { code: 4001, reason: 'the runtime was removed' })
  })

  test('a lapse that another node records gives the credit back', async (t) => {
    const [one] = await openNodes(t)
    const { bot, key } = await hostedBot(one)
    const { runtime } = await BotRuntime.ready(t, one, key, { credit: 1 })
    await post(one, bot)
    const { id } = await runtime.next('dispatch')
    const other = '(SELECT node_id FROM queue_nodes WHERE node_id <> queue_events.node_id)'
    await ask(one.service.config.databaseUrls?.[0] ?? '', `UPDATE queue_events SET node_id = ${other}`)
    await advanceSilently(one, 60_000, runtime)
    const again = await dispatched(one, runtime)
    assert.deepEqual([again.id, again.attempt], [id, 2])
  })

  test('our choice: a runtime is notified of a change of hosting, and a removed runtime’s connection is closed, within a minute, even if the broadcast is lost', async (t) => {
    const [one, other] = await openNodes(t)
    const { bot, id, key } = await hostedBot(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    // Changes the rows directly in the database, as if the broadcasts had been lost.
    const change = async (statement: string) => {
      await ask(other.service.config.databaseUrls?.[0] ?? '', statement)
      for (let second = 0; second < 60; second += 20) {
        await runtime.heartbeat()
        await one.clock.advance(20_000)
      }
    }
    await change(`UPDATE bots SET hosting_enabled = 0, updated_at_ms = ${one.clock.nowMs()}`)
    assert.deepEqual(await runtime.next('bots'), { type: 'bots', add: [], remove: [bot.botId] })
    await change(`DELETE FROM runtimes WHERE id = '${id}'`)
    assert.deepEqual(await runtime.closed, { code: 4001, reason: 'the runtime was removed' })
  })

  test('our choice: a node that lost its database sends drain to its runtimes, then closes their connections with 4012 and the reason', async (t) => {
    const [node] = await openNodes(t)
    await provisionListeningBot(node.service)
    const { key } = await makeRuntime(node)
    const { runtime } = await BotRuntime.ready(t, node, key)
    runtime.leavesOnDrain = false
    const [url = ''] = node.service.config.databaseUrls ?? []
    const ofNode = "application_name = 'gatehouse node' AND datname = current_database()"
    await ask(url, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ofNode}`)
    assert.deepEqual(await runtime.next('drain'), { type: 'drain', inMs: 4_000 })
    const reason = 'this node had lost its database; reconnect to go on'
    assert.deepEqual(await runtime.closed, { code: 4012, reason })
    await BotRuntime.ready(t, node, key)
  })
})

describe('Several nodes: bot status', () => {
  test('a heartbeat on one node is visible on the other node within two seconds', async (t) => {
    const [one, other] = await openNodes(t)
    const { bot, key } = await hostedBot(one)
    const { runtime } = await BotRuntime.ready(t, one, key)
    const status = async () => (await fetch(`${other.baseUrl}/botstatus/${bot.botId}/api`)).json()
    assert.equal((await status()).online, false)
    await runtime.heartbeat([], [{ botId: bot.botId, ready: true, presence: 'online' }])
    await advanceUntil(one.clock, async () => (await status()).online)
  })

  test('a bye on one node takes a bot offline only if no runtime on the other node has sent a heartbeat since', async (t) => {
    const nodes = await openNodes(t)
    const [one, other] = nodes
    const { bot, key } = await hostedBot(one)
    const report = { botId: bot.botId, ready: true, presence: 'online' }
    const connect = async (node: World, instance: string) => {
      const { runtime } = await BotRuntime.ready(t, node, key, { instance })
      await one.clock.advance(1_000)
      await runtime.heartbeat([], [report])
      return runtime
    }
    const statuses = () =>
      Promise.all(
        nodes.map(async ({ baseUrl }) => (await (await fetch(`${baseUrl}/botstatus/${bot.botId}/api`)).json()).online),
      )
    const leave = async (runtime: BotRuntime) => {
      await one.clock.advance(3_000)
      runtime.send({ type: 'bye' })
      await runtime.closed
      await one.clock.advance(3_000)
    }
    const isOffline = async () => (await statuses()).every((online) => online === false)
    // Ends long before the last heartbeat is too old.
    const goesOffline = () => advanceUntil(one.clock, isOffline, 500)
    const { runtime: silent } = await BotRuntime.ready(t, one, key, { instance: 'silent' })
    const reporting = await connect(other, 'reporting')
    await leave(silent)
    assert.deepEqual(await statuses(), [true, true])
    await leave(reporting)
    await goesOffline()
    const older = await connect(one, 'older')
    const successor = await connect(other, 'successor')
    await leave(older)
    assert.deepEqual(await statuses(), [true, true])
    await leave(successor)
    await goesOffline()
    await connect(one, 'roaming')
    await (await connect(other, 'roaming')).crash()
    const { runtime } = await BotRuntime.ready(t, one, key, { instance: 'roaming' })
    await leave(runtime)
    await goesOffline()
  })

  test('the limit of 60 requests a minute per address includes requests from before a second node joined', async (t) => {
    const [one, openOther] = await openFirstNode(t)
    const bot = await provisionListeningBot(one.service)
    const ask = (node: World) => fetch(`${node.baseUrl}/botstatus/${bot.botId}/api`)
    await one.clock.advance(1)
    // The first node counts these requests in the database, so the second node can see them.
    for (let count = 0; count < 40; count += 1) assert.equal((await ask(one)).status, 200)
    const other = await openOther()
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => ask(index % 2 === 0 ? one : other)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 20)
    const refused = answers.filter(({ status }) => status === 429)
    assert.equal(refused.length, 10)
    for (const answer of refused) {
      assert.equal(answer.headers.get('retry-after'), '60')
      assert.deepEqual(await answer.json(), { error: 'Rate limit exceeded', retryAfterSec: 60, limit: 60 })
    }
  })
})
