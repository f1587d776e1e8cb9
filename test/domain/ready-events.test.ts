import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedAtMsOf, EventNumbers, idOf, numberOf } from '../../src/storage/queue/stored-events.ts'
import { type ReadyEvent, ReadyEvents } from '../../src/storage/sqlite/queue/ready-events.ts'

const event = fc.oneof(
  fc
    .integer({ min: 0, max: 9_999_999 })
    .map((number): ReadyEvent => ({ number, dueAtMs: acceptedAtMsOf(number), first: true })),
  fc
    .record({ number: fc.integer({ min: 10_000_000, max: 19_999_999 }), dueAtMs: fc.nat({ max: 6_000 }) })
    .map((retry): ReadyEvent => ({ ...retry, first: false })),
)
const events = fc.uniqueArray(event, { selector: ({ number }) => number, maxLength: 60 })

function take(ready: ReadyEvents, nowMs: number): ReadyEvent | undefined {
  const next = ready.next(nowMs)
  if (next !== undefined) ready.withdraw(next.number)
  return next
}

test('ReadyEvents returns each due event once: first attempts by number, retries by due time, and both merged by due time', () => {
  fc.assert(
    fc.property(events, fc.nat({ max: 6_000 }), (all, nowMs) => {
      const ready = new ReadyEvents()
      for (const each of all) ready.add(each)
      const taken: ReadyEvent[] = []
      for (let next = take(ready, nowMs); next !== undefined; next = take(ready, nowMs)) taken.push(next)
      const due = all.filter(({ first, dueAtMs }) => first || dueAtMs <= nowMs)
      assert.deepEqual(new Set(taken.map(({ number }) => number)), new Set(due.map(({ number }) => number)))
      const firsts = taken.filter(({ first }) => first).map(({ number }) => number)
      assert.deepEqual(
        firsts,
        [...firsts].sort((one, other) => one - other),
      )
      const times = taken.map(({ dueAtMs }) => dueAtMs)
      assert.deepEqual(
        times,
        [...times].sort((one, other) => one - other),
      )
    }),
  )
})

test('an event taken from ReadyEvents and added back is ready again; a withdrawn event is not ready', () => {
  fc.assert(
    fc.property(events, fc.array(fc.nat()), (all, picks) => {
      const ready = new ReadyEvents()
      for (const each of all) ready.add(each)
      for (const pick of picks) {
        const first = take(ready, 0)
        if (first !== undefined) ready.add(first)
        const doomed = all[pick % Math.max(all.length, 1)]
        if (doomed !== undefined) ready.withdraw(doomed.number)
      }
      const gone = new Set(picks.map((pick) => all[pick % Math.max(all.length, 1)]?.number))
      const left = all.map(({ number }) => number).filter((number) => !gone.has(number))
      assert.deepEqual(ready.numbers().sort(), left.sort())
    }),
  )
})

test('event numbers increase whatever the clock does, and IDs are parsed back to their numbers', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 })), (times) => {
      const numbers = new EventNumbers(0)
      let last = 0
      for (const nowMs of times) {
        const number = numbers.next(nowMs)
        assert.ok(number > last && Number.isSafeInteger(number))
        assert.equal(numberOf(idOf(number)), number)
        last = number
      }
    }),
  )
  for (const text of ['', 'ev', 'ev-1', 'EV1', 'ev01', 'ev1.0', `ev${'z'.repeat(12)}`])
    assert.equal(numberOf(text), undefined)
})
