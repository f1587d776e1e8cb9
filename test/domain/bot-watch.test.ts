import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Snapshots } from '../../src/domain/bots/status/snapshots.ts'
import { parseSubscriptionId } from '../../src/domain/ids.ts'
import { createBotWatch } from '../../src/domain/subscriptions/bot-watch.ts'
import { createPublisher } from '../../src/domain/subscriptions/publisher.ts'
import { aBot, aReport, botId, userId } from '../contract/bot-stores.ts'
import { openBotStores } from '../support/adapters/open-bot-stores.ts'
import { worldStartMs } from '../support/postgres/test-database.ts'
import { ManualClock } from '../support/world.ts'

test('a bot whose heartbeat is flushed while another bot’s event is published is not reported as offline', async (t) => {
  const stores = await openBotStores(t)
  const clock = new ManualClock(worldStartMs)
  const [one, two] = [botId('one'), botId('two')]
  for (const [at, id] of [one, two].entries())
    await stores.bots.putBot(id, aBot(at, { hostingEnabled: true }), worldStartMs)
  await stores.subscriptions.add(
    {
      id: parseSubscriptionId('events')!,
      ownerId: userId('ada'),
      url: 'https://events.example/',
      types: ['bot.online', 'bot.offline'],
      format: 'standard',
      language: 'en',
      sealedSecret: new Uint8Array([1]),
    },
    { most: 9, nowMs: worldStartMs },
  )
  const snapshots = new Snapshots(stores.snapshots)
  const onFault = (error: unknown) => assert.fail(String(error))
  const published: string[] = []
  let flushesOnPublish = false
  const queue = {
    loadsFrom: async () => [],
    accept: async ({ body }: { body: Uint8Array }) => {
      const { type, data } = JSON.parse(Buffer.from(body).toString())
      published.push(`${type} ${data.botId}`)
      if (flushesOnPublish) await snapshots.flush()
      return { kind: 'accepted' } as const
    },
  }
  const publisher = createPublisher({ store: stores.subscriptions, queue, clock, onFault })
  const watch = createBotWatch({ ...stores, snapshots, queue, publisher, idKey: new Uint8Array(32), clock, onFault })
  await clock.advance(90_000)
  await watch.compare()
  for (const id of [one, two]) snapshots.record(aReport(id), clock.nowMs())
  await watch.compare()
  assert.deepEqual(published.splice(0), ['bot.online one', 'bot.online two'])

  flushesOnPublish = true
  snapshots.leave(one, clock.nowMs())
  await watch.compare()
  await watch.compare()
  assert.deepEqual(published, ['bot.offline one'])
})
