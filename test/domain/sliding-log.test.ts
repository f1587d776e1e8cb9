import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SlidingLog } from '../../src/domain/limits/sliding-log.ts'

describe('SlidingLog', () => {
  test('SlidingLog evicts the keys that were idle longest when it has too many keys', () => {
    const log = new SlidingLog({ limit: 1, windowMs: 1_000, maxKeys: 10 })
    for (let index = 0; index < 100; index += 1) log.add(`key ${index}`, 0)
    const remembered = Array.from({ length: 100 }, (_, index) => index).filter(
      (index) => log.waitMs(`key ${index}`, 0) > 0,
    )
    assert.ok(remembered.length >= 5 && remembered.length <= 10, `${remembered.length} are remembered`)
    assert.equal(remembered.at(-1), 99)
    assert.equal(remembered[0], 100 - remembered.length)
  })

  test('a key cleared from SlidingLog has its full limit again', () => {
    const log = new SlidingLog({ limit: 1, windowMs: 1_000 })
    log.add('a', 0)
    log.clear('a')
    assert.equal(log.waitMs('a', 0), 0)
  })
})
