import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UserId } from '../../src/domain/ids.ts'
import * as limits from '../../src/domain/limits/limits.ts'
import { RequestSlots, type Slot } from '../../src/domain/subscriptions/request-slots.ts'

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
  assert.equal(
    others.length,
    Math.min(limits.outgoingRequestsPerHost, limits.outgoingRequestsOfPlatform - platform.length),
  )
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
  assert.deepEqual(
    [bob.slots.length, gone.slots.length, ...greedy.map((user) => user.slots.length)],
    [1, 0, ...greedy.map(() => 0)],
  )
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
