import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import type { ListeningBot } from '../support/bot-runtime.ts'
import {
  accepted,
  discardEvents,
  github,
  githubBody,
  githubHeaders,
  openSetting,
  refused,
  senderTo,
} from '../support/webhook-senders.ts'
import type { World } from '../support/world.ts'
import { hideTable, restoreTable } from '../support/world-database.ts'

async function acknowledgeOne({ service: { queue, clock } }: World, { botId }: ListeningBot): Promise<void> {
  const nowMs = clock.nowMs()
  const { deliveries } = await queue.claim({ holder: 'runtime', botIds: [botId], most: 1, mostBytes: 1_000, nowMs })
  await queue.acknowledge(
    'runtime',
    deliveries.map(({ delivery }) => delivery),
    nowMs,
  )
}

const byHeader = { dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 3_600 } }
const delivery = (id: string) => ({ 'X-GitHub-Delivery': id })

test('our choice: a duplicate webhook gets the same 202 and creates no second event', async (t) => {
  const { send, events } = await openSetting(t, byHeader)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.equal(await events(), 1)
  assert.deepEqual(await send('two', delivery('b')), accepted)
  assert.deepEqual(await send('three'), accepted)
  assert.deepEqual(await send('three'), accepted)
  assert.equal(await events(), 4)
})

test('our choice: the dedupe window starts with the first webhook, is not extended by duplicates, and survives a restart', async (t) => {
  const { world, bot, events } = await openSetting(t, byHeader)
  const send = () => senderTo(world, bot)('one', delivery('a'))
  await send()
  await world.clock.advance(1_800_000)
  await world.restart()
  await send()
  await world.clock.advance(1_799_999)
  assert.deepEqual(await send(), accepted)
  assert.equal(await events(), 1)
  await world.clock.advance(1)
  assert.deepEqual(await send(), accepted)
  assert.equal(await events(), 2)
})

test('our choice: marks count against the share of a bot in proportion to their window; beyond the share, duplicates are accepted', async (t) => {
  const { world, bot, send, events } = await openSetting(t, byHeader)
  const { burst } = limits.dedupeMarksPerBot
  const spend = (botId: BotId, marks: number) => world.service.webhooks.marks.spend(botId, marks, world.clock.nowMs())
  spend('other' as BotId, 2 * burst)
  spend(bot.botId, burst - 2)
  for (const id of ['a', 'b', 'c', 'd', 'a', 'b', 'c', 'd']) assert.deepEqual(await send('one', delivery(id)), accepted)
  assert.equal(await events(), 4)
  spend(bot.botId, burst)
  for (const id of ['e', 'e']) assert.deepEqual(await send('one', delivery(id)), accepted)
  assert.equal(await events(), 6)
})

test('our choice: a JSON pointer into the body can be the dedupe key', async (t) => {
  const { send, events } = await openSetting(t, { dedupe: { pointer: '/event/id' } })
  assert.deepEqual(await send('{"event":{"id":"evt_1"},"try":1}'), accepted)
  assert.deepEqual(await send('{ "try": 2, "event": {"id": "evt_1"} }'), accepted)
  assert.equal(await events(), 1)
  for (const body of ['{"event":{"id":"evt_2"}}', '{"event":{}}', '{"event":{}}', 'no JSON', 'no JSON']) {
    assert.deepEqual(await send(body), accepted)
  }
  assert.equal(await events(), 6)
})

test('our choice: a webhook refused because of a full queue or a wrong signature leaves no dedupe mark', async (t) => {
  const { world, bot, put, send, events } = await openSetting(t, byHeader, { QUEUE_MAX_EVENTS_PER_BOT: '1' })
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.equal((await send('two', delivery('b')))[0], 503)
  await put({ ...byHeader, signature: github })
  assert.deepEqual(await send(githubBody, delivery('b')), refused)
  await discardEvents(world, bot.botId)
  assert.equal(await events(), 0)
  assert.deepEqual(await send(githubBody, { ...githubHeaders, ...delivery('b') }), accepted)
  assert.equal(await events(), 1)
})

test('our choice: replays of an event are not treated as duplicates, even if the event is replayed twice', async (t) => {
  const { world, bot, send, events } = await openSetting(t, byHeader)
  await send('one', delivery('a'))
  const { queue, clock } = world.service
  const [original] = (await queue.log.page(bot.botId, {}, { most: 1 })).events
  for (const replays of [1, 2]) {
    const replayed = await queue.replay(bot.botId, original?.id ?? '', clock.nowMs())
    assert.equal(replayed.kind, 'replayed')
    assert.equal(await events(), 1 + replays)
  }
  assert.deepEqual([await send('one', delivery('a')), await events()], [accepted, 3])
})

const full = '{"error": "Webhook gateway unavailable."}'

for (const [which, env] of [
  ['a bot', { QUEUE_MAX_EVENTS_PER_BOT: '1' }],
  ['all bots', { QUEUE_MAX_EVENTS: '1' }],
] as const) {
  test(`our choice: if the queue of ${which} has room for one event, fifty concurrent duplicates each get 202 or 503, and a retry gets 202 once there is room`, async (t) => {
    const { world, bot, send, events } = await openSetting(t, byHeader, env)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
    assert.deepEqual(
      new Set(answers.map(([status, body]) => `${status} ${body}`)),
      new Set([accepted.join(' '), `503 ${full}`]),
    )
    assert.equal(await events(), 1)
    // A full queue refuses duplicates too.
    assert.deepEqual(await send('one', delivery('a')), [503, full])
    await acknowledgeOne(world, bot)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.deepEqual(await send('two', delivery('b')), accepted)
    assert.equal(await events(), 2)
  })
}

test('our choice: a webhook that the database fails to store leaves no dedupe mark', async (t) => {
  const { world, send, events } = await openSetting(t, byHeader)
  const table = world.databaseUrl === undefined ? 'events' : 'queue_events'
  await hideTable(world, 'queue', table)
  assert.deepEqual(await send('one', delivery('a')), [503, full])
  await restoreTable(world, 'queue', table)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.equal(await events(), 1)
})
