import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { provision } from '../support/people.ts'
import { accepted, eventsTable, openSetting, putWebhook, senderTo, storedBodies } from '../support/webhook-senders.ts'
import { hideTable, restoreTable } from '../support/world-database.ts'

const byHeader = { dedupe: { header: 'X-GitHub-Delivery', windowSeconds: 3_600 } }
const delivery = (id: string) => ({ 'X-GitHub-Delivery': id })

test('our choice: a duplicate webhook, by header or JSON pointer, gets the same 202 and creates no second event; neither a replay nor a webhook for a later flow with the same ID is a duplicate', async (t) => {
  const { world, bot, put, send, events } = await openSetting(t, byHeader)
  for (let times = 0; times < 2; times += 1) assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.equal(await events(), 1)
  const { queue, clock } = world.service
  const [original] = (await queue.log.page(bot.botId, {}, { most: 1 })).events
  for (let times = 0; times < 2; times += 1) await queue.replay(bot.botId, original?.id ?? '', clock.nowMs())
  assert.deepEqual([await send('one', delivery('a')), await events()], [accepted, 3])
  for (const headers of [delivery('b'), {}, {}]) assert.deepEqual(await send('one', headers), accepted)
  assert.equal(await events(), 6)

  await put({ dedupe: { pointer: '/event/id' } })
  for (const body of ['{"event":{"id":"1"}}', '{ "event": {"id": "1"}, "try": 2 }', '{"event":{}}', '{"event":{}}'])
    assert.deepEqual(await send(body), accepted)
  assert.equal(await events(), 9)
  await provision(world, 'DELETE', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)
  await putWebhook(world, bot, { dedupe: { pointer: '/event/id' } })
  assert.deepEqual([await send('{"event":{"id":"1"}}'), await events()], [accepted, 10])
})

test('our choice: a webhook for a later flow with the same ID is no duplicate after a restart without events either', async (t) => {
  const { world, bot, send } = await openSetting(t, byHeader)
  await send('one', delivery('a'))
  const [event] = (await world.service.queue.log.page(bot.botId, {}, { most: 1 })).events
  await provision(world, 'POST', `/v1/bots/${bot.botId}/deliveries/${event?.id}/discard`)
  await world.clock.advance(1_000)
  await world.restart()
  await provision(world, 'DELETE', `/v1/bots/${bot.botId}/flows/${bot.flowId}`)
  await putWebhook(world, bot, byHeader)
  assert.deepEqual(await senderTo(world, bot)('two', delivery('a')), accepted)
  assert.deepEqual(await storedBodies(world, bot.botId), ['two'])
})

test('our choice: the dedupe window starts with the first webhook, is not extended by duplicates, and survives a restart; a shorter one counts for webhooks accepted before the change', async (t) => {
  const { world, bot, put, events } = await openSetting(t, byHeader)
  const sendAfter = async (ms: number) => {
    await world.clock.advance(ms)
    assert.deepEqual(await senderTo(world, bot)('one', delivery('a')), accepted)
    return events()
  }
  assert.equal(await sendAfter(0), 1)
  await world.clock.advance(1_800_000)
  await world.restart()
  assert.deepEqual([await sendAfter(0), await sendAfter(1_799_999), await sendAfter(1)], [1, 1, 2])
  await put({ dedupe: { ...byHeader.dedupe, windowSeconds: 60 } })
  assert.deepEqual([await sendAfter(59_999), await sendAfter(1)], [2, 3])
})

test('our choice: marks count against the share of a bot in proportion to their window; beyond the share, duplicates are accepted', async (t) => {
  useOwnWorld(t)
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

test('our choice: a webhook that the database fails to store leaves no dedupe mark', async (t) => {
  const { world, send, events } = await openSetting(t, byHeader)
  await hideTable(world, 'queue', eventsTable)
  assert.deepEqual(await send('one', delivery('a')), [503, '{"error": "Webhook gateway unavailable."}'])
  await restoreTable(world, 'queue', eventsTable)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.deepEqual(await send('one', delivery('a')), accepted)
  assert.equal(await events(), 1)
})
