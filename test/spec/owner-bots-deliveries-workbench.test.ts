import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { audited, onBot } from '../support/audit.ts'
import { idsIn, withQueue } from '../support/bot-deliveries.ts'
import { openEvents } from '../support/event-stream.ts'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { assertShows, provision, send, textIn, unescapeHtml, visibleWordsIn } from '../support/people.ts'
import { RawConnection } from '../support/raw-http.ts'

const rowsIn = (text: string) =>
  [...text.matchAll(/<tr role="row">(?!<th)(.*?)<\/tr>/gs)].map(([, row = '']) => textIn(row))

/** Returns the time as on the pages, such as `2026-01-05 12:00:00`. */
const asShown = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

describe('our choice: the list of deliveries', () => {
  test('a row of the list shows time, state, ID, flow, error, start of the body, attempts and duration; a viewer sees no body; before the first webhook there is a URL and a command instead of chart and filters', async (t) => {
    const { world, ada, as, at, post, connect, deadLetter } = await withQueue(t)
    const page = async () => (await ada.get(at('/bots/bot-1/deliveries'))).text
    const empty = await page()
    assert.match(empty, new RegExp(`<code class="text">${world.apiUrl}/bot-1/line</code>`))
    assert.match(unescapeHtml(empty), new RegExp(`curl -X POST '${world.apiUrl}/bot-1/line'`))
    assert.match(empty, /data-live="chart"><\/div>\s*<nav [^>]*data-live="chips"><\/nav>/)

    const start = asShown(world.clock.startMs)
    const runtime = await connect()
    await deadLetter(runtime, '{\n  "order": "Straße 7"\n}')
    await post(Uint8Array.from([0, 255]), 'other')
    await post('é'.repeat(200))
    await runtime.deliveries(2)
    const text = await page()
    assert.doesNotMatch(text, /curl/)
    const [long, binary, dead] = idsIn(text).map((id) => id?.split('-')[0])
    assert.deepEqual(
      rowsIn(text).map((row) => row.replace(/\d+ ms$/, '0 ms')),
      [
        // A character that is cut in half is left out.
        `${start} Processing ${long} Orders ${'é'.repeat(80)} 1`,
        `${start} Processing ${binary} Other &lt;b&gt; 00 ff 1`,
        `${start} Dead letter ${dead} Orders No such &lt;order&gt; { &quot;order&quot;: &quot;Straße 7&quot; } 1 0 ms`,
      ],
    )
    assert.ok(text.includes(`<time datetime="${world.clock.iso()}" data-local data-utc="${start} UTC">`))
    const seen = (await (await as('vi')).get(at('/bots/bot-1/deliveries'))).text
    assert.doesNotMatch(seen, /Straße|é{9}|name="event"|Replay selected/)
    assert.equal(rowsIn(seen).length, 3)
  })

  test('live updates for readers who left before they began don’t count, so that others at their address get them', async (t) => {
    const { world, ada, at } = await withQueue(t)
    const live = new URL(at('/bots/bot-1/deliveries/live'))
    const cookie = ada.cookieHeader()
    for (let reader = 0; reader < 2 * limits.deliveryStreamsPerAddress; reader += 1) {
      const connection = await RawConnection.to(t, world.baseUrl)
      connection.write(`GET ${live.pathname} HTTP/1.1\r\nhost: ${live.host}\r\ncookie: ${cookie}\r\n\r\n`)
      connection.finish()
      await connection.closed()
    }
    await eventually(async () => {
      const answer = await fetch(live, { headers: { cookie } })
      await answer.body?.cancel()
      return answer.status === 200 || undefined
    })
  })

  test('a search of deliveries finds an event ID, and text in bodies regardless of case, and says how many webhooks it searched', async (t) => {
    const { ada, as, at, post } = await withQueue(t)
    await post('{"customer":"Needle & Co"}')
    for (let n = 0; n < 25; n += 1) await post(`hay ${n}`, n % 2 === 0 ? 'orders' : 'other')
    const search = async (query: string) => (await ada.get(at(`/bots/bot-1/deliveries?${query}`))).text
    const found = await search('q=needle+%26+co')
    assert.equal(idsIn(found).length, 1)
    assert.match(found, /Searched all 26 webhooks that match this filter\./)
    assert.match(found, /The search covers the first 16.0 KiB of each body\./)
    assert.doesNotMatch(found, /data-events|export\.csv/, 'a search result is neither live nor exported')
    const id = idsIn(found)[0] ?? ''
    assert.equal((await ada.get(at('/bots/bot-1/deliveries/live?q=needle'))).status, 404)
    assert.deepEqual(idsIn(await search(`q=+${id}+&state=dead`)), [id], 'an ID is found whatever the filter')
    assert.deepEqual(idsIn(await search('q=needle&flow=other')), [])
    const first = await ada.get(at('/bots/bot-1/deliveries?q=hay'))
    assert.equal(idsIn(first.text).length, 20)
    const second = await ada.openLink(first, 'Search further')
    assert.equal(new Set([...idsIn(first.text), ...idsIn(second.text)]).size, 25)
    const viewer = await as('vi')
    assert.doesNotMatch((await viewer.get(at('/bots/bot-1/deliveries?q=needle'))).text, /Needle/)
    assert.equal(rowsIn((await viewer.get(at(`/bots/bot-1/deliveries?q=${id}`))).text).length, 1)
  })

  test('one search request reads a bounded number of bytes, and the next request continues where it stopped', async (t) => {
    const { world, ada, at, post } = await withQueue(t)
    const long = 'x'.repeat(limits.searchedPerRequest.bytesPerBody)
    await post('the needle')
    for (let n = 0; n < 310; n += 1) await post(long)
    const first = await ada.get(at('/bots/bot-1/deliveries?q=needle'))
    assert.deepEqual(idsIn(first.text), [])
    const searched = `Nothing found so far\\. .*Searched 300 webhooks, back to ${asShown(world.clock.startMs)}`
    assert.match(visibleWordsIn(first), new RegExp(searched))
    assert.equal(idsIn((await ada.openLink(first, 'Search further')).text).length, 1)
  })

  test('selected webhooks are replayed, or discarded after a confirmation; those that can’t be replayed or discarded are skipped and counted', async (t) => {
    const { world, ada, at, post, connect, deadLetter } = await withQueue(t)
    const runtime = await connect()
    const dead = [await deadLetter(runtime, 'one'), await deadLetter(runtime, 'two')]
    await post('under way')
    const { id: leased } = await runtime.next('dispatch')
    const path = '/bots/bot-1/deliveries/selection'
    const act = (fields: Record<string, string | string[]>) => send(ada, world, path, { list: '?since=day', ...fields })

    const replayed = await act({ action: 'replay', event: [...dead.toReversed(), leased, 'ev1'] })
    assert.deepEqual([replayed.status, replayed.location?.search], [303, '?since=day'])
    const bodies = (await runtime.deliveries(2)).map(({ body }) => Buffer.from(body, 'base64').toString())
    assert.deepEqual(bodies, ['one', 'two'], 'in the order in which they arrived')
    assert.match((await ada.onward(replayed, world)).text, /2 webhooks replayed\..*2 webhooks skipped: only delivered/s)

    const asked = await act({ action: 'discard', event: [...dead, leased] })
    assertShows(asked, 200, /Discard 3 webhooks\?/)
    assert.equal((await ada.get(at(`/bots/bot-1/deliveries/${dead[0]}`))).status, 200, 'nothing is discarded yet')
    const hidden = [...asked.text.matchAll(/name="event" value="([^"]*)"/g)].map(([, id = '']) => id)
    const discarded = await act({ action: 'discard', confirmed: 'yes', event: hidden })
    assert.equal(discarded.location?.search, '?since=day')
    assert.match((await ada.onward(discarded, world)).text, /2 webhooks discarded\..*1 webhook skipped: only waiting/s)
    assert.equal((await ada.get(at(`/bots/bot-1/deliveries/${dead[0]}`))).status, 404)

    assertShows(await act({ action: 'replay' }), 422, /Select at least one webhook\./)
    const many = Array.from({ length: 101 }, (_, n) => `ev${n}`)
    assert.equal((await act({ action: 'replay', event: many })).status, 422)
    assert.equal((await act({ action: 'explode', event: dead })).status, 404)
    assert.equal((await act({ action: 'replay', event: dead, list: '?state=nonsense' })).status, 404)
    const [one, two] = dead.map((event) => ({ ...onBot('ada'), detail: { events: '1', event } }))
    assert.deepEqual(await audited(world, /^events-/), [
      { kind: 'events-replayed', ...one },
      { kind: 'events-replayed', ...two },
      { kind: 'events-discarded', ...two },
      { kind: 'events-discarded', ...one },
    ])
  })

  test('exports contain the filtered list of deliveries as CSV and NDJSON, omit bodies and escape spreadsheet formulas', async (t) => {
    const { world, as, at, connect, deadLetter } = await withQueue(t)
    const runtime = await connect()
    const dead = await deadLetter(runtime, 'secret body')
    const id = await deadLetter(runtime, 'x', 'orders', '=cmd("x"), "y"\nz')
    const browser = await as('vi')
    const file = async (path: string) => browser.get(at(`/bots/bot-1/deliveries/export.${path}`))
    const csv = await file('csv?state=dead')
    assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(csv.headers.get('content-disposition'), 'attachment; filename="deliveries-bot-1.csv"')
    const start = world.clock.iso()
    assert.equal(
      csv.text,
      [
        'id,receivedAt,flowId,path,state,attempts,finishedAt,durationMs,bodyBytes,lastError,deadBecause,replayOf,replayedAs',
        `${id},${start},orders,orders,dead,1,${start},0,1,"'=cmd(""x""), ""y""\nz",refused-by-runtime,,`,
        `${dead},${start},orders,orders,dead,1,${start},0,11,No such <order>,refused-by-runtime,,`,
        '',
      ].join('\r\n'),
    )
    const [, line = ''] = (await file('ndjson')).text.split('\n')
    const [columns, , , row] = csv.text.split(/\r?\n/)
    assert.equal(Object.keys(JSON.parse(line)).join(), columns)
    assert.equal(Object.values(JSON.parse(line)).join(), row)
    assert.equal((await file('csv?state=nonsense')).status, 404)
  })
})

