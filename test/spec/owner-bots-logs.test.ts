import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBot, provision, send } from '../support/people.ts'
import { pluck } from '../support/together.ts'

test('our choice: a bot’s log entries are newest first, filtered by level, and paged; viewers can read them; a page without entries says what will appear there', async (t) => {
  const { world, as, at } = await openBot(t)
  const levels = ['debug', 'info', 'warn', 'error'] as const
  const entries = Array.from({ length: 120 }, (_, index) => ({
    at: world.clock.iso(index * 1_000),
    level: levels[index % 4],
    message: `line ${index}.`,
  }))
  const vi = await as('vi')
  assert.match((await vi.get(at('/bots/bot-1/logs'))).text, /No log entries yet/)
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  const lines = (text: string) => [...text.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
  const first = await vi.get(at('/bots/bot-1/logs'))
  const second = await vi.openLink(first, 'Earlier')
  const third = await vi.openLink(second, 'Earlier')
  assert.doesNotMatch(third.text, />Earlier</)
  const seen = [first, second, third].flatMap(({ text }) => lines(text))
  assert.deepEqual(seen, [...Array(120).keys()].reverse())
  assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=error'))).text).length, 30)
  assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=debug&after=nonsense'))).text).length, 50)
})

test('our choice: the log is filtered by text, level and time; each entry is one line, of which a stack is folded; the export contains what the filter shows', async (t) => {
  const { world, as, at } = await openBot(t)
  const minutesAgo = (minutes: number) => world.clock.iso(-minutes * 60_000)
  const entries = [
    { at: minutesAgo(90), level: 'error', message: 'Unknown channel OPS' },
    { at: minutesAgo(30), level: 'error', message: 'TypeError: no channel\n    at announce (bot.ts:4)' },
    { at: minutesAgo(20), level: 'info', message: 'Started' },
    { at: minutesAgo(10), level: 'warn', message: '=1+1 channel' },
  ]
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  const browser = await as('vi')
  const page = async (query: string) => (await browser.get(at(`/bots/bot-1/logs${query}`))).text
  const times = pluck(entries, 'at')
  const found = (text: string) => times.filter((time) => text.includes(`"${time}"`))
  const all = await page('')
  // The date stands only in the first row of a day.
  const [newest, next] = [minutesAgo(10), minutesAgo(20)] as const
  const day = (time: string) => `${time.slice(0, 10)} </span>${time.slice(11, 23)}</time>`
  assert.ok(all.includes(`<span>${day(newest)}`))
  assert.ok(all.includes(`<span${next.slice(0, 10) === newest.slice(0, 10) ? ' hidden' : ''}>${day(next)}`))
  assert.match(
    all,
    /<details data-name="\d+"><summary><span dir="auto">TypeError: no channel<\/span><\/summary><pre dir="auto"> {4}at announce \(bot\.ts:4\)<\/pre>/,
  )
  assert.deepEqual(found(all), times)
  assert.deepEqual(found(await page('?q=unknown+channel')), [times[0]])
  assert.deepEqual(found(await page('?q=channel&level=error&since=hour')), [times[1]])
  assert.match(await page('?q=none'), /No log entries match this filter/)
  assert.match(await page(`?q=${'x'.repeat(201)}`), /value="x{200}"/)
  for (const query of ['level=fatal', 'since=ever']) {
    assert.equal((await browser.get(at(`/bots/bot-1/logs?${query}`))).status, 404, query)
  }

  assert.match(await page('?level=warn'), /data-events="\/bots\/bot-1\/logs\/live\?level=warn"/)
  for (const query of ['q=channel', 'after=1-1']) {
    assert.doesNotMatch(await page(`?${query}`), /data-events/)
    assert.equal((await browser.get(at(`/bots/bot-1/logs/live?${query}`))).status, 404)
  }

  const csv = await browser.get(at('/bots/bot-1/logs/export.csv?q=channel&since=hour'))
  assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="log-bot-1.csv"')
  assert.equal(
    csv.text,
    `at,level,message\r\n${times[3]},warn,'=1+1 channel\r\n${times[1]},error,"TypeError: no channel\n    at announce (bot.ts:4)"\r\n`,
  )
  const { text } = await browser.get(at('/bots/bot-1/logs/export.ndjson?level=error&since=hour'))
  assert.equal(text, `${JSON.stringify(entries[1])}\n`)
  assert.equal((await browser.get(at('/bots/bot-1/logs/export.csv?level=fatal'))).status, 404)
})

test('our choice: no bot page exceeds 60 kB with its assets, whatever the bot contains', async (t) => {
  const { world, ada, at, putFlow } = await openBot(t)
  const entries = Array.from({ length: 100 }, () => ({ level: 'error', message: '"&<>'.repeat(1_000) }))
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  for (let number = 0; number < 40; number += 1) {
    const path = `${number}-`.padEnd(100, 'x')
    await putFlow({ path, requiresKey: true }, `flow-${number}`, '&'.repeat(100))
    if (number < 30) await send(ada, world, `/bots/bot-1/flows/flow-${number}/test`, {})
  }
  const ofBot = ['', '/logs', '/coworkers', '/flows', '/flows/flow-1', '/deliveries', '/runtimes']
  for (const path of ['', ...ofBot.map((page) => `/bot-1${page}`)]) {
    const { text } = await ada.get(at(`/bots${path}`))
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g)].map(([, address]) => address as string)
    const sizes = await Promise.all(
      // fetch decompresses bodies, so the compressed size is only in the header.
      [...new Set(assets)].map(async (address) => Number((await fetch(at(address))).headers.get('content-length'))),
    )
    const bytes = Buffer.byteLength(text) + sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 0 && bytes <= 60_000, `${path} has ${bytes} bytes`)
  }
})
