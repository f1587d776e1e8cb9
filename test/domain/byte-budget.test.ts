import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '../../src/domain/ids.ts'
import { ByteBudget } from '../../src/domain/limits/byte-budget.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { FrameBudgets } from '../../src/surfaces/runtime-link/frame-budgets.ts'

const rate = { burst: 1_000, perSecond: 100 }

test('a byte budget starts full, can be overdrawn, and refills each second up to its burst', () => {
  const budget = new ByteBudget(rate, 0)
  budget.spend(1_500, 0)
  assert.equal(budget.left(0), -500)
  assert.equal(budget.left(5_500), 50)
  assert.equal(budget.isNearlyFull(12_000), false)
  assert.equal(budget.isNearlyFull(13_000), true)
  assert.equal(budget.left(60_000), 1_000)
})

test('a byte budget never holds more than its burst, and loses nothing when the clock is set back', () => {
  const budget = new ByteBudget(rate, 60_000)
  budget.spend(-300, 60_000)
  assert.equal(budget.left(60_000), 1_000)
  budget.spend(400, 0)
  assert.equal(budget.left(0), 600)
  assert.equal(budget.left(1_000), 700)
})

test('a session that acknowledges ten thousand deliveries a second keeps its budget', () => {
  const budget = new FrameBudgets({ nowMs: () => 0, every: () => () => {} }).open({ ownerId: 'ada' as UserId })
  for (let n = 0; n < 10_000; n += 1) {
    budget.spend(limits.runtimeFrameBytes)
    budget.spend('{"type":"ack","deliveries":["0123456789012345"]}'.length)
    budget.finished(1)
  }
  assert.equal(budget.isSpent, false)
})