describe('our choice: the page of a webhook', () => {
  test('the page of a webhook shows its cause beside the heading, attempts as a timeline with the next attempt, the log of the last attempt, and links to its neighbours in the filtered list', async (t) => {
    const { world, ada, at, post, connect, handle, deadLetter } = await withQueue(t)
    const runtime = await connect()
    const oldest = await deadLetter(runtime, '1')
    const dead = await deadLetter(runtime, '2', 'other')
    const newest = await deadLetter(runtime, '3')
    await post('4')
    const { id: failing } = await handle(runtime, { error: 'not now', retryMs: 240_000 })
    const page = async (path: string) => (await ada.get(at(`/bots/bot-1/deliveries/${path}`))).text
    const [start, retry] = [asShown(world.clock.startMs), asShown(world.clock.startMs + 240_000)]
    const timeline = /<ol class="timeline".*?<\/ol>/s.exec(await page(failing))?.[0] ?? ''
    const attempt = `Attempt 1: Failed ${start} took \\d+ ms not now Next attempt in 4 minutes \\( ${retry} \\)`
    assert.match(textIn(timeline), new RegExp(`^Received ${start} ${attempt}$`))
    const links = async (path: string) =>
      [...(await page(path)).matchAll(/<a[^>]* href="([^"]*)">(Deliveries|Newer|Older)</g)].map(
        ([, href, said]) => `${said} ${unescapeHtml(href ?? '').replace('/bots/bot-1/deliveries', '')}`,
      )
    assert.match(
      await page(dead),
      /<h1>Webhook \w+<\/h1><div data-live="actions"><span class="state bad">.*?Dead letter<\/span><span class="cause" dir="auto">No such &lt;order&gt;<\/span>/s,
    )
    const entries = [0, 1].map((hour) => {
      return { at: world.clock.iso(-hour * 3_600_000), level: 'error', message: `Logged ${hour} h ago` }
    })
    await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries })
    const logged = /<h2>Log during attempt 1<.*?<\/table>/s.exec(await page(dead))?.[0] ?? ''
    assert.match(logged, /Logged 0 h ago/)
    assert.doesNotMatch(logged, /Logged 1 h ago/)
    assert.deepEqual(await links(dead), ['Deliveries ', `Newer /${newest}`, `Older /${oldest}`])
    const filter = '?state=dead&flow=orders'
    assert.deepEqual(await links(`${oldest}${filter}`), [`Deliveries ${filter}`, `Newer /${newest}${filter}`])
  })
})

