import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { HeartbeatReport } from '../../src/domain/bots/gateway-snapshot.ts'
import { parseBotId, parseUserId } from '../../src/domain/ids.ts'
import { statusStreamsPerAddress } from '../../src/domain/limits.ts'
import { statusSnippetSample, statusSnippets } from '../../src/http/components/status-snippets.ts'
import { provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const id = 'bot-1'
const chatPlatformId = '12345678901234567'
const hostile = `"><script>alert(1)</script>&'`

async function openScene(t: TestContext, bot: object = {}) {
  const world = await openWorld(t)
  await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada' })
  await putBot(world, bot)
  const ask = (path: string, init: RequestInit = {}) => fetch(`${world.baseUrl}/botstatus/${path}`, init)
  return { world, ask }
}

async function putBot(world: World, bot: object = {}) {
  const body = { ownerId: 'ada', name: 'Lantern', chatPlatformId, hostingEnabled: true, publicStatus: true, ...bot }
  const { status, json } = await provision(world, 'PUT', `/v1/bots/${id}`, body)
  assert.ok(status === 200 || status === 201, JSON.stringify(json))
}

function heartbeat(world: World, report: Partial<HeartbeatReport> = {}) {
  const whole = { ready: true, presence: 'idle', uptimeMs: 3_600_000, guildCount: 12, shardCount: 2 } as const
  world.service.bots.recordHeartbeat([{ botId: parseBotId(id)!, ...whole, ...report }])
}

/** Hours of heartbeats, one each half minute as runtimes send them. */
async function runFor(world: World, ms: number) {
  for (let spent = 0; spent < ms; spent += 30_000) {
    heartbeat(world)
    await world.clock.advance(30_000)
  }
}

async function putNotice(world: World, text: string) {
  await world.service.bots.putStatusNotice(parseUserId('ada')!, parseBotId(id)!, text)
}

const unknownRefs = ['unknown', '99999999999999999', id, chatPlatformId]

describe('GET {base_url}/botstatus/{botRef}', () => {
  test('our choice: the page shows a bar for each quarter of 24 hours and each of 90 days, with words for each', async (t) => {
    const { world, ask } = await openScene(t)
    await runFor(world, 45 * 60_000)
    await world.clock.advance(17 * 60_000)
    const text = await (await ask(id)).text()
    const [day = '', days = ''] = text.split('aria-label="Last 90 days"')
    assert.equal(day.match(/<g>/g)?.length, 96)
    assert.equal(days.match(/<g>/g)?.length, 90)
    assert.match(text, /<title>5 January, 12:00 to 12:15: online<\/title>/)
    assert.match(text, /<title>5 January, 12:45 to 13:00: [\d.]+ % online, interrupted for 1\d minutes<\/title>/)
    // Neighbours are one row.
    assert.match(text, /Last 24 hours: what was not online[\s\S]*5 January, 12:45 to 13:15/)
  })

  test('our choice: hosting off is no downtime in the figures', async (t) => {
    const { world, ask } = await openScene(t)
    await runFor(world, 30 * 60_000)
    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(2 * 3_600_000)
    const text = await (await ask(id)).text()
    assert.match(text, /<h2>Last 24 hours<\/h2><p>100 % online<\/p>/)
    assert.match(text, /<title>5 January, 13:15 to 13:30: hosting off<\/title>/)
  })

  test('our choice: the owner’s notice stands on the page until it is cleared', async (t) => {
    const { world, ask } = await openScene(t)
    await putNotice(world, 'Moving on Sunday')
    assert.match(await (await ask(id)).text(), /From the bot’s owner[\s\S]*Moving on Sunday[\s\S]*just now/)
    await putNotice(world, '')
    assert.doesNotMatch(await (await ask(id)).text(), /From the bot’s owner/)
  })

  test('our choice: the picture is shown over the initials, not told where, and never without TLS', async (t) => {
    const { world, ask } = await openScene(t, { avatar: 'https://pictures.example/lantern.png' })
    const image =
      /<span aria-hidden="true">L<\/span><img src="https:\/\/pictures\.example\/lantern\.png" alt=""[^>]* referrerpolicy="no-referrer"/
    assert.match(await (await ask(id)).text(), image)
    await putBot(world, { avatar: 'http://pictures.example/lantern.png' })
    assert.doesNotMatch(await (await ask(id)).text(), /pictures\.example/)
  })

  test('our choice: nothing that owners or runtimes say is taken as markup', async (t) => {
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

  test('our choice: tells what a link to it is to look like', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const text = await (await ask(id)).text()
    const page = `${world.baseUrl}/botstatus/${chatPlatformId}`
    for (const tag of [
      '<meta property="og:title" content="Lantern: online">',
      `<meta property="og:url" content="${page}">`,
      `<meta property="og:image" content="${page}/preview.png?state=online">`,
      '<meta property="og:image:width" content="1200">',
      '<meta name="twitter:card" content="summary_large_image">',
    ]) {
      assert.ok(text.includes(tag), `${tag} is not in ${text.slice(0, 3_000)}`)
    }
  })

  test('our choice: the page of an unknown bot, a deleted one and one whose status is not public are the same 404', async (t) => {
    const { ask } = await openScene(t, { publicStatus: false })
    for (const file of ['', '/events', '/preview.png']) {
      const answers = await Promise.all(unknownRefs.map((ref) => ask(`${ref}${file}`)))
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404, 404, 404],
      )
      assert.deepEqual(new Set(texts).size, 1)
      assert.match(texts[0]!, /There is no status to see here/)
    }
  })
})

