import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import type { HeartbeatReport } from '../../src/domain/bots/gateway-snapshot.ts'
import { parseBotId } from '../../src/domain/ids.ts'
import { AnswerCounts } from '../../src/http/answer-counts.ts'
import { BotStatusApi } from '../../src/surfaces/bot-status/status-api.ts'
import { provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const id = 'bot-1'
const chatPlatformId = '12345678901234567'
const whole = { ready: true, presence: 'idle', uptimeMs: 3_600_000, guildCount: 12, shardCount: 2 } as const

async function openScene(t: TestContext, bot: object = {}, env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
  await putBot(world, bot)
  const ask = (ref: string, init: RequestInit = {}) => fetch(`${world.baseUrl}/botstatus/${ref}/api`, init)
  const from = (address: string, path = `/botstatus/${id}/api`) =>
    fetch(`${world.baseUrl}${path}`, { headers: { 'x-forwarded-for': address } })
  return { world, ask, from }
}

async function putBot(world: World, bot: object) {
  const body = {
    ownerId: 'ada',
    name: 'Grüße, "Bot"',
    chatPlatformId,
    hostingEnabled: true,
    hostingLocation: 'cloud',
    publicStatus: true,
    ...bot,
  }
  const { status, json } = await provision(world, 'PUT', `/v1/bots/${id}`, body)
  assert.ok(status === 200 || status === 201, JSON.stringify(json))
}

function heartbeat(world: World, report: Partial<HeartbeatReport> = {}) {
  world.service.bots.recordHeartbeat([{ botId: parseBotId(id)!, ...whole, ...report }])
}

const publicHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=15, s-maxage=15' }
const passingHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }

function assertHeaders(response: Response, expected: Record<string, string>) {
  for (const [name, value] of Object.entries(expected)) assert.equal(response.headers.get(name), value, name)
}

async function assertNotFound(response: Response) {
  assert.equal(response.status, 404)
  assertHeaders(response, { ...publicHeaders, 'content-type': 'application/json; charset=utf-8' })
  assert.equal(await response.text(), '{"error":"Not found"}')
}

