import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RequestLimit } from '../../src/surfaces/bot-status/public-access.ts'
import { ManualClock } from '../support/world.ts'

describe('The limit of the bot status API', () => {
  test('the limit of the bot status API uses bounded memory for a million addresses', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const clock = new ManualClock(1_000_000)
    const limit = new RequestLimit(clock)
    collect()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < 1_000_000; index += 1) {
      assert.equal(limit.take(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`), undefined)
      if (index % 10_000 === 0 && index < 600_000) assert.equal(limit.take('192.0.2.1'), undefined)
    }
    collect()
    const grownMiB = (process.memoryUsage().heapUsed - before) / 1_048_576
    assert.ok(grownMiB < 100, `${grownMiB.toFixed(0)} MiB are held`)
    assert.equal(limit.take('10.15.66.63'), undefined)
  })

  test('long text in place of an address is truncated', () => {
    const limit = new RequestLimit(new ManualClock(1_000_000))
    for (let count = 0; count < 60; count += 1) assert.equal(limit.take(`${'x'.repeat(64)}${count}`), undefined)
    assert.equal(limit.take('x'.repeat(10_000)), 60)
  })
})
