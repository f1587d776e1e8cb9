import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ListeningBot, provisionListeningBot } from '../support/listening-bot.ts'
import {
  accepted,
  discardEvents,
  github,
  githubBody,
  githubHeaders,
  openSetting,
  putWebhook,
  refused,
  senderTo,
} from '../support/webhook-senders.ts'
import type { World } from '../support/world.ts'
import { giveTableBack, loseTable } from '../support/world-database.ts'

/** Takes an event of the bot and acknowledges it, as a runtime does. */
async function workOff({ service: { queue, clock } }: World, { botId }: ListeningBot): Promise<void> {
  const nowMs = clock.nowMs()
  const { deliveries } = await queue.claim({ holder: 'runtime', botIds: [botId], most: 1, mostBytes: 1_000, nowMs })
  await queue.acknowledge(
    'runtime',
    deliveries.map(({ delivery }) => delivery),
    nowMs,
  )
}

describe('Dedupe at the webhook gateway', () => {
  const byHeader = { dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 3_600 } }
  const delivery = (id: string) => ({ 'X-GitHub-Delivery': id })

  test('our choice: a repetition gets the same 202 and is no second event', async (t) => {
    const { send, events } = await openSetting(t, byHeader)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
    assert.deepEqual(await send('two', delivery('b')), accepted)
    assert.deepEqual(await send('three'), accepted)
    assert.deepEqual(await send('three'), accepted)
    assert.equal(await events(), 4)
  })

  test('our choice: of fifty at once one is an event', async (t) => {
    const { send, events } = await openSetting(t, byHeader)
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
    for (const answer of answers) assert.deepEqual(answer, accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: the window begins with the first one and is not lengthened; a restart forgets nothing', async (t) => {
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

  test('our choice: by a JSON pointer into the body, which reaches the queue as it came', async (t) => {
    const { send, events } = await openSetting(t, { dedupe: { pointer: '/event/id' } })
    assert.deepEqual(await send('{"event":{"id":"evt_1"},"try":1}'), accepted)
    assert.deepEqual(await send('{ "try": 2, "event": {"id": "evt_1"} }'), accepted)
    assert.equal(await events(), 1)
    for (const body of ['{"event":{"id":"evt_2"}}', '{"event":{}}', '{"event":{}}', 'no JSON', 'no JSON']) {
      assert.deepEqual(await send(body), accepted)
    }
    assert.equal(await events(), 6)
  })

  test('our choice: what is refused leaves no mark: not a full queue, not a wrong signature', async (t) => {
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

  test('our choice: a replay is never taken for a repetition, nor are two of the same event', async (t) => {
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
    test(`our choice: of fifty at once in a queue of ${which} with room for one, each is 202 or 503, and who repeats has 202 in the end`, async (t) => {
      const { world, bot, send, events } = await openSetting(t, byHeader, env)
      const answers = await Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
      assert.deepEqual(
        new Set(answers.map(([status, body]) => `${status} ${body}`)),
        new Set([accepted.join(' '), `503 ${full}`]),
      )
      assert.equal(await events(), 1)
      // For a full queue a repetition is as any other.
      assert.deepEqual(await send('one', delivery('a')), [503, full])
      await workOff(world, bot)
      assert.deepEqual(await send('one', delivery('a')), accepted)
      assert.deepEqual(await send('two', delivery('b')), accepted)
      assert.equal(await events(), 2)
    })
  }

  test('our choice: what the database does not take leaves no mark', async (t) => {
    const { world, send, events } = await openSetting(t, byHeader)
    const table = world.databaseUrl === undefined ? 'events' : 'queue_events'
    await loseTable(world, 'queue', table)
    assert.deepEqual(await send('one', delivery('a')), [503, full])
    await giveTableBack(world, 'queue', table)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: after the window the same fifty at once are one more event', async (t) => {
    const { world, send, events } = await openSetting(t, byHeader)
    const fifty = () => Promise.all(Array.from({ length: 50 }, () => send('one', delivery('a'))))
    await fifty()
    await world.clock.advance(3_600_000)
    for (const answer of await fifty()) assert.deepEqual(answer, accepted)
    assert.equal(await events(), 2)
  })

  test('our choice: another bot of the same id, made later, begins without marks', async (t) => {
    const { world, bot, send, events } = await openSetting(t, byHeader)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    await world.service.bots.records.remove(bot.botId)
    await provisionListeningBot(world.service)
    assert.equal((await putWebhook(world, bot, byHeader)).status, 200)
    assert.equal(await events(), 0)
    assert.deepEqual(await send('one', delivery('a')), accepted)
    assert.equal(await events(), 1)
  })

  test('our choice: marks of which the time is over are removed', async (t) => {
    const { world, send } = await openSetting(t, byHeader)
    for (const id of ['a', 'b', 'c']) await send('one', delivery(id))
    const { queue, clock } = world.service
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_599_999, 100), 0)
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_600_000, 2), 2)
    assert.equal(await queue.pruneMarks(clock.nowMs() + 3_600_000, 2), 1)
  })
})
