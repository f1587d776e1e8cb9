import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { openEvents } from '../support/event-stream.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import {
  assertHeaders,
  chatPlatformId,
  heartbeat,
  hostile,
  id,
  openScene,
  putBot,
  putNotice,
  runFor,
  untilState,
} from '../support/status-bot.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'
import { hideTable, inDatabase, restoreTable } from '../support/world-database.ts'

const changesOf = (world: World) =>
  inDatabase(world, 'identity', 'SELECT at_ms, state FROM status_changes ORDER BY at_ms')

/** The bot runs, and is down for 20 minutes. Returns when its outage began. */
async function outageOf20Minutes(world: World): Promise<number> {
  await untilState(world, 'online')
  heartbeat(world)
  const beganMs = world.clock.nowMs() + 90_000
  await untilState(world, 'offline')
  await world.clock.advance(beganMs + 20 * 60_000 - world.clock.nowMs())
  return beganMs
}

/** Returns the time as on the status page, such as `5 January, 12:11`. */
function onPage(ms: number): string {
  const month = new Date(ms).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
  return `${new Date(ms).getUTCDate()} ${month}, ${new Date(ms).toISOString().slice(11, 16)}`
}

describe('our choice: incidents on the status page', () => {
  test('an incident is listed with its beginning, end and duration; it begins 90 seconds after the last heartbeat, and none before the first', async (t) => {
    const { world, page } = await openScene(t, { hostingEnabled: false })
    await world.clock.advance(120_000)
    await putBot(world)
    // Before the first heartbeat, there is no incident.
    await world.clock.advance(60_000)
    assert.match(await page(), /No incidents recorded in the last 90 days/)
    const began = onPage(await outageOf20Minutes(world))
    const during = await page()
    assert.match(during, /the bot isn’t running\. Down for 20 minutes\./)
    const ongoing = 'Down for 20 minutes</span><span class="tag">Ongoing</span>'
    assert.match(during, new RegExp(`${ongoing}<time[^>]*>Since ${began}<`))
    heartbeat(world)
    // The end of the incident isn't stored yet.
    assert.doesNotMatch(await page(), /Ongoing/)
    await untilState(world, 'online')
    const after = await page()
    assert.match(after, new RegExp(`Down for 2\\d minutes</span><time[^>]*>${began} to [^<]*\\d\\d:\\d\\d<`))
    assert.doesNotMatch(after, /Ongoing/)
  })

  test('while a bot is offline, the page shows the last known values, and the status record has null instead', async (t) => {
    const { world, record, page } = await openScene(t)
    heartbeat(world)
    assert.match(await page(), /<h2>Current values<\/h2>/)
    await world.clock.advance(10 * 60_000)
    const text = await page()
    assert.match(text, /<h2>Last known values<\/h2>[\s\S]*Idle[\s\S]*1 hour[\s\S]*>12<[\s\S]*>2<[\s\S]*10 minutes ago/)
    const { presence, uptimeMs, guildCount, shardCount } = await (await record(id)).json()
    assert.deepEqual([presence, uptimeMs, guildCount, shardCount], [null, null, null, null])
  })

  test('an outage is listed even if the database was unavailable from the bot’s first heartbeat until after its last', async (t) => {
    const { world, page } = await openScene(t)
    await hideTable(world, 'identity', 'announced_states')
    await runFor(world, 2 * 60_000)
    const began = onPage(world.clock.nowMs() + 60_000)
    await world.clock.advance(3 * 60_000)
    await restoreTable(world, 'identity', 'announced_states')
    await untilState(world, 'offline')
    assert.deepEqual(pluck(await changesOf(world), 'state'), ['offline'])
    assert.match(await page(), new RegExp(`Ongoing</span><time[^>]*>Since ${began}<`))
  })

  test('switching hosting off ends an incident and causes none; a bot whose state stays the same adds no changes', async (t) => {
    const { world, page } = await openScene(t)
    await untilState(world, 'online')
    await runFor(world, 2 * 60_000)
    assert.deepEqual(await changesOf(world), [])
    await putBot(world, { hostingEnabled: false })
    await untilState(world, 'hosting-off')
    assert.match(await page(), /No incidents recorded/)
    await world.clock.advance(90_000)
    await putBot(world, { hostingEnabled: true })
    await untilState(world, 'offline')
    await putBot(world, { hostingEnabled: false })
    await untilState(world, 'hosting-off')
    assert.deepEqual(pluck(await changesOf(world), 'state'), ['hosting-off', 'offline', 'hosting-off'])
    assert.match(await page(), /<time[^>]*>\d+ \w+, \d\d:\d\d to [^<]*\d\d:\d\d, then hosting off</)
  })

  test('a restart of the service neither begins nor repeats an incident', async (t) => {
    const { world } = await openScene(t)
    await outageOf20Minutes(world)
    await untilState(world, 'online')
    await world.stop()
    await world.restart()
    await runFor(world, 3 * 60_000)
    assert.equal((await changesOf(world)).length, 2)
    await untilState(world, 'offline')
    assert.equal((await changesOf(world)).length, 3)
  })
})

