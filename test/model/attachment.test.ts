import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import { Attachment } from '../../src/domain/webhooks/attachment.ts'
import type { Delivery, DeliveryLeases } from '../../src/domain/webhooks/delivery-queue.ts'
import { budget } from '../support/budget.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

test('a runtime that acknowledges everything gets all events, even if claims for some of its bots fail', async () => {
  const bots = fc.array(fc.record({ events: fc.integer({ min: 1, max: 4 }), fault: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(bots, fc.integer({ min: 1, max: 6 }), async (given, window) => {
      const waiting = new Map(given.map(({ events, fault }, at) => [`bot-${at}` as BotId, { events, fault }]))
      const delivered: Delivery[] = []
      const claim: DeliveryLeases['claim'] = async ({ botIds, most }) => {
        await tick()
        if (most <= 0) return { deliveries: [], more: [] }
        if (botIds.some((botId) => waiting.get(botId)?.fault)) throw new Error('one of them is at fault')
        const deliveries: Delivery[] = []
        const more: BotId[] = []
        for (const botId of botIds) {
          const bot = waiting.get(botId)
          for (; bot && bot.events > 0 && deliveries.length < most; bot.events -= 1) {
            deliveries.push({ botId, delivery: `${botId}-${bot.events}` } as Delivery)
          }
          if (bot && bot.events > 0) more.push(botId)
        }
        return { deliveries, more }
      }
      const queue = { claim, acknowledge: async () => {} } as unknown as DeliveryLeases
      const attachment = new Attachment({
        receiver: {
          holder: 'runtime/one',
          deliver: (delivery) => delivered.push(delivery),
          room: (most) => most,
          evicted: () => {},
        },
        queue,
        clock: { nowMs: () => 0, every: () => () => {} },
        onFault: () => {},
      })
      for (const botId of waiting.keys()) {
        attachment.add(botId)
        attachment.wake(botId)
      }
      attachment.setWindow(window)
      attachment.open([])
      let acknowledged = 0
      for (let turn = 0; turn < 200; turn += 1) {
        await tick()
        attachment.acknowledge(delivered.slice(acknowledged).map(({ delivery }) => delivery))
        acknowledged = delivered.length
        // The runtime's session calls this when its connection can accept more data again.
        if (turn % 10 === 9) attachment.pump()
      }
      const left = [...waiting.values()].filter(({ events, fault }) => events > 0 && !fault)
      assert.deepEqual(left, [])
    }),
    { seed: 20_261_123, numRuns: 60 * budget, endOnFailure: true },
  )
})
