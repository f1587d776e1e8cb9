import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { provision } from '../support/people.ts'
import {
  chatPlatformId,
  heartbeat,
  hostile,
  id,
  openScene,
  putBot,
  putNotice,
  runFor,
  unknownRefs,
} from '../support/status-bot.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

describe('GET {base_url}/botstatus/{botRef}', () => {
  async function pageText(world: World, ref = id) {
    const response = await fetch(`${world.baseUrl}/botstatus/${ref}`)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }

  test('Serves an HTML status page for browsers, with Open Graph tags for link previews', async (t) => {
    const { world } = await openScene(t, { name: 'Grüße, "Bot"' })
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
    const page = `${world.baseUrl}/botstatus/${chatPlatformId}`
    for (const tag of [
      '<meta property="og:title" content="Grüße, &quot;Bot&quot;: online">',
      `<meta property="og:url" content="${page}">`,
      `<meta property="og:image" content="${page}/preview.png?state=online">`,
      '<meta property="og:image:width" content="1200">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      assert.ok(text.includes(tag), `${tag} is not in ${text.slice(0, 3_000)}`)
    }
  })

  test('the status page describes each state in words', async (t) => {
    const { world } = await openScene(t)
    assert.match((await pageText(world)).text, /Offline[\s\S]*the bot isn’t running[\s\S]*Never/)
    heartbeat(world, { ready: false })
    assert.match((await pageText(world)).text, /Connecting[\s\S]*not connected to the chat platform yet/)
    await putBot(world, { hostingEnabled: false })
    assert.match((await pageText(world)).text, /Hosting off[\s\S]*turned hosting off/)
  })

  test('our choice: the status page shows a bar per quarter-hour for 24 hours and a calendar of 90 days, each with a description', async (t) => {
    // Compares dates.
    useOwnWorld(t)
    const { world, ask } = await openScene(t)
    await runFor(world, 45 * 60_000)
    await world.clock.advance(17 * 60_000)
    const text = await (await ask(id)).text()
    const [day = '', days = ''] = text.split('aria-label="Last 90 days"')
    assert.equal(day.match(/<g>/g)?.length, 96)
    assert.equal(days.match(/<td class="unknown"/g)?.length, 89)
    assert.match(days, /<caption>October<\/caption>[\s\S]*<caption>January<\/caption>/)
    // 1 January 2026 was a Thursday.
    assert.match(days, /<td><\/td><td><\/td><td><\/td><td class="unknown" title="1 January: unknown">1</)
    assert.match(days, /<td class="down" title="5 January: [\d.]+ % online, down for 1\d minutes">5</)
    assert.match(text, /<title>5 January, 12:00 to 12:15: online<\/title>/)
    assert.match(text, /<title>5 January, 12:45 to 13:00: [\d.]+ % online, down for 1\d minutes<\/title>/)
    // Adjacent bars with the same state are combined into one table row.
    assert.match(text, /Last 24 hours: downtime[\s\S]*5 January, 12:45 to 13:15/)
  })

  test('our choice: hosting off does not count as downtime', async (t) => {
    // Compares dates.
    useOwnWorld(t)
    const { world, ask } = await openScene(t)
    await runFor(world, 30 * 60_000)
    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(2 * 3_600_000)
    const text = await (await ask(id)).text()
    assert.match(text, /<h2>Last 24 hours<\/h2><p>100 % online<\/p>/)
    assert.match(text, /<title>5 January, 13:15 to 13:30: hosting off<\/title>/)
  })

  test('our choice: the owner’s notice is on the status page until it is cleared; the bot’s picture covers its initials, is loaded without a referrer, and only over https', async (t) => {
    const { world, ask } = await openScene(t, { avatar: 'https://pictures.example/lantern.png' })
    await putNotice(world, 'Moving on Sunday')
    assert.match(await (await ask(id)).text(), /Notice from the owner[\s\S]*Moving on Sunday[\s\S]*just now/)
    await putNotice(world, '')
    assert.doesNotMatch(await (await ask(id)).text(), /Notice from the owner/)

    const image =
      /<span aria-hidden="true">L<\/span><img src="https:\/\/pictures\.example\/lantern\.png" alt=""[^>]* referrerpolicy="no-referrer"/
    assert.match(await (await ask(id)).text(), image)
    await putBot(world, { avatar: 'http://pictures.example/lantern.png' })
    assert.doesNotMatch(await (await ask(id)).text(), /pictures\.example/)
  })

  test('our choice: text from owners and runtimes is never treated as markup', async (t) => {
    const { world, ask } = await openScene(t, {
      name: hostile,
      avatar: 'https://a.example/"><script>alert(2)</script>',
    })
    await putNotice(world, hostile)
    heartbeat(world)
    for (const path of [id, `${id}/badge.svg?label=${encodeURIComponent(hostile)}`]) {
      const text = await (await ask(path)).text()
      assert.doesNotMatch(text, /<script>/)
      assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
    }
  })

  test('our choice: the status page, stream, preview and feed of unknown, deleted and non-public bots return the same 404, also right after the bot was shown', async (t) => {
    const { world, ask } = await openScene(t)
    const makePrivate = () => putBot(world, { publicStatus: false })
    for (const hide of [makePrivate, () => provision(world, 'DELETE', `/v1/bots/${id}`)]) {
      await putBot(world)
      for (const ref of [id, chatPlatformId]) assert.equal((await ask(ref)).status, 200)
      await hide()
      for (const file of ['', '/events', '/preview.png', '/feed.atom']) {
        const answers = await Promise.all(unknownRefs.map((ref) => ask(`${ref}${file}`)))
        const texts = await Promise.all(answers.map((answer) => answer.text()))
        assert.deepEqual(pluck(answers, 'status'), [404, 404, 404, 404])
        assert.deepEqual(new Set(texts).size, 1)
        assert.match(texts[0]!, /Status not found/)
      }
    }
  })
})

test('our choice: …/preview.png is a PNG of 1200 by 630 pixels, the same for all requests, and 304 if it is unchanged', async (t) => {
  const { world, ask } = await openScene(t, { name: `ランタン Grüße ${hostile}` })
  heartbeat(world)
  const answers = await Promise.all([ask(`${id}/preview.png`), ask(`${chatPlatformId}/preview.png?state=online`)])
  const [one, other] = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
  assert.equal(answers[0]?.headers.get('content-type'), 'image/png')
  assert.equal(answers[0]?.headers.get('cache-control'), 'public, max-age=60')
  const etag = answers[0]?.headers.get('etag') ?? ''
  assert.equal(etag, answers[1]?.headers.get('etag'))
  assert.equal((await ask(`${id}/preview.png`, { headers: { 'if-none-match': etag } })).status, 304)
  assert.equal(one?.subarray(1, 4).toString(), 'PNG')
  assert.deepEqual([one?.readUInt32BE(16), one?.readUInt32BE(20)], [1200, 630])
  assert.deepEqual(one, other)
})