describe('our choice: …/feed.atom', () => {
  test('the feed has an entry per incident, which keeps its ID when the incident ends, and an entry for the notice', async (t) => {
    const { world, ask } = await openScene(t, { name: hostile })
    const page = `${world.baseUrl}/botstatus/${chatPlatformId}`
    const feed = async (query = '') => (await ask(`${id}/feed.atom${query}`)).text()
    const idOf = (text: string) => /<entry>\s*<id>([^<]+)<\/id>/.exec(text)?.[1]
    const empty = await feed()
    const start = '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">'
    assert.ok(empty.startsWith(start), empty)
    assert.doesNotMatch(empty, /<entry>|<script>/)
    assert.ok(empty.includes(`<link rel="self" type="application/atom+xml" href="${page}/feed.atom"/>`), empty)
    assert.ok(empty.includes(`<updated>${new Date(world.clock.nowMs()).toISOString()}</updated>`), empty)
    await outageOf20Minutes(world)
    const during = await feed()
    assert.match(during, /is down<\/title>/)
    await untilState(world, 'online')
    const after = await feed()
    assert.match(after, /was down for 2\d minutes<\/title>/)
    assert.equal(idOf(after), idOf(during))
    assert.ok(idOf(after)?.startsWith(`${page}#incident-`))
    const [, updated] = /<entry>[\s\S]*<updated>([^<]+)</.exec(after) ?? []
    assert.match(after, new RegExp(`</title>\n<updated>${updated}<`))
    await putNotice(world, 'Moving & more')
    assert.match(await feed(), /notice: Moving &amp; more<\/title>/)
    const german = await feed('?language=de')
    assert.match(german, /xml:lang="de"[\s\S]*: Ausfall \(2\d Minuten\)<\/title>/)
    assert.ok(german.includes(`href="${page}/feed.atom?language=de"`))
    assert.equal(idOf(german), idOf(await feed()))
  })

  test('the page links to the feed in the page’s language; the feed’s ETag changes only when its content does', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const page = await (await ask(id, { headers: { 'accept-language': 'de' } })).text()
    assert.match(
      page,
      /<link rel="alternate" type="application\/atom\+xml" title="Status von Lantern" href="\/botstatus\/bot-1\/feed\.atom\?language=de">/,
    )
    const answer = await ask(`${id}/feed.atom`)
    assert.equal(answer.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=15')
    const headers = { 'if-none-match': answer.headers.get('etag') ?? '' }
    heartbeat(world)
    const unchanged = await ask(`${id}/feed.atom`, { headers })
    assert.deepEqual([unchanged.status, await unchanged.text()], [304, ''])
    await putNotice(world, 'Moving')
    assert.equal((await ask(`${id}/feed.atom`, { headers })).status, 200)
  })

  test('scripts of other origins can read the feed and its ETag, also when it is missing, and ask for it conditionally', async (t) => {
    const { ask } = await openScene(t)
    const headers = { origin: 'https://reader.example' }
    const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'if-none-match' }
    const preflight = await ask(`${id}/feed.atom`, { method: 'OPTIONS', headers: { ...headers, ...asked } })
    assert.deepEqual([preflight.status, await preflight.text()], [204, ''])
    assertHeaders(preflight, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': '*',
    })
    const etag = (await ask(`${id}/feed.atom`)).headers.get('etag') ?? ''
    const exposed = { 'access-control-expose-headers': 'ETag, Retry-After' }
    for (const [ref, status, more, shown] of [
      [id, 200, {}, exposed],
      ['nobody', 404, {}, exposed],
      [id, 304, { 'if-none-match': etag }, { etag }],
    ] as const) {
      const answer = await ask(`${ref}/feed.atom`, { headers: { ...headers, ...more } })
      assert.equal(answer.status, status)
      assertHeaders(answer, { 'access-control-allow-origin': '*', ...shown })
    }
  })
})

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
