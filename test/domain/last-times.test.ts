import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LastUsedTimes } from '../../src/domain/last-times.ts'

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
