import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FaultBursts, LastUsedTimes, writeInBatches } from '../../src/domain/background-work.ts'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { ManualClock } from '../support/manual-clock.ts'

describe('Writing in batches', () => {
  test('without a store, the rest is not tried and stays unwritten', async () => {
    const tried: number[][] = []
    const unwritten: (readonly number[])[] = []
    const write = async (batch: readonly number[]) => {
      tried.push([...batch])
      if (batch.includes(3)) throw new StoreUnavailable('no store')
    }
    const writing = writeInBatches([1, 2, 3, 4, 5, 6], 2, write, (items) => unwritten.push(items))
    await assert.rejects(writing, StoreUnavailable)
    assert.deepEqual(tried, [
      [1, 2],
      [3, 4],
    ])
    assert.deepEqual(unwritten, [[3, 4, 5, 6]])
  })
})

describe('Last-used times', () => {
  test('a flush waits for a running flush to store the times recorded earlier', async () => {
    const times = new LastUsedTimes()
    times.record(1, 1000)
    const stored: [number, number][] = []
    const gate = Promise.withResolvers<void>()
    const first = times.flush(async (batch) => {
      await gate.promise
      stored.push(...batch)
    })
    let done = false
    const second = times
      .flush(async (batch) => void stored.push(...batch))
      .then(() => {
        done = true
      })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(done, false)
    gate.resolve()
    await second
    await first
    assert.deepEqual(stored, [[1, 1000]])
  })

  test('a failed flush drops its times; the next flush stores only times recorded since then', async () => {
    const times = new LastUsedTimes()
    times.record(1, 1000)
    await assert.rejects(
      times.flush(async () => {
        throw new Error('no storage')
      }),
      /no storage/,
    )
    times.record(2, 2000)
    const stored: [number, number][] = []
    await times.flush(async (batch) => void stored.push(...batch))
    assert.deepEqual(stored, [[2, 2000]])
  })
})

test('one fault of a burst is logged, and after the clock moves back, the next one', () => {
  const clock = new ManualClock(3_600_000)
  const logged: object[] = []
  const bursts = new FaultBursts({ clock, log: { error: (fields) => logged.push(fields) } })
  const note = () => bursts.onFault('a fault', 'prune', { bot: 'one' })
  note()
  note()
  clock.jump(-1_800_000)
  note()
  const faults = [undefined, 1].map((unlogged) => ({ err: 'a fault', bot: 'one', unlogged }))
  assert.deepEqual(logged, faults)
})
