import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BotRuntime, makeRuntime } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import { openFirstNode, openNodes } from '../support/nodes.ts'
import { adaWithClient, codeFor, redeem, refresh, revoke, signedIn, testOrigin, userinfo } from '../support/people.ts'
import type { World } from '../support/world.ts'

async function post(world: World, { botId, path }: ListeningBot, body = 'hello'): Promise<void> {
  const answer = await fetch(`${world.apiUrl}/${botId}/${path}`, { method: 'POST', body })
  assert.equal(answer.status, 202, await answer.text())
}

describe('Several nodes: OAuth', () => {
  test('a code issued at one node is redeemed at another, and its token works at both', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const code = await codeFor(one, await signedIn(one), client)
    const { status, json } = await redeem(other, client, code)
    assert.equal(status, 200, JSON.stringify(json))
    for (const node of [one, other]) {
      const answer = await userinfo(node, json.access_token)
      assert.deepEqual([answer.status, answer.json], [200, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 }])
    }
  })

  test('of concurrent redemptions of a code at two nodes one succeeds, and the replay revokes its tokens', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const code = await codeFor(one, await signedIn(one), client)
    const answers = await Promise.all([one, other, one, other].map((node) => redeem(node, client, code)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400, 400])
    const winner = answers.find(({ status }) => status === 200)
    for (const node of [one, other]) assert.equal((await userinfo(node, winner?.json.access_token)).status, 401)
  })

  test('of concurrent refreshes at two nodes one succeeds, and the reuse revokes its tokens', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const { json } = await redeem(one, client, await codeFor(one, await signedIn(one), client))
    const answers = await Promise.all([one, other].map((node) => refresh(node, client, json.refresh_token)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
    const winner = answers.find(({ status }) => status === 200)
    assert.equal((await refresh(other, client, winner?.json.refresh_token)).status, 400)
    assert.equal((await userinfo(one, winner?.json.access_token)).status, 401)
  })

  test('a revocation and a rotated secret apply at every node from the next request on', async (t) => {
    const [one, other] = await openNodes(t)
    const client = await adaWithClient(one)
    const { json } = await redeem(one, client, await codeFor(one, await signedIn(one), client))
    assert.equal((await userinfo(other, json.access_token)).status, 200)
    const { clientId: client_id, clientSecret: client_secret } = client
    await revoke(one, { client_id, client_secret, token: json.access_token })
    assert.equal((await userinfo(other, json.access_token)).status, 401)
    const { clearTextSecret } = await one.service.applications.secrets.rotate(
      'ada' as never,
      'acme' as never,
      testOrigin,
    )
    assert.deepEqual((await refresh(other, client, json.refresh_token)).json.error, 'invalid_client')
    const rotatedClient = { ...client, clientSecret: clearTextSecret }
    assert.equal((await refresh(other, rotatedClient, json.refresh_token)).status, 200)
  })

  test('a session started at one node works at the other', async (t) => {
    const [one, other] = await openNodes(t)
    await adaWithClient(one)
    const browser = await signedIn(one)
    const page = await browser.get(`${other.baseUrl}/account`)
    assert.equal(page.status, 200)
    assert.match(page.text, /Ada/)
  })
})

describe('Several nodes: webhooks', () => {
  test('a webhook accepted at one node reaches a runtime connected at the other', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service)
    const { key } = await makeRuntime(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    await post(one, bot, 'across')
    const { delivery, body } = await runtime.next('dispatch')
    assert.equal(Buffer.from(body, 'base64').toString(), 'across')
    runtime.send({ type: 'ack', deliveries: [delivery] })
    await eventually(async () => ((await one.service.queue.figures()).waitingEvents === 0 ? true : undefined))
  })

  test('a runtime that reconnects to another node keeps its leases, and its older session is closed', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service)
    const { key } = await makeRuntime(one)
    const { runtime: older } = await BotRuntime.ready(t, one, key)
    await post(one, bot)
    const { delivery, id } = await older.next('dispatch')
    const { runtime: newer, welcome } = await BotRuntime.ready(t, other, key, { working: [delivery] })
    assert.deepEqual(welcome.lost, [])
    assert.equal((await older.closed).code, 4003)
    newer.send({ type: 'ack', deliveries: [delivery] })
    await newer.heartbeat()
    const state = async () => (await other.service.queue.log.find(bot.botId, id))?.state
    await eventually(async () => ((await state()) === 'done' ? true : undefined))
  })

  test('a bot created at one node is offered to a runtime at the other', async (t) => {
    const [one, other] = await openNodes(t)
    await provisionListeningBot(one.service)
    const { key } = await makeRuntime(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    const late = await provisionListeningBot(one.service, { botId: 'late' })
    const { add, remove } = await runtime.next('bots')
    assert.deepEqual({ add, remove }, { add: [late.botId], remove: [] })
  })

  test('removing a runtime at one node closes its connection at the other', async (t) => {
    const [one, other] = await openNodes(t)
    await provisionListeningBot(one.service)
    const { id, key } = await makeRuntime(one)
    const { runtime } = await BotRuntime.ready(t, other, key)
    await one.service.bots.runtimes.remove(id, 'operator')
    assert.deepEqual(await runtime.closed, { code: 4001, reason: 'the runtime was removed' })
  })
})

describe('Several nodes: bot status', () => {
  test('a heartbeat at one node is visible at the other within two seconds', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service)
    const { key } = await makeRuntime(one)
    const { runtime } = await BotRuntime.ready(t, one, key)
    const status = async () => (await fetch(`${other.baseUrl}/botstatus/${bot.botId}/api`)).json()
    assert.equal((await status()).online, false)
    await runtime.heartbeat([], [{ botId: bot.botId, ready: true, presence: 'online' }])
    await one.clock.advance(1_000)
    await eventually(async () => {
      await one.clock.advance(100)
      return (await status()).online ? true : undefined
    })
  })

  test('the limit of 60 requests a minute per address holds across nodes', async (t) => {
    const [one, other] = await openNodes(t)
    const bot = await provisionListeningBot(one.service)
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, index) =>
        fetch(`${(index % 2 === 0 ? one : other).baseUrl}/botstatus/${bot.botId}/api`),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 60)
    assert.equal(answers.filter(({ status }) => status === 429).length, 20)
  })

  test('the limit of 60 requests a minute per address includes those before a second node joined', async (t) => {
    const [one, openOther] = await openFirstNode(t)
    const bot = await provisionListeningBot(one.service)
    const ask = (node: World) => fetch(`${node.baseUrl}/botstatus/${bot.botId}/api`)
    // In its first millisecond a node does not yet count locally.
    await one.clock.advance(1)
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
