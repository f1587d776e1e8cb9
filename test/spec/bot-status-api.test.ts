import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { provision } from '../support/people.ts'
import { assertHeaders, chatPlatformId, heartbeat, id, openScene, putBot } from '../support/status-bot.ts'

const passingHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
const publicHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=15, s-maxage=15' }

async function assertNotFound(response: Response) {
  assert.equal(response.status, 404)
  assertHeaders(response, { ...publicHeaders, 'content-type': 'application/json; charset=utf-8' })
  assert.equal(await response.text(), '{"error":"Not found"}')
}

describe('GET {base_url}/botstatus/{botRef}/api', () => {
  test('Success: 200 with the bot status record, by either ID', async (t) => {
    const { world, record } = await openScene(t, { name: 'Grüße, "Bot"' })
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    await world.clock.advance(5_000)
    for (const ref of [id, chatPlatformId]) {
      const response = await record(ref)
      assert.equal(response.status, 200)
      assertHeaders(response, { ...publicHeaders, 'content-type': 'application/json; charset=utf-8' })
      const expected = {
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
      }
      // As text, because the members are in the order of the specification.
      assert.equal(await response.text(), JSON.stringify(expected))
    }
  })

  test('the snapshot is fresh within 90 seconds; after that online is false and all gateway members but reportedAt are null', async (t) => {
    const { world, record } = await openScene(t)
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    await world.clock.advance(90_000)
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, guildCount: 12 })
    await world.clock.advance(1)
    const stale = { online: false, presence: null, uptimeMs: null, reportedAt, guildCount: null, shardCount: null }
    assert.partialDeepStrictEqual(await (await record(id)).json(), stale)
    heartbeat(world)
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, reportedAt: reportedAt + 90_001 })
  })

  test('online requires hosting to be on and a ready connection; uptimeMs is null if not ready, and reportedAt if there was never a heartbeat', async (t) => {
    const { world, record } = await openScene(t)
    const none = { online: false, presence: null, uptimeMs: null, reportedAt: null, guildCount: null, shardCount: null }
    assert.partialDeepStrictEqual(await (await record(id)).json(), none)
    heartbeat(world, { ready: false })
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: false, presence: 'idle', uptimeMs: null })
    heartbeat(world)
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, uptimeMs: 3_600_000 })
    const unreported = { presence: null, uptimeMs: null, guildCount: null, shardCount: null }
    heartbeat(world, unreported)
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, ...unreported })
    heartbeat(world)
    await putBot(world, { hostingEnabled: false, hostingLocation: null })
    const off = { online: false, hostingEnabled: false, hostingLocation: null, presence: 'idle' }
    assert.partialDeepStrictEqual(await (await record(id)).json(), off)
  })

  test('the last heartbeat survives a restart; a runtime that sends bye takes its bots offline immediately', async (t) => {
    const { world, record } = await openScene(t)
    heartbeat(world)
    const reportedAt = world.clock.nowMs()
    await world.restart()
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: true, guildCount: 12 })
    world.service.bots.heartbeats.leave([parseBotId(id)!], world.clock.nowMs())
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: false, presence: null, reportedAt })
    await world.restart()
    assert.partialDeepStrictEqual(await (await record(id)).json(), { online: false, presence: null, reportedAt })
  })

  test('404 {"error":"Not found"} for an unknown bot, a soft-deleted bot and a status that is not public; our choice: the next request sees changes made by provisioning', async (t) => {
    const { world, record } = await openScene(t, { publicStatus: false })
    for (const ref of ['unknown', '99999999999999999', '1', '!', '%21', '%ff', id, chatPlatformId]) {
      await assertNotFound(await record(ref))
    }
    await putBot(world, { publicStatus: true })
    for (const ref of [id, chatPlatformId]) assert.equal((await record(ref)).status, 200)
    const renamed = { name: 'Renamed', chatPlatformId: '98765432109876543' }
    await putBot(world, renamed)
    for (const ref of [id, renamed.chatPlatformId]) {
      assert.partialDeepStrictEqual(await (await record(ref)).json(), renamed)
    }
    await assertNotFound(await record(chatPlatformId))
    await provision(world, 'DELETE', `/v1/bots/${id}`)
    for (const ref of [id, renamed.chatPlatformId]) await assertNotFound(await record(ref))
  })

  test('OPTIONS: supported for CORS preflight, 204, and not counted', async (t) => {
    const { record } = await openScene(t)
    for (let count = 0; count < 70; count += 1) {
      const response = await record(id, { method: 'OPTIONS' })
      assert.equal(response.status, 204)
      assertHeaders(response, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': '*',
      })
      assert.equal(await response.text(), '')
    }
    assert.equal((await record(id)).status, 200)
  })

  test('our choice: HEAD returns the headers of the status record; any other method returns 405', async (t) => {
    const { record } = await openScene(t)
    const head = await record(id, { method: 'HEAD' })
    assert.equal(head.status, 200)
    assertHeaders(head, publicHeaders)
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await record(id, { method })
      assert.equal(response.status, 405)
      assertHeaders(response, { ...passingHeaders, allow: 'GET, HEAD, OPTIONS' })
      assert.equal(await response.text(), '{"error":"Method not allowed"}')
    }
  })

  test('500 {"error":"Internal server error"} on an internal failure', async (t) => {
    const { world, record } = await openScene(t)
    t.mock.method(world.service.bots.statusBoard, 'find', () => Promise.reject(new Error('the disk is on fire')))
    const response = await record(id)
    assert.equal(response.status, 500)
    assertHeaders(response, passingHeaders)
    assert.equal(await response.text(), '{"error":"Internal server error"}')
    assert.match(world.logs(), /the disk is on fire/)
  })
})

