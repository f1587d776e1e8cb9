import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConcurrencyLimit } from '../../src/domain/concurrency-limit.ts'

describe('our choice: a task that waits too long for a free slot', () => {
  test('a task that waits too long is rejected with the given error, and the tasks behind it keep their order', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const turns = new ConcurrencyLimit(1, { waitMs: 1_000, refusal: () => new Error('too many') })
    const started: string[] = []
    const leave: (() => void)[] = []
    const enter = (name: string) =>
      turns.run(async () => {
        started.push(name)
        await new Promise<void>((resolve) => leave.push(resolve))
      })
    const first = enter('first')
    const impatient = assert.rejects(enter('impatient'), { message: 'too many' })
    t.mock.timers.tick(500)
    const later = [enter('second'), enter('third')]
    assert.deepEqual(turns.figures, { running: 1, waiting: 3 })
    t.mock.timers.tick(500)
    await impatient
    assert.deepEqual(turns.figures, { running: 1, waiting: 2 })
    leave.shift()?.()
    await first
    await new Promise((resolve) => setImmediate(resolve))
    // Once a task has started, it has no time limit.
    t.mock.timers.tick(5_000)
    assert.deepEqual(turns.figures, { running: 1, waiting: 0 })
    assert.deepEqual(started, ['first', 'second'])
    leave.shift()?.()
    await assert.rejects(later[1] as Promise<void>, { message: 'too many' })
    await later[0]
    assert.deepEqual(turns.figures, { running: 0, waiting: 0 })
    assert.equal(turns.isFull, false)
  })
})
