import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audited, onBot } from '../support/audit.ts'
import { idsIn, withQueue } from '../support/bot-deliveries.ts'
import { untilStored } from '../support/bot-runtime.ts'
import { assertShows, send, textIn, unescapeHtml, visibleWordsIn } from '../support/people.ts'

test('our choice: owner and editor can replay an event and, after a confirmation, discard a dead letter; both are audited once', async (t) => {
  const { world, as, at, connect, deadLetter } = await withQueue(t)
  const runtime = await connect()
  const id = await deadLetter(runtime, 'again')
  const ed = await as('ed')
  const replayed = await ed.submitAt(at(`/bots/bot-1/deliveries/${id}`), {}, '/replay')
  assert.equal(replayed.status, 303)
  const again = await runtime.next('dispatch')
  assert.deepEqual([again.replayOf, Buffer.from(again.body, 'base64').toString()], [id, 'again'])
  const link = `Replay of</dt><dd><a href="/bots/bot-1/deliveries/${id}"`
  assert.ok((await ed.onward(replayed, world)).text.includes(link))

  const asked = await ed.get(at(`/bots/bot-1/deliveries/${id}/discard`))
  assert.match(asked.text, /This can’t be undone/)
  const discarded = await ed.submit(asked, {}, '/discard')
  assert.equal(discarded.location?.search, '?state=dead')
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${id}`))).status, 404)
  assert.equal((await send(ed, world, `/bots/bot-1/deliveries/${id}/discard`, {})).status, 404)
  const alive = await send(ed, world, `/bots/bot-1/deliveries/${again.id}/discard`, {})
  assertShows(alive, 422, /A runtime is processing this webhook/)
  assert.deepEqual(await audited(world, /^events-/), [
    { kind: 'events-replayed', ...onBot('ed'), detail: { events: '1', event: id } },
    { kind: 'events-discarded', ...onBot('ed'), detail: { events: '1', event: id } },
  ])
})

test('our choice: a strictly ordered event shows which event it waits for; retrying or discarding that event lets the next event proceed', async (t) => {
  const { world, as, at, post, connect, handle } = await withQueue(t)
  const runtime = await connect()
  for (const body of ['head', 'second', 'third']) await post(body, 'line')
  const ed = await as('ed')
  const head = await runtime.next('dispatch')
  const opened = async (id: string) => (await ed.get(at(`/bots/bot-1/deliveries/${id}`))).text
  const list = async (name: 'ed' | 'vi') => (await (await as(name)).get(at('/bots/bot-1/deliveries'))).text
  const listed = new Set(idsIn(await list('ed')))
  const [, second = ''] = [...listed].filter((id) => id !== head.id)
  const link = `<a href="/bots/bot-1/deliveries/${head.id}"><code>${head.id}</code></a>`
  assert.ok((await opened(second)).includes(`<p>Waiting for ${link}, which is being processed</p>`))
  runtime.send({ type: 'nack', delivery: head.delivery, error: 'no' })
  await untilStored(world, 'bot-1', head.id)
  const failing = `Waiting for ${link}, which failed once; next attempt <time`
  const waiting = await opened(second)
  assert.ok(waiting.includes(failing), waiting)
  assert.equal((await list('ed')).split(failing).length, 3, 'the second and the third event show it')
  assert.match(await list('vi'), /Waiting for an earlier webhook, which failed once; next attempt <time/)

  // Only the first event in the queue can be delivered now.
  assert.doesNotMatch(waiting, /Try now/)
  const behind = await send(ed, world, `/bots/bot-1/deliveries/${second}/try-now`, {})
  assertShows(behind, 422, /an earlier webhook comes first/)
  const tried = await ed.submitAt(at(`/bots/bot-1/deliveries/${head.id}`), {}, '/try-now')
  assert.deepEqual([tried.status, tried.location?.href], [303, at(`/bots/bot-1/deliveries/${head.id}`)])
  const again = await runtime.next('dispatch')
  assert.deepEqual([again.id, again.attempt], [head.id, 2])
  assert.match((await ed.onward(tried, world)).text, /The webhook will go to the next free runtime\./)

  // While a runtime holds the lease, the event can be neither tried now nor discarded.
  const underWay = await opened(head.id)
  assert.doesNotMatch(underWay, /Try now|Discard|Replay/)
  const pressed = await send(ed, world, `/bots/bot-1/deliveries/${head.id}/try-now`, {})
  assert.equal(pressed.status, 303)
  assert.doesNotMatch((await ed.onward(pressed, world)).text, /due now/)
  const processing = await ed.get(at(`/bots/bot-1/deliveries/${head.id}/discard`))
  assertShows(processing, 422, /A runtime is processing this webhook, so you can’t discard it now/)
  runtime.send({ type: 'nack', delivery: again.delivery, error: 'no' })
  await untilStored(world, 'bot-1', head.id)

  const asked = await ed.get(at(`/bots/bot-1/deliveries/${head.id}/discard`))
  const discards =
    /Discard this waiting webhook\?.*never delivered.*Later webhooks are still delivered.*>Discard<\/button>/s
  assert.match(asked.text, discards)
  const discarded = await ed.submit(asked, {}, '/discard')
  assert.deepEqual([discarded.status, discarded.location?.search], [303, '?state=ready'])
  const next = await handle(runtime)
  assert.deepEqual([next.id, Buffer.from(next.body, 'base64').toString()], [second, 'second'])
  assert.match((await ed.onward(discarded, world)).text, /Webhook discarded\./)
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${head.id}`))).status, 404)
  const finished = await send(ed, world, `/bots/bot-1/deliveries/${next.id}/try-now`, {})
  assertShows(finished, 422, /is no longer waiting/)
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${next.id}/discard`))).status, 422)

  assert.deepEqual(await audited(world, /^events-/), [
    { kind: 'events-tried-now', ...onBot('ed'), detail: { events: '1', event: head.id } },
    { kind: 'events-discarded', ...onBot('ed'), detail: { events: '1', event: head.id } },
  ])
  const activity = visibleWordsIn(await ed.get(at('/account/activity')))
  assert.match(activity, /You requested immediate delivery of a webhook for bot Weather/)
})

test('our choice: all dead letters, those of a flow, and those of a cause are listed, replayed and discarded with their number, unless they arrive while the page asks', async (t) => {
  const { world, ada, as, at, post, connect, deadLetter } = await withQueue(t)
  const runtime = await connect()
  const error = 'No channel\n  at announce'
  for (const body of ['a', 'b']) await deadLetter(runtime, body, 'orders', error)
  await deadLetter(runtime, 'c', 'other', error)
  await deadLetter(runtime, 'd')
  await runtime.crash()
  // Longer than the chart shows.
  const time = world.clock.iso().slice(0, 19).replace('T', ' ')
  await world.clock.advance(25 * 3_600_000)
  const page = async (query: string) => (await ada.get(at(`/bots/bot-1/deliveries${query}`))).text
  const groups = (text: string) =>
    [...text.matchAll(/<li><div class="head">.*?<\/li>/gs)].map(([group]) => unescapeHtml(textIn(group)))
  const all = await page('')
  assert.deepEqual(groups(all), [
    `No channel at announce 3 times last ${time} Replay 3 No channel at announce`,
    `No such <order> Once last ${time} Replay 1 No such <order>`,
  ])
  assert.match(all, /for 30 days\.<.*Replay all 4<.*Discard all 4</)
  for (const query of ['?state=done', '?flow=line']) assert.doesNotMatch(await page(query), /Discard all|"failures/)
  const [, cause = ''] = /deliveries\?cause=(\w+)/.exec(unescapeHtml(all)) ?? assert.fail('no link to a cause')
  const ofCause = await page(`?cause=${cause}&flow=orders`)
  assert.equal(groups(ofCause).length, 1)
  const listed = idsIn(ofCause.slice(ofCause.indexOf('<tbody')))
  assert.equal(listed.length, 2)
  assert.match(await page(`/${listed[1]}?cause=${cause}&flow=orders`), />Newer</)

  const asked = await ada.get(at(`/bots/bot-1/dead-letters/replay?cause=${cause}&flow=orders`))
  assert.match(asked.text, /<h1>Replay 2 dead letters for Orders\?<\/h1>/)
  assert.match(asked.text, /Only those with this cause: No channel/)
  assert.match((await ada.submit(asked, {}, '/dead-letters/replay')).text, /2 dead letters replayed\./)
  const later = await connect()
  const bodies = (await later.deliveries(2)).map(({ body }) => Buffer.from(body, 'base64').toString())
  assert.deepEqual(bodies, ['a', 'b'])
  assert.match((await ada.submit(asked, {}, '/dead-letters/replay')).text, /0 dead letters replayed\./)
  const dead = await page('?state=dead')
  assert.match(groups(dead)[0] ?? '', /3 times .* Replay 1 /)
  assert.match(dead, /2 already replayed\.<.*Replay all 2<.*Discard all 4</)
  const discard = await ada.get(at(`/bots/bot-1/dead-letters/discard?cause=${cause}`))
  assert.match(discard.text, /<h1>Discard 3 dead letters for Weather\?<\/h1>.*You can no longer replay them/s)
  assert.match((await ada.submit(discard, {}, '/dead-letters/discard')).text, /3 dead letters discarded\./)
  assert.equal(groups(await page('')).length, 1)
  assert.doesNotMatch((await (await as('vi')).get(at('/bots/bot-1/deliveries'))).text, /Replay 1|Discard all/)
  for (const path of ['deliveries?cause=none', `dead-letters/replay?cause=${cause}x`]) {
    assert.equal((await ada.get(at(`/bots/bot-1/${path}`))).status, 404, path)
  }
  const nothing = await ada.get(at('/bots/bot-1/dead-letters/replay?flow=line'))
  assert.equal(nothing.location?.search, '?state=dead&flow=line', 'nothing to replay')

  await post('accepted before, dead after')
  const late = await later.next('dispatch')
  await world.clock.advance(1)
  const rest = await ada.get(at('/bots/bot-1/dead-letters/discard'))
  assert.match(rest.text, /Discard 1 dead letter for Weather/)
  await world.clock.advance(1_000)
  later.send({ type: 'nack', delivery: late.delivery, dead: true })
  await deadLetter(later, 'after')
  assert.match((await ada.submit(rest, {}, '/dead-letters/discard')).text, /1 dead letter discarded\./)
  assert.match(await page('?state=dead'), /Discard all 2</)

  assert.deepEqual(await audited(world, /^events-/), [
    { kind: 'events-replayed', ...onBot('ada'), detail: { events: '2', flow: 'orders' } },
    { kind: 'events-discarded', ...onBot('ada'), detail: { events: '3' } },
    { kind: 'events-discarded', ...onBot('ada'), detail: { events: '1' } },
  ])
  const activity = visibleWordsIn(await ada.get(at('/account/activity')))
  assert.match(activity, /You discarded 3 webhooks for bot Weather.*You replayed 2 webhooks for bot Weather/)
})