describe('429: more than 60 requests per minute from one client IP', () => {
  test('the 61st request within a minute gets 429, with the same number in Retry-After and the body', async (t) => {
    const { world, record } = await openScene(t)
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await record(count % 2 === 0 ? id : 'unknown')).status, count % 2 === 0 ? 200 : 404)
      await world.clock.advance(500)
    }
    // The previous sixty requests took 30 seconds, so all of them are within the last minute.
    const response = await record(id)
    assert.equal(response.status, 429)
    assertHeaders(response, {
      ...passingHeaders,
      'retry-after': '31',
      'access-control-expose-headers': 'Retry-After',
      'content-type': 'application/json; charset=utf-8',
    })
    assert.equal(await response.text(), '{"error":"Rate limit exceeded","retryAfterSec":31,"limit":60}')
    await world.clock.advance(31_000)
    assert.equal((await record(id)).status, 200)
  })

  test('each client address has its own limit; all spellings of an address, all addresses of an IPv6 /64, and all addresses that the proxy hides or reports in no valid form, count as one client', async (t) => {
    const { from } = await openScene(t, {}, { TRUST_PROXY: '1' })
    for (const [addressOf, other] of [
      [(n: number) => ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:C000:201'][n % 3]!, '192.0.2.2'],
      [(n: number) => `2001:DB8:0:7:${(n * 1_000).toString(16)}:ffff:ffff:${n.toString(16)}`, '2001:db8:0:8::1'],
      [(n: number) => ['unknown', `_hidden${n}`, `192.0.2.3, _hidden${n}`][n % 3]!, '192.0.2.3'],
    ] as const) {
      for (const file of ['/api', '']) {
        for (let n = 0; n < 60; n += 1) assert.equal((await from(addressOf(n), file)).status, 200)
        for (let n = 60; n < 63; n += 1) assert.equal((await from(addressOf(n), file)).status, 429, addressOf(n))
        assert.equal((await from(other, file)).status, 200)
      }
    }
  })

  test('without a trusted proxy the peer address is the client, whatever X-Forwarded-For says; our choice: the log says only once that a forwarded header is ignored', async (t) => {
    useOwnWorld(t)
    const { world, record, from } = await openScene(t)
    const warnings = () => world.logs().split('TRUST_PROXY is not set').length - 1
    assert.equal((await record(id)).status, 200)
    assert.equal(warnings(), 0)
    for (let count = 1; count < 60; count += 1) assert.equal((await from(`192.0.2.${count}`)).status, 200)
    assert.equal((await from('198.51.100.1')).status, 429)
    assert.equal(warnings(), 1)
  })

  test('our choice: the status page, its stream, preview and feed have a limit of 60 requests each, badges and shields one of 600 together, since an image proxy fetches for many users', async (t) => {
    const { ask } = await openScene(t)
    for (let count = 0; count < 60; count += 1) assert.equal((await ask(`${id}/api`)).status, 200)
    for (const [files, most] of [
      [[''], 60],
      [['/events'], 60],
      [['/preview.png'], 60],
      [['/feed.atom'], 60],
      [['/badge.svg', '/shield.json'], 600],
    ] as const) {
      // An unknown bot counts too, and is cheaper.
      const statuses = new Set<number>()
      for (let count = 0; count < most; count += 1) {
        const answer = await ask(`nobody${files[count % files.length]}`)
        await answer.text()
        statuses.add(answer.status)
      }
      assert.ok(!statuses.has(429), files[0])
      const refused = await ask(`${id}${files[0]}`)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'], files[0])
      assert.match(await refused.text(), most === 60 ? /Try again in 1 minute\./ : /"retryAfterSec":60,"limit":600}/)
    }
    for (const file of ['/feed.atom', '/badge.svg']) {
      const preflight = await ask(`${id}${file}`, { method: 'OPTIONS' })
      assert.equal(preflight.status, 204, 'OPTIONS is not limited')
    }
  })
})