describe('our choice: …/preview.png', () => {
  test('is a PNG of 1200 by 630 pixels, made once for all who ask', async (t) => {
    const { world, ask } = await openScene(t, { name: `ランタン Grüße ${hostile}` })
    heartbeat(world)
    const answers = await Promise.all([ask(`${id}/preview.png`), ask(`${chatPlatformId}/preview.png?state=online`)])
    const [one, other] = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
    assert.equal(answers[0]?.headers.get('content-type'), 'image/png')
    assert.equal(answers[0]?.headers.get('cache-control'), 'public, max-age=60')
    assert.equal(answers[0]?.headers.get('etag'), answers[1]?.headers.get('etag'))
    assert.equal(one?.subarray(1, 4).toString(), 'PNG')
    assert.deepEqual([one?.readUInt32BE(16), one?.readUInt32BE(20)], [1200, 630])
    assert.deepEqual(one, other)
  })
})

describe('our choice: …/badge.svg and …/shield.json', () => {
  const badgeHeaders = {
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=15, s-maxage=15',
    'cross-origin-resource-policy': 'cross-origin',
  }
  const assertBadgeHeaders = (answer: Response) => {
    for (const [name, value] of Object.entries(badgeHeaders)) assert.equal(answer.headers.get(name), value, name)
  }

  test('say the state in a word', async (t) => {
    const { world, ask } = await openScene(t)
    const said = async () => {
      const [svg, json] = await Promise.all([ask(`${id}/badge.svg`), ask(`${id}/shield.json`)])
      assertBadgeHeaders(svg)
      assertBadgeHeaders(json)
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
  })

  test('come in two styles, with a label of at most 40 characters or none', async (t) => {
    const { ask } = await openScene(t)
    const text = async (query: string) => (await ask(`${id}/badge.svg?${query}`)).text()
    assert.match(
      await text('style=for-the-badge&label=My+bot'),
      /height="28" role="img" aria-label="My bot: offline"[\s\S]*>MY BOT<[\s\S]*>OFFLINE</,
    )
    assert.match(await text('label='), /aria-label="offline"/)
    assert.match(await text(`label=${'x'.repeat(500)}`), /aria-label="x{40}: offline"/)
    assert.equal(await text('style=other&label=bot&label=bot'), await text('style=flat'))
  })

  test('say "unknown", alike for unknown, deleted and closed, so that other people’s pages show no broken picture', async (t) => {
    const { ask } = await openScene(t, { publicStatus: false })
    for (const file of ['badge.svg', 'shield.json']) {
      const answers = await Promise.all(unknownRefs.map((ref) => ask(`${ref}/${file}`)))
      const texts = await Promise.all(answers.map((answer) => answer.text()))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      )
      for (const answer of answers) assertBadgeHeaders(answer)
      assert.equal(new Set(texts).size, 1)
      assert.match(texts[0]!, /unknown/)
    }
  })

  test('take 600 requests a minute from one address, since proxies ask for everybody', async (t) => {
    const { ask } = await openScene(t)
    for (let count = 0; count < 600; count += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask(`${id}/shield.json`)))
      await Promise.all(answers.map((answer) => answer.text()))
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    }
    const refused = await ask(`${id}/badge.svg`)
    assert.equal(refused.status, 429)
    assert.deepEqual(await refused.json(), { error: 'Rate limit exceeded', retryAfterSec: 60, limit: 600 })
    assert.equal((await ask(id)).status, 200)
  })

  test('answer a preflight', async (t) => {
    const { ask } = await openScene(t)
    const answer = await ask(`${id}/shield.json`, { method: 'OPTIONS' })
    assert.equal(answer.status, 204)
    assert.equal(answer.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS')
  })
})

