import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '../../src/domain/ids.ts'
import { Budget, PartyBudgets } from '../../src/domain/limits/budget.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { FrameBudget } from '../../src/surfaces/runtime-link/connection.ts'

const rate = { burst: 1_000, perSecond: 100 }

test('a budget starts full, can be overdrawn, and refills each second up to its burst', () => {
  const budget = new Budget(rate, 0)
  budget.spend(1_500, 0)
  assert.equal(budget.left(0), -500)
  assert.equal(budget.left(5_500), 50)
  assert.equal(budget.isNearlyFull(12_000), false)
  assert.equal(budget.isNearlyFull(13_000), true)
  assert.equal(budget.left(60_000), 1_000)
})

test('a budget never holds more than its burst, and loses nothing when the clock is set back', () => {
  const budget = new Budget(rate, 60_000)
  budget.spend(-300, 60_000)
  assert.equal(budget.left(60_000), 1_000)
  budget.spend(400, 0)
  assert.equal(budget.left(0), 600)
  assert.equal(budget.left(1_000), 700)
})

test('a session that acknowledges ten thousand deliveries a second keeps its budget', () => {
  const clock = { nowMs: () => 0, every: () => () => {} }
  const budget = new FrameBudget({ ownerId: 'ada' as UserId }, new PartyBudgets(limits.runtimeBytesPerOwner, 2), clock)
  for (let n = 0; n < 10_000; n += 1) {
    budget.spend(limits.runtimeFrameBytes)
    budget.spend('{"type":"ack","deliveries":["0123456789012345"]}'.length)
    budget.finished(1)
  }
  assert.equal(budget.isSpent, false)
})

test('a party that has spent its budget stays without one, however many others spend something', () => {
  const budgets = new PartyBudgets(rate, 3)
  budgets.spend('mallory', 1_000, 0)
  for (let n = 0; n < 10; n += 1) budgets.spend(`other ${n}`, 200, 0)
  assert.equal(budgets.left('mallory', 0), 0)
  assert.equal(budgets.waitMs('mallory', 0), 10)
  budgets.spend('bob', 100, 60_000)
  assert.equal(budgets.left('mallory', 60_000), 1_000)
})
