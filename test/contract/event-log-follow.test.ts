import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryQueue } from '../../src/domain/webhooks/delivery-queue.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { claimOf, greeter, guard, holder, newEvent, startMs } from './queue-scene.ts'

onEachQueue('EventLog.follow', (open) => {
  test('follow returns each new event of the bot once, in order of acceptance, whatever the event’s state', async (t) => {
    const { queue } = await open(t)
    await queue.accept(newEvent({ path: 'before' }))
    let { events, cursor } = await queue.log.follow(greeter, undefined, 9)
    assert.deepEqual(events, [])
    const read = async (most: number) => {
      ;({ events, cursor } = await queue.log.follow(greeter, cursor, most))
      return events.map(({ path }) => path)
    }
    assert.deepEqual(await read(9), [])
    for (const path of ['1', '2', '3', '4']) {
      await queue.accept(newEvent({ path }))
      await queue.accept(newEvent({ path: 'of another', botId: guard }))
    }
    await queue.acknowledge(holder, [await claimOne(queue, startMs), await claimOne(queue, startMs)], startMs)
    await queue.fail(holder, [{ delivery: await claimOne(queue, startMs), failedAtMs: startMs, dead: true }])
    const claiming = claimOne(queue, startMs)
    assert.deepEqual(await read(2), ['1', '2'])
    assert.deepEqual(await read(2), ['3', '4'], 'includes an event whose lease is being written')
    await claiming
    assert.deepEqual(await read(2), [])
    await queue.accept(newEvent({ path: 'of another', botId: guard }))
    assert.deepEqual(await read(2), [])
    await Promise.all(['5', '6', '7'].map((path) => queue.accept(newEvent({ path }))))
    assert.deepEqual(await read(9), ['5', '6', '7'])
  })
})

async function claimOne(queue: DeliveryQueue, nowMs: number): Promise<string> {
  const { deliveries } = await queue.claim(claimOf({ most: 1, nowMs }))
  return deliveries[0]?.delivery ?? assert.fail('nothing to claim')
}