describe('GET {base_url}/botstatus/{botRef}/api', () => {
  test('Success: 200 with the bot status record, by either id', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    await world.clock.advance(5_000)
    for (const ref of [id, chatPlatformId]) {
      const response = await ask(ref)
      assert.equal(response.status, 200)
      assertHeaders(response, { ...publicHeaders, 'content-type': 'application/json; charset=utf-8' })
      const body = await response.text()
      assert.deepEqual(JSON.parse(body), {
        online: true,
        chatPlatformId,
        name: 'Grüße, "Bot"',
        hostingEnabled: true,
        hostingLocation: 'cloud',
        presence: 'idle',
        uptimeMs: 3_600_000,
        reportedAt,
        guildCount: 12,
        shardCount: 2,
        checkedAt: reportedAt + 5_000,
      })
    }
  })

  test('our choice: the members come in the order of the specification', async (t) => {
    const { ask } = await openScene(t)
    assert.deepEqual(Object.keys((await (await ask(id)).json()) as object), [
      'online',
      'chatPlatformId',
      'name',
      'hostingEnabled',
      'hostingLocation',
      'presence',
      'uptimeMs',
      'reportedAt',
      'guildCount',
      'shardCount',
      'checkedAt',
    ])
  })

  test('the snapshot is fresh within 90 seconds; then online is false and all of it null but reportedAt', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    await world.clock.advance(90_000)
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: true, guildCount: 12 })
    await world.clock.advance(1)
    const stale = { online: false, presence: null, uptimeMs: null, reportedAt, guildCount: null, shardCount: null }
    assert.partialDeepStrictEqual(await (await ask(id)).json(), stale)
    heartbeat(world)
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: true, reportedAt: reportedAt + 90_001 })
  })

  test('without any heartbeat reportedAt is null too', async (t) => {
    const { ask } = await openScene(t)
    const none = { online: false, presence: null, uptimeMs: null, reportedAt: null, guildCount: null, shardCount: null }
    assert.partialDeepStrictEqual(await (await ask(id)).json(), none)
  })

  test('online takes hosting that is on and a connection that is ready; uptimeMs is null if not ready', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world, { ready: false })
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: false, presence: 'idle', uptimeMs: null })
    heartbeat(world)
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: true, uptimeMs: 3_600_000 })
    await putBot(world, { hostingEnabled: false, hostingLocation: null })
    const off = { online: false, hostingEnabled: false, hostingLocation: null, presence: 'idle' }
    assert.partialDeepStrictEqual(await (await ask(id)).json(), off)
  })

  test('a runtime that says goodbye makes its bots offline at once', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: true })
    world.service.bots.leave([parseBotId(id)!])
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: false, presence: null, reportedAt })
    await world.restart()
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: false, presence: null, reportedAt })
  })

  test('the last heartbeat survives a restart', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    await world.restart()
    assert.partialDeepStrictEqual(await (await ask(id)).json(), { online: true, guildCount: 12 })
  })

  test('404 {"error":"Not found"} for an unknown bot, a soft-deleted bot and a status that is not public', async (t) => {
    const { world, ask } = await openScene(t, { publicStatus: false })
    for (const ref of ['unknown', '99999999999999999', '1', '!', '%21', '%ff', id, chatPlatformId]) {
      await assertNotFound(await ask(ref))
    }
    await putBot(world, { publicStatus: true })
    for (const ref of [id, chatPlatformId]) assert.equal((await ask(ref)).status, 200)
    await provision(world, 'DELETE', `/v1/bots/${id}`)
    for (const ref of [id, chatPlatformId]) await assertNotFound(await ask(ref))
  })

  test('our choice: what provisioning changes is seen by the next request', async (t) => {
    const { world, ask } = await openScene(t)
    assert.equal((await ask(id)).status, 200)
    await putBot(world, { name: 'Renamed', chatPlatformId: '98765432109876543' })
    assert.partialDeepStrictEqual(await (await ask(id)).json(), {
      name: 'Renamed',
      chatPlatformId: '98765432109876543',
    })
    await assertNotFound(await ask(chatPlatformId))
    assert.equal((await ask('98765432109876543')).status, 200)
    await putBot(world, { publicStatus: false })
    await assertNotFound(await ask(id))
  })

  test('OPTIONS: supported for CORS preflight, 204, and not counted', async (t) => {
    const { ask } = await openScene(t)
    for (let count = 0; count < 70; count += 1) {
      const response = await ask(id, { method: 'OPTIONS' })
      assert.equal(response.status, 204)
      assertHeaders(response, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': '*',
      })
      assert.equal(await response.text(), '')
    }
    assert.equal((await ask(id)).status, 200)
  })

  test('our choice: HEAD answers the headers of GET; any other method is 405', async (t) => {
    const { ask } = await openScene(t)
    const head = await ask(id, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assertHeaders(head, publicHeaders)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await ask(id, { method })
      assert.equal(response.status, 405)
      assertHeaders(response, { ...passingHeaders, allow: 'GET, HEAD, OPTIONS' })
      assert.equal(await response.text(), '{"error":"Method not allowed"}')
    }
  })

  test('500 {"error":"Internal server error"} on an internal failure', async (t) => {
    const world = await openWorld(t)
    const failing = {
      recallStatus: () => undefined,
      status: () => Promise.reject(new Error('the disk is on fire')),
    } as unknown as typeof world.service.bots
    const { clock, service } = world
    const parts = {
      clock,
      trust: () => false,
      log: service.log,
      requests: service.statusRequests,
      answers: new AnswerCounts(),
    }
    const api = new BotStatusApi({ bots: failing, ...parts })
    const server = createServer(api.handle).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/botstatus/${id}/api`)
    assert.equal(response.status, 500)
    assertHeaders(response, passingHeaders)
    assert.equal(await response.text(), '{"error":"Internal server error"}')
    assert.match(world.logs(), /the disk is on fire/)
  })
})

describe('429: more than 60 requests per minute from one client IP', () => {
  test('the 61st within a minute, with Retry-After and the same in the body', async (t) => {
    const { world, ask } = await openScene(t)
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await ask(count % 2 === 0 ? id : 'unknown')).status, count % 2 === 0 ? 200 : 404)
      await world.clock.advance(500)
    }
    // With this one the last sixty began half a second after the first.
    const response = await ask(id)
    assert.equal(response.status, 429)
    assertHeaders(response, {
      ...passingHeaders,
      'retry-after': '31',
      'access-control-expose-headers': 'Retry-After',
      'content-type': 'application/json; charset=utf-8',
    })
    assert.equal(await response.text(), '{"error":"Rate limit exceeded","retryAfterSec":31,"limit":60}')
    await world.clock.advance(31_000)
    assert.equal((await ask(id)).status, 200)
  })

  test('they hold over any 60 seconds, not by the clock’s minutes', async (t) => {
    const { world, ask } = await openScene(t)
    await world.clock.advance(40_000)
    for (let count = 0; count < 60; count += 1) assert.equal((await ask(id)).status, 200)
    await world.clock.advance(30_000)
    assert.equal((await ask(id)).status, 429)
    await world.clock.advance(30_000)
    // The refusal of 30 seconds ago was an answer as well.
    for (let count = 0; count < 59; count += 1) assert.equal((await ask(id)).status, 200)
    assert.equal((await ask(id)).status, 429)
  })

  test('they count every answer but OPTIONS: who keeps asking is not served, who waits as it says is', async (t) => {
    const { world, ask } = await openScene(t)
    for (let count = 0; count < 60; count += 1) await ask(id)
    let retryAfterSec = 0
    for (let count = 0; count < 240; count += 1) {
      await world.clock.advance(500)
      const response = await ask(id)
      assert.equal(response.status, 429)
      retryAfterSec = Number(response.headers.get('retry-after'))
    }
    assert.equal(retryAfterSec, 31)
    await world.clock.advance(retryAfterSec * 1_000 - 1_001)
    await ask(id, { method: 'OPTIONS' })
    await world.clock.advance(1_001)
    assert.equal((await ask(id)).status, 200)
  })

  test('any sixty seconds have at most sixty records, and whoever asks once a second gets one each time', async (t) => {
    const { world, ask } = await openScene(t)
    for (let count = 0; count < 130; count += 1) {
      assert.equal((await ask(id)).status, 200, `request ${count}`)
      await world.clock.advance(1_000)
    }
    assert.equal((await ask(id)).status, 200)
    assert.equal((await ask(id)).status, 429)
  })

  test('each client address has its own 60; all spellings of an address are one client, IPv6 by /64', async (t) => {
    const { from } = await openScene(t, {}, { TRUST_PROXY: '1' })
    const spellings = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:C000:201']
    for (let count = 0; count < 60; count += 1) assert.equal((await from(spellings[count % 3]!)).status, 200)
    for (const address of spellings) assert.equal((await from(address)).status, 429)
    assert.equal((await from('192.0.2.2')).status, 200)
    for (let count = 0; count < 60; count += 1)
      assert.equal((await from(`2001:DB8:0:7::${count.toString(16)}`)).status, 200)
    assert.equal((await from('2001:db8:0:7:ffff:ffff:ffff:ffff')).status, 429)
    assert.equal((await from('2001:db8:0:8::1')).status, 200)
  })

  test('without a trusted proxy the peer is the client, whatever it says', async (t) => {
    const { from } = await openScene(t)
    for (let count = 0; count < 60; count += 1) assert.equal((await from(`192.0.2.${count}`)).status, 200)
    assert.equal((await from('198.51.100.1')).status, 429)
  })

  test('our choice: the log says once that a forwarded header is ignored', async (t) => {
    const { world, ask, from } = await openScene(t)
    const warnings = () => world.logs().split('TRUST_PROXY is not set').length - 1
    await ask(id)
    assert.equal(warnings(), 0)
    await from('192.0.2.1')
    await from('192.0.2.2')
    assert.equal(warnings(), 1)
  })

  test('The HTML page has its own allowance', async (t) => {
    const { world, ask } = await openScene(t)
    const page = () => fetch(`${world.baseUrl}/botstatus/${id}`)
    for (let count = 0; count < 60; count += 1) assert.equal((await ask(id)).status, 200)
    for (let count = 0; count < 60; count += 1) assert.equal((await page()).status, 200)
    const refused = await page()
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '60')
    assert.match(await refused.text(), /Try again in 1 minute\./)
  })
})

describe('GET {base_url}/botstatus/{botRef}', () => {
  async function pageText(world: World, ref = id) {
    const response = await fetch(`${world.baseUrl}/botstatus/${ref}`)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }

  test('Serves an HTML status page for browsers', async (t) => {
    const { world } = await openScene(t)
    heartbeat(world)
    await world.clock.advance(60_000)
    const { status, type, text } = await pageText(world, chatPlatformId)
    assert.deepEqual([status, type], [200, 'text/html; charset=utf-8'])
    for (const words of [
      'Grüße, &quot;Bot&quot;',
      'Online',
      'Idle',
      '1 hour',
      '>12<',
      '>2<',
      'Cloud',
      '1 minute ago',
      `/botstatus/${chatPlatformId}/api`,
    ]) {
      assert.ok(text.includes(words), `${words} is not on the page: ${text}`)
    }
  })

  test('says each state in words', async (t) => {
    const { world } = await openScene(t)
    assert.match((await pageText(world)).text, /Offline[\s\S]*nothing runs it right now[\s\S]*Never/)
    heartbeat(world, { ready: false })
    assert.match((await pageText(world)).text, /Connecting[\s\S]*not connected to the chat platform yet/)
    await putBot(world, { hostingEnabled: false })
    assert.match((await pageText(world)).text, /Hosting off[\s\S]*switched its hosting off/)
  })

  test('is there for the same bots as the record', async (t) => {
    const { world } = await openScene(t, { publicStatus: false })
    const answers = [await pageText(world, 'unknown'), await pageText(world), await pageText(world, chatPlatformId)]
    for (const answer of answers) {
      assert.equal(answer.status, 404)
      assert.match(answer.text, /There is no status to see here/)
      assert.equal(answer.text, answers[0]?.text)
    }
  })
})