describe('our choice: …/events', () => {
  test('sends all parts first, then those that change, and that it is there', async (t) => {
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    assert.equal(stream.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
    const first = await stream.next('parts')
    assert.deepEqual(Object.keys(first), ['title', 'state', 'notice', 'facts', 'history'])
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

  test('speaks the language of the page, to readers of each language beside one another', async (t) => {
    const { world, ask } = await openScene(t)
    heartbeat(world)
    const german = { 'accept-language': 'de-AT, en;q=0.5' }
    const page = await (await ask(id, { headers: german })).text()
    const [inGerman, inEnglish] = [await events(t, ask, german), await events(t, ask)]
    const { state = '', title } = await inGerman.next('parts')
    assert.match(state, /Er ist mit der Chat-Plattform verbunden\./)
    assert.equal(title, 'Lantern: online · Gatehouse')
    assert.ok(page.includes(state))
    assert.match((await inEnglish.next('parts')).state ?? '', /It is connected to the chat platform\./)

    await putBot(world, { hostingEnabled: false })
    await world.clock.advance(1_000)
    assert.match((await inGerman.next('parts')).state ?? '', /Hosting aus/)
    assert.match((await inEnglish.next('parts')).state ?? '', /Hosting off/)
  })

  test('ends when there is no status to see any more', async (t) => {
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    await stream.next('parts')
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    assert.deepEqual(await stream.next('gone'), {})
    assert.equal(await stream.ended(), '')
  })

  test('ends when the service does', async (t) => {
    const { world, ask } = await openScene(t)
    const stream = await events(t, ask)
    await stream.next('parts')
    await world.restart()
    assert.equal(await stream.ended(), '')
  })

  test('is open at most 30 times for one address', async (t) => {
    const { world, ask } = await openScene(t)
    const open = await Promise.all(Array.from({ length: statusStreamsPerAddress }, () => events(t, ask)))
    const refused = await ask(`${id}/events`)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
    assert.match(await refused.text(), /Too many requests/)
    await putBot(world, { publicStatus: false })
    await world.clock.advance(1_000)
    for (const stream of open) await stream.ended()
    await putBot(world)
    await (await events(t, ask)).next('parts')
  })
})

describe('our choice: the owner’s snippets', () => {
  const of = { baseUrl: 'https://id.example', chatPlatformId }

  test('are the badge as a link to the page, in Markdown and in HTML', () => {
    const page = `https://id.example/botstatus/${chatPlatformId}`
    assert.deepEqual(statusSnippets({ ...of, botName: 'Lantern' }), {
      markdown: `[![Status of Lantern](${page}/badge.svg)](${page})`,
      html: `<a href="${page}"><img src="${page}/badge.svg" alt="Status of Lantern" height="20"></a>`,
    })
    assert.match(statusSnippetSample({ ...of, botName: 'Lantern' }).in('en'), /Markdown[\s\S]*badge\.svg[\s\S]*HTML/)
  })

  test('hold no more than that, whatever the bot is named', () => {
    const { markdown, html } = statusSnippets({ ...of, botName: `](https://evil.example) ${hostile}` })
    assert.match(markdown, /^\[!\[Status of \\\]\(https:\/\/evil\.example\) "\\><?/)
    assert.doesNotMatch(html, /<script>/)
  })
})

/** Reads a stream event by event. */
async function events(
  t: TestContext,
  ask: (path: string, init?: RequestInit) => Promise<Response>,
  headers: Record<string, string> = {},
) {
  const leaving = new AbortController()
  t.after(() => leaving.abort())
  const answer = await ask(`${id}/events`, { signal: leaving.signal, headers })
  assert.equal(answer.status, 200)
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let done = false
  const more = async () => {
    const read = await reader.read()
    done = read.done
    text += read.value ?? ''
  }
  return {
    answer,
    /** The next event, which has this name. */
    async next(name: string): Promise<Record<string, string>> {
      for (;;) {
        const found = /^(?:retry: \d+\n\n)?event: (\w+)\ndata: (.*)\n\n/.exec(text)
        if (found !== null) {
          text = text.slice(found[0].length)
          assert.equal(found[1], name)
          return JSON.parse(found[2]!)
        }
        assert.ok(!done, `the stream ended after ${text}`)
        await more()
      }
    },
    /** What came after the last event read, until the end. */
    async ended(): Promise<string> {
      while (!done) await more()
      return text
    },
  }
}
