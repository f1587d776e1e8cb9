import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type RequestCount, SlidingLog } from '../../src/domain/limits/sliding-log.ts'
import { requestCounts, sharedCount } from '../../src/storage/postgres/request-counts.ts'
import { budget } from '../support/budget.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'

const seed = 20_260_728
const limits = { limit: 4, windowMs: 100 }

/** A model that keeps every request and counts those within the last window. */
class PlainCount {
  readonly #times = new Map<string, number[]>()

  /** Like `RequestCount.take`: allows a request unless the preceding window already holds `limit` requests. */
  take(key: string, nowMs: number): number {
    const times = this.#times.get(key) ?? []
    this.#times.set(key, [...times, nowMs])
    const within = (all: readonly number[]) => all.filter((ms) => ms + limits.windowMs > nowMs)
    if (within(times).length < limits.limit) return 0
    const after = within([...times, nowMs])
    return Math.max(1, (after.at(-limits.limit) as number) + limits.windowMs - nowMs)
  }
}

const request = fc.record({ key: fc.constantFrom('a', 'b', "it's {odd}"), afterMs: fc.constantFrom(0, 0, 1, 7, 40) })
const tick = fc.record({
  requests: fc.array(request, { maxLength: 14, size: 'max' }),
  laterMs: fc.constantFrom(0, 0, 30, 99, 100, 250),
})
const ticks = fc.array(tick, { maxLength: 8, size: 'max' })

/** Asserts that nodes which count in turn, several requests at once, agree with the model. */
async function assertAgree(nodes: readonly Pick<RequestCount, 'take'>[], numRuns: number): Promise<void> {
  let run = 0
  let nowMs = 1_000_000_000_000
  await fc.assert(
    fc.asyncProperty(ticks, async (ticks) => {
      run += 1
      const plain = new PlainCount()
      for (const [at, { requests, laterMs }] of ticks.entries()) {
        nowMs += laterMs
        const asked = requests.map(({ key, afterMs }) => {
          nowMs += afterMs
          return { key: `${run} ${key}`, nowMs }
        })
        const node = nodes[at % nodes.length]!
        const waits = await Promise.all(asked.map(({ key, nowMs }) => node.take(key, nowMs)))
        const expected = asked.map(({ key, nowMs }) => plain.take(key, nowMs))
        assert.deepEqual(waits, expected)
      }
    }),
    { seed, numRuns: numRuns * budget, endOnFailure: true },
  )
}

test('a sliding log allows the same requests as a count of all requests in the last window', () =>
  assertAgree([new SlidingLog(limits)], 500))

test('postgres: counting in the table gives concurrent requests the same results as sequential requests', async (t) => {
  const database = await openIdentityDatabase(t)
  await assertAgree([requestCounts(database, limits), requestCounts(database, limits)], 40)
})

test('postgres: two nodes reject nothing that one shared count would allow, and allow nothing beyond the limit', async (t) => {
  const database = await openIdentityDatabase(t)
  let run = 0
  let nowMs = 2_000_000_000_000
  const moment = fc.record({
    node: fc.nat(1),
    requests: fc.array(fc.constantFrom('a', 'b'), { maxLength: 6, size: 'max' }),
    laterMs: fc.constantFrom(0, 1, 30, 100, 250),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { maxLength: 15, size: 'max' }), async (moments) => {
      run += 1
      nowMs += 1_000
      const nodes = [sharedCount(database, limits), sharedCount(database, limits)] as const
      const plain = new PlainCount()
      const served = new Map<string, number[]>()
      for (const { node, requests, laterMs } of moments) {
        nowMs += laterMs
        for (const each of requests) {
          const key = `${run} ${each}`
          const waitMs = await (nodes[node] as (typeof nodes)[0]).take(key, nowMs)
          const times = (served.get(key) ?? []).filter((ms) => ms + limits.windowMs > nowMs)
          if (plain.take(key, nowMs) === 0) assert.equal(waitMs, 0, `${key} was refused at ${nowMs}`)
          if (waitMs > 0) continue
          assert.ok(times.length < limits.limit, `${key} was served beyond its limit`)
          served.set(key, [...times, nowMs])
        }
      }
    }),
    { seed, numRuns: 40 * budget, endOnFailure: true },
  )
})
