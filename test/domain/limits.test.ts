import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SignInLimits } from '../../src/domain/accounts/sessions/sign-in-limits.ts'
import { ConcurrencyLimit } from '../../src/domain/concurrency-limit.ts'
import type { UserId } from '../../src/domain/ids-and-secrets.ts'
import { Budget, PartyBudgets } from '../../src/domain/limits/budget.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { SlidingLog } from '../../src/domain/limits/sliding-log.ts'
import { RequestSlots, type Slot } from '../../src/domain/subscriptions/request-slots.ts'
import { requestLimit } from '../../src/surfaces/bot-status/public-access.ts'
import { FrameBudget } from '../../src/surfaces/runtime-link/connection.ts'
import { ManualClock } from '../support/manual-clock.ts'

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
})

describe('The limit of the bot status API', () => {
  test('the limit of the bot status API uses bounded memory for a million addresses', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const clock = new ManualClock(1_000_000)
    const limit = requestLimit(clock)
    collect()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < 1_000_000; index += 1) {
      assert.equal(limit(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`), undefined)
      if (index % 10_000 === 0 && index < 600_000) assert.equal(limit('192.0.2.1'), undefined)
    }
    collect()
    const grownMiB = (process.memoryUsage().heapUsed - before) / 1_048_576
    assert.ok(grownMiB < 100, `${grownMiB.toFixed(0)} MiB are held`)
    assert.equal(limit('10.15.66.63'), undefined)
  })

  test('long text in place of an address is truncated', () => {
    const limit = requestLimit(new ManualClock(1_000_000))
    for (let count = 0; count < 60; count += 1) assert.equal(limit(`${'x'.repeat(64)}${count}`), undefined)
    assert.equal(limit('x'.repeat(10_000)), 60)
  })
})

/** A user that takes one slot whenever it is called, and keeps the slots. */
function userOf(slots: RequestSlots, owner: string | null, host: string) {
  const user = {
    owner: owner as UserId | null,
    host,
    slots: [] as Slot[],
    pump() {
      user.slots.push(...slots.take(user, 1))
    },
  }
  return user
}

test('slots are divided among owners and hosts; those of the platform have a larger share', () => {
  const slots = new RequestSlots()
  assert.equal(slots.take(userOf(slots, 'ada', 'one.example'), 1_000).length, limits.outgoingRequestsPerOwner)
  assert.equal(slots.take(userOf(slots, 'ada', 'two.example'), 1).length, 0)
  const platform = slots.take(userOf(slots, null, 'one.example'), 1_000)
  assert.equal(platform.length, limits.outgoingRequestsPerHost - limits.outgoingRequestsPerOwner)
  const others = slots.take(userOf(slots, null, 'two.example'), 1_000)
  const leftOver = limits.outgoingRequestsOfPlatform - platform.length
  assert.equal(others.length, Math.min(limits.outgoingRequestsPerHost, leftOver))
})

test('when all slots are taken, the next free one goes to the waiting owner with the fewest', () => {
  const slots = new RequestSlots()
  const taken: Slot[] = []
  for (let n = 0; taken.length < limits.outgoingRequestsMax; n += 1) {
    const slot = slots.take(userOf(slots, `eve-${n % 20}`, `${n}.example`), 1)
    taken.push(...slot)
  }
  const greedy = Array.from({ length: 20 }, (_, n) => userOf(slots, `eve-${n}`, `more-${n}.example`))
  for (const user of greedy) user.pump()
  const bob = userOf(slots, 'bob', 'bob.example')
  const gone = userOf(slots, 'gone', 'gone.example')
  gone.pump()
  bob.pump()
  slots.forget(gone)
  slots.release(taken.pop() as Slot)
  const held = [bob.slots.length, gone.slots.length, ...greedy.map((user) => user.slots.length)]
  assert.deepEqual(held, [1, 0, ...greedy.map(() => 0)])
})

test('a host that responds slowly gets few slots until it responds quickly; slots that are not used change nothing', () => {
  const slots = new RequestSlots()
  const take = (most: number) => slots.take(userOf(slots, null, 'slow.example'), most)
  const first = take(1) as [Slot]
  slots.release(first[0], limits.outgoingSlowMs)
  const few = take(1_000)
  assert.equal(few.length, limits.outgoingRequestsPerSlowHost)
  slots.release(few.pop() as Slot)
  assert.equal(take(1_000).length, 1)
  slots.release(few.pop() as Slot, limits.outgoingSlowMs - 1)
  assert.equal(take(1_000).length, limits.outgoingRequestsPerHost - limits.outgoingRequestsPerSlowHost + 1)
})

const minute = 60_000
/** Compares plaintext instead of hashing, which would only make these tests slower. */
const slot = {
  hash: async (clearText: string) => clearText,
  verify: async (clearText: string, hash: string | null) => clearText === hash,
}
const wrong = { clearText: 'a guess', hash: 'the password' }
const right = { clearText: 'the password', hash: 'the password' }

const stranger = (account: string, address: string) => ({ kind: 'stranger', account, address }) as const

describe('Sign-in is slowed down', () => {
  test('fifty failures slow down all addresses of their IPv6 /64, and no others', async () => {
    const limits = new SignInLimits()
    for (let failures = 0; failures < 50; failures += 1) {
      await limits.verifyPassword(slot, wrong, stranger(`account ${failures}`, '2001:db8:1:2:3:4:5:6'), 0)
    }
    const slowDown = { reason: 'slow-down', about: { retryAfterMs: 15 * minute - 1 } }
    assert.throws(() => limits.check(stranger('ada', '2001:db8:1:2::'), 1), slowDown)
    limits.check(stranger('ada', '2001:db8:1:3::1'), 1)
  })

  test('a sign-in clears the failures of its account, but not those of its address', async () => {
    const limits = new SignInLimits()
    const guess = stranger('ada', '192.0.2.1')
    for (let failures = 0; failures < 49; failures += 1) {
      await limits.verifyPassword(slot, failures % 9 === 8 ? right : wrong, guess, 0)
    }
    limits.check(stranger('ada', '192.0.2.1'), 0)
    for (let failures = 0; failures < 6; failures += 1) {
      await limits.verifyPassword(slot, wrong, { ...guess, account: 'bob' }, 0)
    }
    limits.check(stranger('ada', '192.0.2.2'), 0)
    assert.throws(() => limits.check(stranger('ada', '192.0.2.1'), 0), { reason: 'slow-down' })
  })

  test('correct passwords are never slowed down, however many users share an address', async () => {
    const limits = new SignInLimits()
    for (let signIns = 0; signIns < 200; signIns += 1) {
      const guess = stranger(`account ${signIns % 5}`, '192.0.2.1')
      assert.equal(await limits.verifyPassword(slot, right, guess, 0), true)
    }
  })

  test('requests that reveal whether an email has an account count against the client’s address', () => {
    const limits = new SignInLimits()
    for (let asked = 0; asked < 50; asked += 1) limits.countProbe('192.0.2.1', 0)
    assert.throws(() => limits.check(stranger('ada', '192.0.2.1'), 0), { reason: 'slow-down' })
    limits.check(stranger('ada', '192.0.2.2'), 0)
  })
})

test('our choice: a task that waits too long is rejected with the given error, and the tasks behind it keep their order', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const turns = new ConcurrencyLimit(1, { ms: 1_000, refusal: () => new Error('too many') })
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
  const failing = turns.run(() => Promise.reject(new Error('failed')))
  await assert.rejects(failing, { message: 'failed' })
  assert.deepEqual(turns.figures, { running: 0, waiting: 0 })
})

test('one task of each party starts, then a second one of each, and the tasks of a party keep their order', async () => {
  const turns = new ConcurrencyLimit(1)
  const started: string[] = []
  let leave = () => {}
  const enter = (name: string) =>
    turns.run(
      async () => {
        started.push(name)
        await new Promise<void>((resolve) => {
          leave = resolve
        })
      },
      name.slice(0, -1),
    )
  const end = async (tasks: number) => {
    for (let n = 0; n < tasks; n += 1) {
      leave()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  for (const name of ['mallory1', 'mallory2', 'mallory3', 'mallory4', 'mallory5', 'bob1']) void enter(name)
  await end(4)
  for (const name of ['mallory6', 'mallory7', 'bob2']) void enter(name)
  await end(6)
  assert.deepEqual(turns.figures, { running: 0, waiting: 0 })
  const order = ['mallory1', 'mallory2', 'bob1', 'mallory3', 'mallory4', 'bob2', 'mallory5', 'mallory6', 'mallory7']
  assert.deepEqual(started, order)
})

test('a party’s second task starts even if another party comes with every task that ends', async () => {
  const turns = new ConcurrencyLimit(1)
  const started: string[] = []
  const enter = (name: string) =>
    void turns.run(async () => {
      started.push(name)
      if (started.length < 20) enter(`other${started.length}`)
      await new Promise((resolve) => setImmediate(resolve))
    }, name)
  for (const name of ['first', 'bob', 'bob', 'alice']) enter(name)
  while (turns.figures.running > 0) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(started.lastIndexOf('bob') < 10, String(started))
})
