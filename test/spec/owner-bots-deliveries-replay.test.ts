import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsIn, withQueue } from '../support/bot-deliveries.ts'
import { untilStored } from '../support/bot-runtime.ts'
import { Browser, send, visibleWordsIn } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

async function audited({ service }: World) {
  const events = (await service.audit.after(0, 1_000)).filter(({ kind }) => kind.startsWith('events-'))
  return events.map(({ kind, actor, userId, botId, address, detail }) => [kind, actor, userId, botId, address, detail])
}

test('our choice: owner and editor can replay an event and, after a confirmation, discard a dead letter; both are audited once', async (t) => {
  const { world, as, at, connect, deadLetter } = await withQueue(t)
  const runtime = await connect()
  const id = await deadLetter(runtime, 'again')
  const ed = await as('ed')
  const replayed = await ed.submitAt(at(`/bots/bot-1/deliveries/${id}`), {}, '/replay')
  assert.equal(replayed.status, 303)
  const again = await runtime.next('dispatch')
  assert.deepEqual([again.replayOf, Buffer.from(again.body, 'base64').toString()], [id, 'again'])
  assert.match(
    (await ed.onward(replayed, world)).text,
    new RegExp(`Replay of</dt><dd><a href="/bots/bot-1/deliveries/${id}"`),
  )

  const asked = await ed.get(at(`/bots/bot-1/deliveries/${id}/discard`))
  assert.match(asked.text, /This can’t be undone/)
  const discarded = await ed.submit(asked, {}, '/discard')
  assert.equal(discarded.location?.search, '?state=dead')
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${id}`))).status, 404)
  assert.equal((await send(ed, world, `/bots/bot-1/deliveries/${id}/discard`, {})).status, 404)
  const alive = await send(ed, world, `/bots/bot-1/deliveries/${again.id}/discard`, {})
  assert.equal(alive.status, 422)
  assert.match(alive.text, /A runtime is processing this webhook/)
  assert.deepEqual(await audited(world), [
    ['events-replayed', 'user', 'ed', 'bot-1', '127.0.0.1', { events: '1', event: id }],
    ['events-discarded', 'user', 'ed', 'bot-1', '127.0.0.1', { events: '1', event: id }],
  ])
})

test('our choice: a strictly ordered event shows which event it waits for; retrying or discarding that event lets the next event proceed', async (t) => {
  const { world, as, at, post, connect } = await withQueue(t)
  const runtime = await connect()
  for (const body of ['head', 'second', 'third']) await post(body, 'line')
  const head = await runtime.next('dispatch')
  const ed = await as('ed')
  const opened = async (id: string) => (await ed.get(at(`/bots/bot-1/deliveries/${id}`))).text
  const listed = new Set(idsIn((await ed.get(at('/bots/bot-1/deliveries'))).text))
  const [, second = ''] = [...listed].filter((id) => id !== head.id)
  const link = `<a href="/bots/bot-1/deliveries/${head.id}"><code>${head.id}</code></a>`
  assert.ok((await opened(second)).includes(`<p>Waiting for ${link}, which is being processed</p>`))
  runtime.send({ type: 'nack', delivery: head.delivery, error: 'no' })
  await untilStored(world, 'bot-1', head.id)
  const failing = `Waiting for ${link}, which failed once; next attempt <time`
  const waiting = await opened(second)
  assert.ok(waiting.includes(failing), waiting)
  assert.equal(
    (await ed.get(at('/bots/bot-1/deliveries'))).text.split(failing).length,
    3,
    'the second and the third event show it',
  )
  assert.match(
    (await (await as('vi')).get(at('/bots/bot-1/deliveries'))).text,
    /Waiting for an earlier webhook, which failed once; next attempt <time/,
  )
  const german = new Browser(ed.cookies(), { 'accept-language': 'de' })
  assert.match(
    (await german.get(at(`/bots/bot-1/deliveries/${second}`))).text,
    /Wartet auf Webhook <a [^>]*><code>ev[^<]*<\/code><\/a>, der einmal fehlgeschlagen ist; nächster Versuch <time/,
  )

  // Only the first event in the queue can be delivered now.
  assert.doesNotMatch(waiting, /Try now/)
  const behind = await send(ed, world, `/bots/bot-1/deliveries/${second}/try-now`, {})
  assert.equal(behind.status, 422)
  assert.match(behind.text, /an earlier webhook comes first/)
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
  for (const answer of [
    await send(ed, world, `/bots/bot-1/deliveries/${head.id}/discard`, {}),
    await ed.get(at(`/bots/bot-1/deliveries/${head.id}/discard`)),
  ]) {
    assert.equal(answer.status, 422)
    assert.match(answer.text, /A runtime is processing this webhook, so you can’t discard it now/)
  }
  runtime.send({ type: 'nack', delivery: again.delivery, error: 'no' })
  await untilStored(world, 'bot-1', head.id)

  const asked = await ed.get(at(`/bots/bot-1/deliveries/${head.id}/discard`))
  assert.match(
    asked.text,
    /Discard this waiting webhook\?.*never delivered.*Later webhooks are still delivered.*>Discard<\/button>/s,
  )
  const discarded = await ed.submit(asked, {}, '/discard')
  assert.deepEqual([discarded.status, discarded.location?.search], [303, '?state=ready'])
  const next = await runtime.next('dispatch')
  assert.deepEqual([next.id, Buffer.from(next.body, 'base64').toString()], [second, 'second'])
  assert.match((await ed.onward(discarded, world)).text, /Webhook discarded\./)
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${head.id}`))).status, 404)
  runtime.send({ type: 'ack', deliveries: [next.delivery] })
  const third = await runtime.next('dispatch')
  assert.equal(Buffer.from(third.body, 'base64').toString(), 'third')
  runtime.send({ type: 'ack', deliveries: [third.delivery] })
  await untilStored(world, 'bot-1', third.id)
  const finished = await send(ed, world, `/bots/bot-1/deliveries/${third.id}/try-now`, {})
  assert.equal(finished.status, 422)
  assert.match(finished.text, /is no longer waiting/)
  assert.equal((await ed.get(at(`/bots/bot-1/deliveries/${third.id}/discard`))).status, 422)

  assert.deepEqual(await audited(world), [
    ['events-tried-now', 'user', 'ed', 'bot-1', '127.0.0.1', { events: '1', event: head.id }],
    ['events-discarded', 'user', 'ed', 'bot-1', '127.0.0.1', { events: '1', event: head.id }],
  ])
  assert.match(
    visibleWordsIn(await ed.get(at('/account/activity'))),
    /You requested immediate delivery of a webhook for bot Weather/,
  )
})

