import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { prettyJson } from '../../src/surfaces/owner-bots/deliveries/request-section.ts'
import { idsIn, withQueue } from '../support/bot-deliveries.ts'
import { provision, textIn } from '../support/people.ts'

describe('our choice: a bot’s delivery pages', () => {
  test('the event list is newest first, has pages and filters for state, flow and time, and shows counts per hour and per state', async (t) => {
    const { world, ada, at, post, connect, handle, deadLetter } = await withQueue(t)
    const dead = await deadLetter(await connect(), 'dead')
    await world.clock.advance(2 * 3_600_000)
    await post('done', 'other')
    const { id: done } = await handle(await connect())
    const listed = async (query = '') => (await ada.get(at(`/bots/bot-1/deliveries${query}`))).text
    const all = await listed()
    assert.match(all, /Dead letter/)
    assert.match(all, /No such &lt;order&gt;/)
    /** Returns the full hour so many hours after the start, as in a date field. */
    const hour = (later: number) => world.clock.iso(later * 3_600_000).slice(0, 16)
    const bar = (later: number, figures: string) => {
      const range = `from=${encodeURIComponent(hour(later))}&amp;until=${encodeURIComponent(hour(later + 1))}`
      return `<a href="/bots/bot-1/deliveries?${range}" aria-label="${hour(later).slice(11)} UTC. ${figures}">`
    }
    const bars = [
      bar(0, 'Received: 1, Delivered: 0, Failed attempts: 1, Dead letters: 1'),
      bar(2, 'Received: 1, Delivered: 1, Failed attempts: 0, Dead letters: 0'),
    ]
    for (const each of bars) assert.ok(all.includes(each), each)
    // The chips count what matches the other filters.
    for (const [query, ids, [every, ofDone, ofDead]] of [
      ['', [done, dead], [2, 1, 1]],
      [`?from=${hour(0)}&until=${hour(1)}`, [dead], [1, 0, 1]],
      ['?state=dead', [dead], [2, 1, 1]],
      ['?flow=other', [done], [1, 1, 0]],
      ['?since=hour', [done], [1, 1, 0]],
      ['?flow=other&state=dead', [], [1, 1, 0]],
      ['?state=&flow=&since=any', [done, dead], [2, 1, 1]],
    ] as const) {
      const text = await listed(query)
      assert.deepEqual(idsIn(text.slice(text.indexOf('data-live="rows"'))), ids, query)
      const chips = textIn(/<nav class="chips.*?<\/nav>/s.exec(text)?.[0] ?? '')
      const counts = `All ${every} Waiting 0 Processing 0 Delivered ${ofDone} Dead letters ${ofDead} `
      assert.ok(chips.startsWith(counts), `${query}: ${chips}`)
    }
    const filtered = await listed('?flow=other&state=done&since=hour')
    assert.ok(filtered.includes('href="/bots/bot-1/deliveries?state=dead&amp;flow=other&amp;since=hour"'))

    for (let number = 0; number < 30; number += 1) await post(String(number))
    const first = await ada.get(at('/bots/bot-1/deliveries'))
    const second = await ada.openLink(first, 'Earlier')
    assert.equal(new Set([...idsIn(first.text), ...idsIn(second.text)]).size, 32)
  })

  test('a filter of deliveries with an unknown value returns 404 instead of all events', async (t) => {
    const { world, ada, at, deadLetter, connect } = await withQueue(t)
    const runtime = await connect()
    const dead = [await deadLetter(runtime, 'one'), await deadLetter(runtime, 'two', 'other')]
    const malformed = ['state=nonsense', 'from=yesterday', 'until=2026-02-29T12:00', 'since=toString', 'flow=%00']
    for (const query of [...malformed, 'flow=gone', 'flow=orders&flow=other']) {
      assert.equal((await ada.get(at(`/bots/bot-1/deliveries?${query}`))).status, 404, query)
    }
    const long = await ada.get(at(`/bots/bot-1/deliveries?q=${'x'.repeat(201)}`))
    assert.match(long.text, /value="x{200}"/, 'the text that was searched for')

    // The flow is deleted after the page has been opened.
    const asks = await Promise.all(
      ['replay', 'discard'].map((action) => ada.get(at(`/bots/bot-1/dead-letters/${action}?flow=other`))),
    )
    assert.equal((await provision(world, 'DELETE', '/v1/bots/bot-1/flows/other')).status, 204)
    for (const page of asks) {
      assert.equal(page.status, 200)
      const answer = await ada.submit(page, {}, new URL(page.url).pathname)
      assert.equal(answer.status, 404, answer.text)
      assert.equal((await ada.get(page.url)).status, 404)
    }
    assert.deepEqual(idsIn((await ada.get(at('/bots/bot-1/deliveries?state=dead'))).text), dead.reverse())
    for (const flow of ['%00', 'gone']) {
      assert.equal((await ada.get(at(`/bots/bot-1/dead-letters/discard?flow=${flow}`))).status, 404)
    }
  })

  test('an event’s page shows attempts, errors, headers and body, a binary one in hexadecimal and a long one truncated; viewers see only that the event arrived', async (t) => {
    const { world, as, at, post, connect, handle } = await withQueue(t)
    const body = '{"big":12345678901234567890,"a":[],"s":"<script>alert(1)</script>"}'
    const headers = { 'user-agent': '<img src=x>', 'x-request-id': 'r-1' }
    await post(body, 'orders', { 'content-type': 'application/json', ...headers })
    const { id } = await handle(await connect(), { error: '<script>boom</script>', retryMs: 1 })
    const ed = await as('ed')
    const { text, status } = await ed.get(at(`/bots/bot-1/deliveries/${id}`))
    assert.equal(status, 200)
    assert.match(text, /&lt;script&gt;boom&lt;\/script&gt;/)
    assert.match(text, /&lt;img src=x&gt;/)
    assert.match(text, /r-1/)
    assert.match(
      text,
      /<b>&quot;big&quot;<\/b>: <u>12345678901234567890<\/u>,\n {2}<b>&quot;a&quot;<\/b>: \[\],/,
      'numbers are shown as sent',
    )
    assert.doesNotMatch(text, /<script>(?:alert|boom)|<img src=x/)
    const file = await ed.get(at(`/bots/bot-1/deliveries/${id}/body`))
    assert.equal(file.text, body)
    assert.equal(file.headers.get('content-type'), 'application/octet-stream')
    assert.match(file.headers.get('content-disposition') ?? '', /^attachment/)

    const seen = await (await as('vi')).get(at('/bots/bot-1/deliveries'))
    assert.match(seen.text, /Waiting/)
    assert.deepEqual(idsIn(seen.text), [])

    await post(Uint8Array.from([0, 255, 16]))
    await post('"<&'.repeat(50_000))
    const [long, short] = idsIn((await ed.get(at('/bots/bot-1/deliveries'))).text)
    const hexadecimal = /<pre class="body text"[^>]*>00 ff 10</
    assert.match((await ed.get(at(`/bots/bot-1/deliveries/${short}`))).text, hexadecimal)
    const page = (await ed.get(at(`/bots/bot-1/deliveries/${long}`))).text
    assert.match(page, /Only the beginning is shown/)
    assert.ok(Buffer.byteLength(page) < 33_000, `${Buffer.byteLength(page)} bytes`)
    assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${long}/body`))).text.length, 150_000)
    for (const path of ['none', 'none/body']) {
      assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${path}`))).status, 404)
    }
    assert.ok(!world.logs().includes('12345678901234567890'))
  })

  test('delivery errors recorded by Gatehouse itself are shown in the reader’s language', async (t) => {
    const { world, ada, at, post, connect } = await withQueue(t)
    const runtime = await connect()
    await post('{}')
    const { id } = await runtime.next('dispatch')
    await world.clock.advance(limits.leaseMs)
    await (await connect()).nextInTime(world.clock, 'dispatch')
    for (const [language, said] of [
      ['en', 'The runtime disconnected.'],
      ['de', 'Die Verbindung zur Runtime ist abgebrochen.'],
    ] as const) {
      await ada.get(at(`/appearance/language/${language}`))
      assert.ok((await ada.get(at(`/bots/bot-1/deliveries/${id}`))).text.includes(`<pre>${said}</pre>`), said)
      assert.ok((await ada.get(at('/bots/bot-1/deliveries'))).text.includes(said), said)
    }
  })
})

test('our choice: JSON bodies are formatted by white space alone', () => {
  const text = '{"a":1e400,"a":[1,{}, [ ] ],"b":{"c":"x, {\\"y\\": 1}"}, "d" : null}'
  const pretty = prettyJson(text) ?? ''
  assert.equal(
    pretty,
    '{\n  "a": 1e400,\n  "a": [\n    1,\n    {},\n    []\n  ],\n  "b": {\n    "c": "x, {\\"y\\": 1}"\n  },\n  "d": null\n}',
  )
  assert.equal(prettyJson('\uFEFF{"a":1}'), '{\n  "a": 1\n}', 'a byte order mark is not part of the JSON')
  assert.equal(prettyJson('not json'), undefined)
  assert.equal(prettyJson('"text"'), undefined)
  assert.ok((prettyJson('['.repeat(2_000) + ']'.repeat(2_000)) ?? '').length < 200_000)
})