test('our choice: the streams of the list, of an event and of the log send new webhooks, attempts and entries, and end when the permission ends', async (t) => {
  const { world, as, at, post, connect, handle } = await withQueue(t)
  await post('first')
  const ed = await as('ed')
  const stream = (path: string) => openEvents(t, at(path), { cookie: ed.cookieHeader() })
  /** Lets the streams poll until the frame arrives. */
  const polled = async <Frames>(arriving: Promise<Frames>): Promise<Frames> => {
    let hasArrived = false
    const end = () => {
      hasArrived = true
    }
    arriving.then(end, end)
    await advanceUntil(world.clock, () => hasArrived, limits.deliveryStreamPollMs)
    return arriving
  }
  const list = await stream('/bots/bot-1/deliveries/live')
  assert.equal(list.answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const first = await list.nextOf('parts')
  assert.deepEqual(Object.keys(first), ['chart', 'chips', 'causes', 'rows', 'pager'])
  const [id = ''] = idsIn(first.rows ?? '')
  const event = await stream(`/bots/bot-1/deliveries/${id}/live`)
  assert.deepEqual(Object.keys(await event.nextOf('parts')), ['actions', 'timeline', 'log'])

  await post('second')
  const changed = await polled(list.nextOf('parts'))
  assert.equal(idsIn(changed.rows ?? '').length, 2)
  assert.match(changed.chips ?? '', /Waiting <span class="count">2</)
  await handle(await connect())
  assert.match((await polled(event.nextOf('parts'))).timeline ?? '', /Attempt 1: Delivered/)

  const log = await stream('/bots/bot-1/logs/live?level=warn')
  assert.match((await log.nextOf('parts')).entries ?? '', /No log entries match this filter/)
  await provision(world, 'POST', '/v1/bots/bot-1/logs', { entries: [{ level: 'error', message: 'Lost a server' }] })
  assert.match((await polled(log.nextOf('parts'))).entries ?? '', /Lost a server/)

  await provision(world, 'DELETE', '/v1/bots/bot-1/coworkers/ed')
  const gone = Promise.all([list.nextOf('gone'), event.nextOf('gone'), log.nextOf('gone')])
  assert.deepEqual(await polled(gone), [{}, {}, {}])
  assert.equal((await ed.get(at('/bots/bot-1/deliveries/live'))).status, 404)
  const stranger = await fetch(at('/bots/bot-1/deliveries/live'), { redirect: 'manual' })
  assert.equal(stranger.status, 302, 'strangers are sent to the sign-in')
})
