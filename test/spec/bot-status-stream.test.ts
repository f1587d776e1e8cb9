import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { openEvents } from '../support/event-stream.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { heartbeat, id, openScene, putBot, putNotice } from '../support/status-bot.ts'
import type { World } from '../support/world.ts'

const events = (t: TestContext, { baseUrl }: World, headers: Record<string, string> = {}) =>
  openEvents(t, `${baseUrl}/botstatus/${id}/events`, headers)

describe('our choice: …/events', () => {
  test('the status stream sends all parts of the page first, then only changed parts, and a keep-alive event if nothing changes', async (t) => {
    // Keep-alive events are sent to all streams at once, at intervals that begin with the service.
    useOwnWorld(t)
    const { world } = await openScene(t)
    const stream = await events(t, world)
    assert.equal(stream.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const first = await stream.next('parts')
    assert.deepEqual(Object.keys(first), ['title', 'state', 'notice', 'facts', 'incidents', 'history'])
    assert.match(String(first.state), /Offline/)

    heartbeat(world)
    await world.clock.advance(1_000)
    const changed = await stream.next('parts')
    assert.deepEqual(Object.keys(changed), ['title', 'state', 'facts', 'history'])
    assert.equal(changed.title, 'Lantern: online · Gatehouse')

    heartbeat(world, { guildCount: 13 })
    await world.clock.advance(1_000)
    assert.deepEqual(Object.keys(await stream.next('parts')), ['facts'])
    await putNotice(world, 'Moving on Sunday')
    await world.clock.advance(1_000)
    assert.deepEqual(Object.keys(await stream.next('parts')), ['notice'])

    await world.clock.advance(15_000)
    assert.deepEqual(await stream.next('still'), {})
  })

  test('the status stream serves readers in different languages at the same time, each in the language of their page', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const german = { 'accept-language': 'de-AT, en;q=0.5' }
    const page = await (await ask(id, { headers: german })).text()
    const [inGerman, inEnglish] = [await events(t, world, german), await events(t, world)]
    const { state = '', title } = await inGerman.next('parts')
    assert.match(state, /Mit der Chat-Plattform verbunden\./)
    assert.equal(title, 'Lantern: online · Gatehouse')
    assert.ok(page.includes(state))
    assert.match((await inEnglish.next('parts')).state ?? '', /Connected to the chat platform\./)

    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(1_000)
    assert.match((await inGerman.next('parts')).state ?? '', /Hosting inaktiv/)
    assert.match((await inEnglish.next('parts')).state ?? '', /Hosting off/)
  })

  test('the status stream ends when the bot’s status is no longer public, and when the service stops', async (t) => {
    const { world } = await openScene(t)
    const stream = await events(t, world)
    await stream.next('parts')
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    assert.deepEqual(await stream.next('gone'), {})
    assert.equal(await stream.ended(), '')
    await putBot(world)
    const another = await events(t, world)
    await another.next('parts')
    await world.restart()
    assert.equal(await another.ended(), '')
  })

  test('one address can open at most 30 status streams at a time; others still get one', async (t) => {
    const { world, ask } = await openScene(t, {}, { TRUST_PROXY: '1' })
    const open = await Promise.all(Array.from({ length: limits.statusStreamsPerAddress }, () => events(t, world)))
    const refused = await ask(`${id}/events`)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
    assert.match(await refused.text(), /Too many requests/)
    open.push(await events(t, world, { 'x-forwarded-for': '198.51.100.7' }))
    for (const stream of open) await stream.next('parts')
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    for (const stream of open) await stream.ended()
    await putBot(world)
    await (await events(t, world)).next('parts')
  })
})
