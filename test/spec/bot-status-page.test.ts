import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { statusSnippets } from '../../src/surfaces/owner-bots/settings.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { provision } from '../support/people.ts'
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
  unknownRefs,
} from '../support/status-bot.ts'
import { pluck } from '../support/together.ts'

const badgeHeaders = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=15, s-maxage=15',
  'cross-origin-resource-policy': 'cross-origin',
}

describe('GET {base_url}/botstatus/{botRef}', () => {
  test('Serves an HTML status page for browsers, with Open Graph tags for link previews', async (t) => {
    const { world, ask } = await openScene(t, { name: 'Grüße, "Bot"' })
    heartbeat(world)
    await world.clock.advance(60_000)
    const response = await ask(chatPlatformId)
    assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    const text = await response.text()
    const page = `${world.baseUrl}/botstatus/${chatPlatformId}`
    assert.match(text, /As of \d\d:\d\d UTC\. Reload the page to update\./)
    for (const shown of [
      ...['Grüße, &quot;Bot&quot;', 'Online', 'Idle', '1 hour', '>12<', '>2<', 'Cloud', '1 minute ago'],
      `/botstatus/${chatPlatformId}/api`,
      '<meta property="og:title" content="Grüße, &quot;Bot&quot;: online">',
      `<meta property="og:url" content="${page}">`,
      `<meta property="og:image" content="${page}/preview.png?state=online">`,
      '<meta property="og:image:width" content="1200">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      assert.ok(text.includes(shown), `${shown} is not in ${text}`)
    }
  })

  test('the status page describes each state in words', async (t) => {
    const { world, page } = await openScene(t)
    assert.match(await page(), /Offline[\s\S]*the bot isn’t running[\s\S]*Never/)
    heartbeat(world, { ready: false })
    assert.match(await page(), /Connecting[\s\S]*not connected to the chat platform yet/)
    await putBot(world, { hostingEnabled: false })
    assert.match(await page(), /Hosting off[\s\S]*turned hosting off/)
  })

  test('our choice: the status page shows a bar per quarter-hour for 24 hours and a calendar of 90 days, each with a description; hosting off does not count as downtime', async (t) => {
    // Compares dates.
    useOwnWorld(t)
    const { world, page } = await openScene(t)
    await runFor(world, 30 * 60_000)
    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(2 * 3_600_000)
    const off = await page()
    assert.match(off, /<h2>Last 24 hours<\/h2><p>100 % online<\/p>/)
    assert.match(off, /<title>5 January, 13:15 to 13:30: hosting off<\/title>/)

    await putBot(world)
    await runFor(world, 15 * 60_000)
    await world.clock.advance(17 * 60_000)
    const text = await page()
    const [day = '', days = ''] = text.split('aria-label="Last 90 days"')
    assert.equal(day.match(/<g>/g)?.length, 96)
    assert.equal(days.match(/<td class="unknown"/g)?.length, 89)
    assert.match(days, /<caption>October<\/caption>[\s\S]*<caption>January<\/caption>/)
    // 1 January 2026 was a Thursday.
    assert.match(days, /<td><\/td><td><\/td><td><\/td><td class="unknown" title="1 January: unknown">1</)
    assert.match(days, /<td class="down" title="5 January: [\d.]+ % online, down for 1\d minutes">5</)
    assert.match(text, /<title>5 January, 12:00 to 12:15: online<\/title>/)
    assert.match(text, /<title>5 January, 14:45 to 15:00: [\d.]+ % online, down for 1\d minutes<\/title>/)
    // Adjacent bars with the same state are combined into one table row.
    assert.match(text, /Last 24 hours: downtime[\s\S]*5 January, 14:45 to 15:15/)
  })

  test('our choice: the owner’s notice is on the status page until it is cleared; the bot’s picture covers its initials, is loaded without a referrer, and only over https', async (t) => {
    const { world, page } = await openScene(t, { avatar: 'https://pictures.example/lantern.png' })
    await putNotice(world, 'Moving on Sunday')
    assert.match(await page(), /Notice from the owner[\s\S]*Moving on Sunday[\s\S]*just now/)
    await putNotice(world, '')
    assert.doesNotMatch(await page(), /Notice from the owner/)

    const image =
      /<span aria-hidden="true">L<\/span><img src="https:\/\/pictures\.example\/lantern\.png" alt=""[^>]* referrerpolicy="no-referrer"/
    assert.match(await page(), image)
    await putBot(world, { avatar: 'http://pictures.example/lantern.png' })
    assert.doesNotMatch(await page(), /pictures\.example/)
  })

  test('our choice: text from owners and runtimes is never treated as markup', async (t) => {
    const avatar = 'https://a.example/"><script>alert(2)</script>'
    const { world, ask } = await openScene(t, { name: hostile, avatar })
    await putNotice(world, hostile)
    heartbeat(world)
    for (const path of [id, `${id}/badge.svg?label=${encodeURIComponent(hostile)}`]) {
      const text = await (await ask(path)).text()
      assert.doesNotMatch(text, /<script>/)
      assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/)
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

describe('our choice: …/badge.svg and …/shield.json', () => {
  test('the badge and the shield show the bot’s state, and answer a CORS preflight', async (t) => {
    const { world, ask } = await openScene(t)
    const said = async () => {
      const [svg, json] = await Promise.all([ask(`${id}/badge.svg`), ask(`${id}/shield.json`)])
      assertHeaders(svg, badgeHeaders)
      assertHeaders(json, badgeHeaders)
      assert.equal(svg.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
      const title = /<title>([^<]*)<\/title>/.exec(await svg.text())?.[1]
      return [title, await json.json()]
    }
    const shield = (message: string, color: string) => ({ schemaVersion: 1, label: 'bot', message, color })
    assert.deepEqual(await said(), ['bot: offline', shield('offline', 'b3261e')])
    heartbeat(world, { ready: false })
    assert.deepEqual(await said(), ['bot: connecting', shield('connecting', '7b5100')])
    heartbeat(world)
    assert.deepEqual(await said(), ['bot: online', shield('online', '17693f')])
    await putBot(world, { hostingEnabled: false })
    assert.deepEqual(await said(), ['bot: hosting off', shield('hosting off', '53606f')])
    const preflight = await ask(`${id}/shield.json`, { method: 'OPTIONS' })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS')
  })

  test('the badge comes in two styles, with an optional label of at most 40 characters', async (t) => {
    useOwnWorld(t)
    const { ask } = await openScene(t)
    const text = async (query: string) => (await ask(`${id}/badge.svg?${query}`)).text()
    const large = await text('style=for-the-badge&label=My+bot')
    assert.match(large, /height="28" role="img" aria-label="My bot: offline"[\s\S]*>MY BOT<[\s\S]*>OFFLINE</)
    assert.match(await text('label='), /aria-label="offline"/)
    assert.match(await text(`label=${'x'.repeat(500)}`), /aria-label="x{40}: offline"/)
    assert.equal(await text('style=other&label=bot&label=bot'), await text('style=flat'))
  })
})

test('our choice: unknown, deleted and non-public bots return the same 404, also right after the bot was shown, on page, stream, preview and feed; badge and shield say "unknown" with status 200, so that embedding pages show no broken image', async (t) => {
  const { world, ask } = await openScene(t)
  const notFound = { status: 404, words: /Status not found/, headers: {} }
  const badge = { status: 200, words: /unknown/, headers: badgeHeaders }
  const expected = {
    ...{ '': notFound, '/events': notFound, '/preview.png': notFound, '/feed.atom': notFound },
    ...{ '/badge.svg': badge, '/shield.json': badge },
  }
  const makePrivate = () => putBot(world, { publicStatus: false })
  for (const hide of [makePrivate, () => provision(world, 'DELETE', `/v1/bots/${id}`)]) {
    await putBot(world)
    for (const ref of [id, chatPlatformId]) assert.equal((await ask(ref)).status, 200)
    await hide()
    for (const [file, { status, words, headers }] of Object.entries(expected)) {
      const answers = await Promise.all(unknownRefs.map((ref) => ask(`${ref}${file}`)))
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      assert.deepEqual(pluck(answers, 'status'), Array(unknownRefs.length).fill(status), file)
      for (const answer of answers) assertHeaders(answer, headers)
      assert.equal(new Set(texts).size, 1, file)
      assert.match(texts[0]!, words, file)
    }
  }
})

test('our choice: the badge snippets for owners link the badge to the status page, in Markdown and in HTML; a hostile bot name adds no link and no markup', () => {
  const page = `https://id.example/botstatus/${chatPlatformId}`
  const snippetsOf = (botName: string) => statusSnippets(page, botName).map(({ code }) => code)
  assert.deepEqual(snippetsOf('Lantern'), [
    `[![Status of Lantern](${page}/badge.svg)](${page})`,
    `<a href="${page}"><img src="${page}/badge.svg" alt="Status of Lantern" height="20"></a>`,
  ])

  const [markdown = '', html = ''] = snippetsOf(`](https://evil.example) ${hostile}`)
  assert.match(markdown, /^\[!\[Status of \\\]\(https:\/\/evil\.example\) "\\><?/)
  assert.doesNotMatch(html, /<script>/)
})