test('our choice: owner and editor can discard a webhook that no runtime has leased yet, and no runtime receives it', async (t) => {
  const { world, as, at, post, connect } = await withQueue(t)
  await post('unwanted')
  await post('wanted')
  const ada = await as('ada')
  const [wanted = '', unwanted = ''] = idsIn((await ada.get(at('/bots/bot-1/deliveries'))).text)
  const page = await ada.get(at(`/bots/bot-1/deliveries/${unwanted}`))
  assert.match(page.text, />Try now<\/button>.*>Discard<\/button>.*Waiting for a runtime/s)
  const tried = await ada.submit(page, {}, '/try-now')
  assert.equal(tried.status, 303, 'no effect on an event that is already due')
  const asked = await ada.get(at(`/bots/bot-1/deliveries/${unwanted}/discard`))
  assert.doesNotMatch(asked.text, /Later webhooks are still delivered/)
  assert.equal((await ada.submit(asked, {}, '/discard')).status, 303)
  assert.equal((await ada.submit(asked, {}, '/discard')).status, 404, 'the form was already sent')
  assert.equal((await ada.get(at(`/bots/bot-1/deliveries/${unwanted}/discard`))).status, 404)
  assert.equal((await send(ada, world, `/bots/bot-1/deliveries/${unwanted}/try-now`, {})).status, 404)
  const runtime = await connect()
  assert.equal((await runtime.next('dispatch')).id, wanted)
  assert.deepEqual(pluck(await audited(world), 0), ['events-discarded'])
})

test('our choice: all dead letters of a bot or flow, if it has any, can be replayed or discarded in one step, which is audited unless it has no effect', async (t) => {
  const { world, as, at, post, connect, deadLetter } = await withQueue(t)
  const browser = await as('ada')
  const offers = async (query = '') =>
    (await browser.get(at(`/bots/bot-1/deliveries${query}`))).text.includes('Discard all')
  const runtime = await connect()
  await post('done', 'line')
  runtime.send({ type: 'ack', deliveries: [(await runtime.next('dispatch')).delivery] })
  assert.equal(await offers(), false)
  for (const path of ['orders', 'orders', 'other']) await deadLetter(runtime, path, path)
  await runtime.crash()
  // Longer than the chart shows. The bulk request includes only events accepted before it.
  await world.clock.advance(25 * 3_600_000)
  assert.deepEqual([await offers(), await offers('?flow=orders'), await offers('?flow=line')], [true, true, false])
  const page = await browser.get(at('/bots/bot-1/dead-letters/replay?flow=orders'))
  assert.match(page.text, /Replay 2 dead letters for Orders\?/)
  const replayed = await browser.submit(page, {}, '/dead-letters/replay')
  assert.match(replayed.text, /2 dead letters replayed\./)
  const bodies = (await (await connect()).deliveries(2)).map(({ body }) => Buffer.from(body, 'base64').toString())
  assert.deepEqual(bodies, ['orders', 'orders'])
  assert.match((await browser.submit(page, {}, '/dead-letters/replay')).text, /0 dead letters replayed\./)
  const discard = await browser.get(at('/bots/bot-1/dead-letters/discard'))
  assert.match(discard.text, /You can no longer replay them/)
  assert.match((await browser.submit(discard, {}, '/dead-letters/discard')).text, /3 dead letters discarded\./)
  const nothing = await browser.get(at('/bots/bot-1/dead-letters/replay'))
  assert.equal(nothing.location?.search, '?state=dead', 'nothing to replay')
  assert.match((await browser.get(at('/bots/bot-1/deliveries?state=dead'))).text, /No webhooks match this filter/)
  assert.deepEqual(await audited(world), [
    ['events-replayed', 'user', 'ada', 'bot-1', '127.0.0.1', { events: '2', flow: 'orders' }],
    ['events-discarded', 'user', 'ada', 'bot-1', '127.0.0.1', { events: '3' }],
  ])
  const activity = await browser.get(at('/account/activity'))
  assert.match(visibleWordsIn(activity), /You discarded 3 webhooks for bot Weather/)
  assert.match(visibleWordsIn(activity), /You replayed 2 webhooks for bot Weather/)
})
