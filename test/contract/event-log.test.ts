import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BotId } from '../../src/domain/ids-and-secrets.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { onEachQueue } from '../support/adapters/queue-engines.ts'
import { pluck } from '../support/together.ts'
import { claim, claimOne, greeter, holder, newEvent, orders, startMs } from './queue-scene.ts'

onEachQueue('EventLog', (open) => {
  test('an event is listed, followed and counted once at any moment, also while a lease, an outcome or its expiry is being written', async (t) => {
    const { queue } = await open(t)
    const { cursor } = await queue.log.follow(greeter, undefined, 9)
    /** Asserts until the change has finished that the log has the bot's only event once. */
    async function during<T>(change: Promise<T>): Promise<T> {
      let isRunning = true
      const changed = change.finally(() => {
        isRunning = false
      })
      do {
        const { events } = await queue.log.page(greeter, {}, { most: 9 })
        const { events: followed } = await queue.log.follow(greeter, cursor, 9)
        const counts = Object.values(await queue.log.countStates(greeter, {}, 9))
        const counted = counts.reduce((sum, { events }) => sum + events, 0)
        assert.deepEqual([events.length, followed.length, counted], [1, 1, 1])
        await new Promise((resolve) => setImmediate(resolve))
      } while (isRunning)
      return changed
    }
    const claimNext = async (nowMs: number) => (await during(claim(queue, { nowMs })))[0]?.delivery ?? ''
    await queue.accept(newEvent())
    const failure = { delivery: await claimNext(startMs), failedAtMs: startMs, error: 'not now' }
    await during(queue.fail(holder, [failure]))
    await during(queue.release(holder, [await claimNext(startMs + 5_000)]))
    await during(queue.acknowledge(holder, [await claimNext(startMs + 5_000)], startMs + 5_000))
    await queue.discard(greeter, await queue.lastAccepted(greeter), 'keep')
    await queue.accept(newEvent())
    await during(queue.prune(startMs + 24 * 3_600_000, 100))
    assert.equal((await queue.log.countStates(greeter, {}, 9)).dead.events, 1)
  })

  test('counts of states and of causes examine a limited number of events, and say when there may be more', async (t) => {
    const { queue } = await open(t)
    for (const error of ['first', 'second']) {
      await queue.fail(holder, [{ delivery: await claimOne(queue), failedAtMs: startMs, error, dead: true }])
    }
    for (let n = 0; n < 2; n += 1) await queue.accept(newEvent())
    for (const most of [1, 2]) {
      const { ready, done, dead } = await queue.log.countStates(greeter, {}, most)
      const some = { events: most, more: most === 1 }
      assert.deepEqual([ready, done, dead], [some, { events: 0, more: false }, some])
      const { causes, more } = await queue.log.deadLetterCauses(greeter, {}, most)
      const newest = ['second', 'first'].slice(0, most)
      assert.deepEqual([new Set(pluck(causes, 'error')), more], [new Set(newest), most === 1])
    }
  })

  test('events for several bots in the same millisecond have different IDs and deliveries, which only their own bot finds; a malformed ID belongs to no bot', async (t) => {
    const { queue } = await open(t)
    const botIds = ['greeter', 'guard', 'greeter-2', '2', 'x'.repeat(64)] as BotId[]
    for (let n = 0; n < 3; n += 1) for (const botId of botIds) await queue.accept(newEvent({ botId }))
    const deliveries = await claim(queue, { botIds })
    for (const { id, botId } of deliveries) {
      assert.match(id, /^[A-Za-z0-9_-]{1,78}$/)
      assert.equal(await queue.log.botOf(botIds, id), botId)
      for (const asked of botIds) {
        assert.equal((await queue.log.find(asked, id))?.id, asked === botId ? id : undefined, `${asked}: ${id}`)
      }
    }
    assert.deepEqual([new Set(pluck(deliveries, 'id')).size, new Set(pluck(deliveries, 'delivery')).size], [15, 15])
    const [{ id } = { id: '' }] = deliveries
    for (const malformed of ['', 'ev', 'ev-', `${id}x!`, `ev-${greeter}`, `${id}-other`]) {
      assert.equal(await queue.log.botOf(botIds, malformed), undefined, malformed)
    }
  })

  test('counts and dead letters that are read during a flush are complete and counted once', async (t) => {
    const { queue } = await open(t)
    const read = async () => {
      const [hour] = await queue.log.counts(greeter, orders, startMs)
      const [letters] = await queue.log.deadLetters([greeter], startMs)
      return [hour?.accepted, hour?.dead, letters?.dead]
    }
    for (let times = 1; times <= 20; times += 1) {
      await queue.fail(holder, [{ delivery: await claimOne(queue), failedAtMs: startMs, dead: true }])
      const readings = [read()]
      const flushed = queue.flushCounts()
      readings.push(read())
      await new Promise((resolve) => setImmediate(resolve))
      readings.push(read())
      await flushed
      readings.push(read())
      const expected = [times, times, times]
      assert.deepEqual(await Promise.all(readings), Array(4).fill(expected))
    }
  })

  test('hourly counts are removed after their retention period', async (t) => {
    const { queue } = await open(t)
    await queue.acknowledge(holder, [await claimOne(queue)], startMs)
    await queue.flushCounts()
    const countedAfter = async (ms: number) => {
      await queue.prune(startMs + ms, 100)
      return pluck(await queue.log.counts(greeter, orders, 0), 'accepted')
    }
    const { hourlyCountsRetentionMs } = limits
    const left = [await countedAfter(hourlyCountsRetentionMs), await countedAfter(hourlyCountsRetentionMs + 3_600_000)]
    assert.deepEqual(left, [[1], []])
  })
})
