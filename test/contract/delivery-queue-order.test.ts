import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import type { DeliveryQueue } from '../../src/domain/webhooks/delivery-queue.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { greeter, holder, inLine, lineInOrder, startMs } from './queue-scene.ts'
import { claim, pruneAll, roomy } from './queue-under-test.ts'

onEachQueue('DeliveryQueue, strict order', (open) => {
  const pathsOf = (deliveries: readonly { path: string }[]) => deliveries.map(({ path }) => path)

  test('an event that becomes a dead letter unblocks its flow, whether it was rejected or expired', async (t) => {
    const { queue } = await open(t)
    for (const path of ['refused', 'expired', 'free']) {
      await queue.accept(inLine(path, { acceptedAtMs: path === 'free' ? startMs + 1 : startMs }))
    }
    const [refused] = await claim(queue)
    await queue.fail(holder, [{ delivery: refused?.delivery ?? '', failedAtMs: startMs, dead: true }])
    await pruneAll(queue, startMs + limits.eventAgeLimitMs)
    assert.deepEqual(pathsOf(await claim(queue, { nowMs: startMs + limits.eventAgeLimitMs })), ['free'])
  })

  /** Accepts `poison`, `b` and `c`, and lets the first attempt of `poison` fail. It is due again in an hour. */
  async function poisoned(queue: DeliveryQueue, ordered: boolean): Promise<void> {
    await queue.accept(inLine('poison', { ordered }))
    const [poison] = await claim(queue)
    await queue.fail(holder, [{ delivery: poison?.delivery ?? '', failedAtMs: startMs, retryMs: 3_600_000 }])
    for (const path of ['b', 'c']) await queue.accept(inLine(path, { ordered }))
  }

  test('when strict order is switched off, waiting events become due in the order accepted, before later ones', async (t) => {
    for (const applied of [true, false]) {
      const { queue, setStrict } = await open(t)
      await poisoned(queue, true)
      assert.deepEqual(await claim(queue), [])
      await setStrict([])
      if (applied) await queue.applyFlowSettings(greeter)
      await queue.accept(inLine('d', { ordered: false }))
      assert.deepEqual(pathsOf(await claim(queue, { most: 1 })), ['b'])
      assert.deepEqual(pathsOf(await claim(queue)), ['c', 'd'])
      assert.deepEqual(pathsOf(await claim(queue, { nowMs: startMs + 3_600_000 })), ['poison'])
    }
  })

  test('thousands of waiting events are released and held back again', async (t) => {
    const { queue, setStrict } = await open(t, { ...roomy, maxEventsPerBot: 5_000, maxEvents: 5_000 })
    for (let n = 0; n < 9; n += 1) await Promise.all(Array.from({ length: 500 }, () => queue.accept(inLine('waiting'))))
    await setStrict([])
    await queue.applyFlowSettings(greeter)
    assert.equal((await claim(queue, { most: 100 })).length, 100)
    await setStrict([lineInOrder])
    await queue.applyFlowSettings(greeter)
    assert.deepEqual(await claim(queue, { most: 100 }), [])
  })

  test('a released event stays first in its flow, and a replay goes last', async (t) => {
    const { queue } = await open(t)
    for (const path of ['one', 'two']) await queue.accept(inLine(path))
    const [one] = await claim(queue)
    await queue.replay(greeter, one?.id ?? '', startMs)
    await queue.release(holder, [one?.delivery ?? ''])
    const order: [string, boolean][] = []
    for (let n = 0; n < 3; n += 1) {
      const [next] = await claim(queue)
      order.push([next?.path ?? '', next?.replayOf !== undefined])
      await queue.acknowledge(holder, [next?.delivery ?? ''], startMs)
    }
    assert.deepEqual(order, [
      ['one', false],
      ['two', false],
      ['one', true],
    ])
  })
})
