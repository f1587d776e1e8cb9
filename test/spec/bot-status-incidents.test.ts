import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
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

/** The bot runs, is down for 20 minutes, and runs again. Returns when its outage began. */
async function oneIncident(world: World): Promise<number> {
  const beganMs = await outageOf20Minutes(world)
  await untilState(world, 'online')
  return beganMs
}

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
  test('an incident is listed with its beginning, end and duration; it begins 90 seconds after the last heartbeat', async (t) => {
    const { world, ask } = await openScene(t)
    assert.match(await (await ask(id)).text(), /No incidents recorded in the last 90 days/)
    const began = onPage(await outageOf20Minutes(world))
    const during = await (await ask(id)).text()
    assert.match(during, /the bot isn’t running\. Down for 20 minutes\./)
    assert.match(
      during,
      new RegExp(`Down for 20 minutes</span><span class="tag">Ongoing</span><time[^>]*>Since ${began}<`),
    )
    heartbeat(world)
    // The end of the incident isn't stored yet.
    assert.doesNotMatch(await (await ask(id)).text(), /Ongoing/)
    await untilState(world, 'online')
    const after = await (await ask(id)).text()
    assert.match(after, new RegExp(`Down for 2\\d minutes</span><time[^>]*>${began} to [^<]*\\d\\d:\\d\\d<`))
    assert.doesNotMatch(after, /Ongoing/)
  })

  test('while a bot is offline, the page shows the last known values, and the status record has null instead', async (t) => {
    const { world, ask, record } = await openScene(t)
    heartbeat(world)
    assert.match(await (await ask(id)).text(), /<h2>Current values<\/h2>/)
    await world.clock.advance(10 * 60_000)
    const text = await (await ask(id)).text()
    assert.match(text, /<h2>Last known values<\/h2>[\s\S]*Idle[\s\S]*1 hour[\s\S]*>12<[\s\S]*>2<[\s\S]*10 minutes ago/)
    const { presence, uptimeMs, guildCount, shardCount } = await (await record(id)).json()
    assert.deepEqual([presence, uptimeMs, guildCount, shardCount], [null, null, null, null])
  })

  test('an outage is listed even if the database was unavailable from the bot’s first heartbeat until after its last', async (t) => {
    const { world, ask } = await openScene(t)
    await hideTable(world, 'identity', 'announced_states')
    await runFor(world, 2 * 60_000)
    const began = onPage(world.clock.nowMs() + 60_000)
    await world.clock.advance(3 * 60_000)
    await restoreTable(world, 'identity', 'announced_states')
    await untilState(world, 'offline')
    assert.deepEqual(pluck(await changesOf(world), 'state'), ['offline'])
    assert.match(await (await ask(id)).text(), new RegExp(`Ongoing</span><time[^>]*>Since ${began}<`))
  })

  test('switching hosting off ends an incident and causes none; a bot whose state stays the same adds no changes', async (t) => {
    const { world, ask } = await openScene(t)
    await untilState(world, 'online')
    await runFor(world, 2 * 60_000)
    assert.deepEqual(await changesOf(world), [])
    await putBot(world, { hostingEnabled: false })
    await untilState(world, 'hosting-off')
    assert.match(await (await ask(id)).text(), /No incidents recorded/)
    await world.clock.advance(90_000)
    await putBot(world, { hostingEnabled: true })
    await untilState(world, 'offline')
    await putBot(world, { hostingEnabled: false })
    await untilState(world, 'hosting-off')
    assert.deepEqual(pluck(await changesOf(world), 'state'), ['hosting-off', 'offline', 'hosting-off'])
    assert.match(await (await ask(id)).text(), /<time[^>]*>\d+ \w+, \d\d:\d\d to [^<]*\d\d:\d\d, then hosting off</)
  })

  test('a restart of the service neither begins nor repeats an incident', async (t) => {
    const { world } = await openScene(t)
    await oneIncident(world)
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
    assert.match(
      empty,
      /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom" xml:lang="en">/,
    )
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
    const preflight = await ask(`${id}/feed.atom`, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match',
      },
    })
    assert.deepEqual([preflight.status, await preflight.text()], [204, ''])
    const allowed = Object.fromEntries(preflight.headers)
    assert.equal(allowed['access-control-allow-origin'], '*')
    assert.equal(allowed['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
    assert.equal(allowed['access-control-allow-headers'], '*')
    for (const [ref, status] of [
      [id, 200],
      ['nobody', 404],
    ] as const) {
      const answer = await ask(`${ref}/feed.atom`, { headers })
      assert.equal(answer.status, status)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.equal(answer.headers.get('access-control-expose-headers'), 'ETag, Retry-After')
    }
    const etag = (await ask(`${id}/feed.atom`, { headers })).headers.get('etag') ?? ''
    const unchanged = await ask(`${id}/feed.atom`, { headers: { ...headers, 'if-none-match': etag } })
    assert.deepEqual(
      [unchanged.status, unchanged.headers.get('access-control-allow-origin'), unchanged.headers.get('etag')],
      [304, '*', etag],
    )
  })
})
