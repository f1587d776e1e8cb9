import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBot, provision, send } from '../support/people.ts'

test('our choice: a bot’s log entries are newest first, filtered by level, and paged; viewers can read them; a page without entries says what will appear there', async (t) => {
  const { world, as, at } = await openBot(t)
  const levels = ['debug', 'info', 'warn', 'error'] as const
  const entries = Array.from({ length: 120 }, (_, index) => ({
    at: new Date(world.clock.nowMs() + index * 1_000).toISOString(),
    level: levels[index % 4],
    message: `line ${index}.`,
  }))
  const vi = await as('vi')
  assert.match((await vi.get(at('/bots/bot-1/logs'))).text, /No log entries yet/)
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  const lines = (text: string) => [...text.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
  const seen: number[] = []
  let address: string | undefined = at('/bots/bot-1/logs')
  for (let pages = 0; address !== undefined; pages += 1) {
    assert.ok(pages < 5)
    const { text } = await vi.get(address)
    seen.push(...lines(text))
    const [, earlier] = /href="([^"]*after=[^"]*)"/.exec(text) ?? []
    address = earlier && at(earlier.replaceAll('&amp;', '&'))
  }
  assert.deepEqual(seen, [...Array(120).keys()].reverse())
  assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=error'))).text).length, 30)
  assert.equal(lines((await vi.get(at('/bots/bot-1/logs?level=debug&after=nonsense'))).text).length, 50)
})

test('our choice: the log is filtered by text, level and time; each entry is one line, of which a stack is folded; the export contains what the filter shows', async (t) => {
  const { world, as, at } = await openBot(t)
  const minutesAgo = (minutes: number) => new Date(world.clock.nowMs() - minutes * 60_000).toISOString()
  const entries = [
    { at: minutesAgo(90), level: 'error', message: 'Unknown channel OPS' },
    { at: minutesAgo(30), level: 'error', message: 'TypeError: no channel\n    at announce (bot.ts:4)' },
    { at: minutesAgo(20), level: 'info', message: 'Started' },
    { at: minutesAgo(10), level: 'warn', message: '=1+1 channel' },
  ]
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  const browser = await as('vi')
  const page = async (query: string) => (await browser.get(at(`/bots/bot-1/logs${query}`))).text
  const found = (text: string) =>
    entries.filter(({ at: time }) => text.includes(`"${time}"`)).map(({ at: time }) => time)
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
  const times = entries.map(({ at: time }) => time)
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
  const { world, as, at } = await openBot(t)
  const entries = Array.from({ length: 100 }, () => ({ level: 'error', message: '"&<>'.repeat(1_000) }))
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
  for (let number = 0; number < 40; number += 1) {
    const path = `${number}-`.padEnd(100, 'x')
    const flow = { kind: 'event', name: '&'.repeat(100), webhook: { path, requiresKey: true } }
    await provision(world, 'PUT', `/v1/bots/bot-1/flows/flow-${number}`, flow)
  }
  const browser = await as('ada')
  for (let number = 0; number < 30; number += 1) {
    await send(browser, world, `/bots/bot-1/flows/flow-${number}/test`, {})
  }
  for (const path of [
    '',
    '/bot-1',
    '/bot-1/logs',
    '/bot-1/coworkers',
    '/bot-1/flows',
    '/bot-1/flows/flow-1',
    '/bot-1/deliveries',
    '/bot-1/runtimes',
  ]) {
    const { text } = await browser.get(at(`/bots${path}`))
    const assets = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g)].map(([, address]) => address as string)
    const sizes = await Promise.all(
      // fetch decompresses bodies, so the compressed size is only in the header.
      [...new Set(assets)].map(async (address) => Number((await fetch(at(address))).headers.get('content-length'))),
    )
    const bytes = Buffer.byteLength(text) + sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(bytes > 0 && bytes <= 60_000, `${path} has ${bytes} bytes`)
  }
})
