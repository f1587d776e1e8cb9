import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { QueueLimits } from '../../src/domain/limits/budget.ts'
import { claimOf, greeter, guard, holder, newEvent, startMs } from '../contract/queue-scene.ts'
import { ask } from '../support/postgres/ask.ts'
import { openQueueDatabase } from '../support/postgres/queue.ts'
import { pluck } from '../support/together.ts'

const roomy: QueueLimits = { maxEventsPerBot: 1_000, maxBytesPerBot: 1e9, maxEvents: 10_000, maxBytes: 1e9 }

test('our choice: an event ID without a bot ID, as in links from earlier releases, finds the event of the requested bot', async (t) => {
  const { openNode } = await openQueueDatabase(t)
  const queue = await openNode({ limits: roomy })
  for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId, path: botId }))
  const { deliveries } = await queue.claim(claimOf({ botIds: [greeter, guard] }))
  await queue.fail(
    holder,
    deliveries.map(({ delivery }) => ({ delivery, failedAtMs: startMs, dead: true })),
  )
  const [short = ''] = (deliveries[0]?.id ?? '').split('-')
  for (const { botId, id } of deliveries) {
    assert.equal(id, `${short}-${botId}`)
    const found = await queue.log.find(botId, short)
    assert.deepEqual([found?.id, found?.path], [id, botId])
    assert.equal((await queue.replay(botId, short, startMs)).kind, 'accepted')
    assert.deepEqual((await queue.log.page(botId, { state: 'dead' }, { before: short, most: 9 })).events, [])
    assert.equal(await queue.discardDead(botId, [short]), 1)
  }
  assert.equal(await queue.log.find(greeter, `${short}-guard`), undefined)
  assert.equal(await queue.log.find(greeter, `${short}-greeter-greeter`), undefined)
})

test('our choice: after a migration from SQLite, no bot reuses the number of a copied event, even if the clock is behind', async (t) => {
  const { url, openNode } = await openQueueDatabase(t)
  await ask(url, 'INSERT INTO queue_copied VALUES (5000000000000000)')
  const queue = await openNode({ limits: roomy })
  for (const botId of [greeter, guard]) await queue.accept(newEvent({ botId }))
  const { deliveries } = await queue.claim(claimOf({ botIds: [greeter, guard] }))
  assert.deepEqual(
    pluck(deliveries, 'id'),
    [greeter, guard].map((botId) => `ev${5_000_000_000_000_001n.toString(36)}-${botId}`),
  )
})
