import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseBotId } from '../../src/domain/ids-and-secrets.ts'
import { provision } from '../support/people.ts'
import {
  assertHeaders,
  chatPlatformId,
  heartbeat,
  id,
  openScene,
  passingHeaders,
  putBot,
} from '../support/status-bot.ts'

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
    world.service.bots.heartbeats.leave([parseBotId(id)!], 0)
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
