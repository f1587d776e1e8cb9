import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { StoreUnavailable } from '../../src/domain/store-unavailable.ts'
import { Batches, TickBatch } from '../../src/storage/postgres/batches.ts'
import { budget } from '../support/budget.ts'
import { pluck } from '../support/together.ts'

const seed = 20_260_728
const tick = () => new Promise((resolve) => setImmediate(resolve))

test('batching does not change any item’s outcome, and each successful item is performed exactly once', async () => {
  const item = fc.record({ value: fc.nat(1_000), fault: fc.constantFrom(false, false, false, false, true) })
  const arrivals = fc.array(fc.array(item, { maxLength: 10, size: 'max' }), { maxLength: 10, size: 'max' })
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 2 }),
      async (ticks, most, concurrency) => {
        const performed: number[] = []
        const batch = new TickBatch<{ value: number; fault: boolean }, number>({
          perform: async (items) => {
            assert.ok(items.length <= most)
            // Takes a varying number of ticks, like a real round trip.
            for (let ticks = 0; ticks < (items[0]?.value ?? 0) % 4; ticks += 1) await tick()
            if (items.some(({ fault }) => fault)) throw new Error('one of them is at fault')
            performed.push(...items.map(({ value }) => value))
            return items.map(({ value }) => value * 2)
          },
          maxItems: most,
          concurrency,
        })
        const outcomes: Promise<PromiseSettledResult<number>[]>[] = []
        for (const items of ticks) {
          outcomes.push(Promise.allSettled(items.map((each) => batch.add(each))))
          await tick()
        }
        const settled = (await Promise.all(outcomes)).flat()
        const all = ticks.flat()
        const given = settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message))
        const expected = all.map(({ value, fault }) => (fault ? 'one of them is at fault' : value * 2))
        assert.deepEqual(given, expected)
        const good = all.filter(({ fault }) => !fault).map(({ value }) => value)
        // Order doesn't matter: a retry may overtake a slower batch.
        const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other)
        assert.deepEqual(sorted(performed), sorted(good))
      },
    ),
    { seed, numRuns: 60 * budget, endOnFailure: true },
  )
})

test('an unreachable database fails all items of a batch, and no item is retried', async () => {
  let times = 0
  const batch = new TickBatch<number, number>({
    perform: async () => {
      times += 1
      throw new StoreUnavailable('away')
    },
    maxItems: 10,
  })
  const settled = await Promise.allSettled(Array.from({ length: 10 }, (_, item) => batch.add(item)))
  assert.ok(settled.every((one) => one.status === 'rejected' && one.reason instanceof StoreUnavailable))
  assert.equal(times, 1)
})

test('each party’s items are handled once and in order, in bounded batches and never in two at once, except withdrawn items', async () => {
  const item = fc.record({
    party: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.oneof(fc.nat(100), fc.constant(1_048_576), fc.constant(9_000_000)),
  })
  const arrivals = fc.array(
    fc.record({ items: fc.array(item, { maxLength: 20, size: 'max' }), withdrawn: fc.boolean() }),
    { maxLength: 8, size: 'max' },
  )
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(1, 2, 5, 500),
      async (ticks, concurrency, maxItems) => {
        type Item = (typeof added)[number]
        const added = ticks.flatMap(({ items }, at) => items.map((each, nth) => ({ ...each, nth: 100 * at + nth })))
        const handled: Item[] = []
        const underWay = new Set<readonly Item[]>()
        const batches: Batches<Item> = new Batches({
          maxItems,
          concurrency,
          partyOf: ({ party }) => party,
          bytesOf: ({ bytes }) => bytes,
          handle: async (batch) => {
            const bytes = batch.reduce((sum, one) => sum + one.bytes, 0)
            assert.ok(batch.length > 0 && batch.length <= maxItems)
            assert.ok(batch.length === 1 || bytes <= 8 * 1_048_576, `${bytes} bytes in one batch`)
            assert.ok(new Set(pluck(batch, 'party')).isDisjointFrom(new Set(pluck([...underWay].flat(), 'party'))))
            underWay.add(batch)
            assert.ok(underWay.size <= concurrency)
            assert.deepEqual(new Set(batches.inFlight), new Set([...underWay].flat()))
            for (let waited = 0; waited < (batch[0]?.nth ?? 0) % 4; waited += 1) await tick()
            underWay.delete(batch)
            handled.push(...batch)
          },
        })
        const withdrawn = new Set<Item>()
        for (const [at, { withdrawn: some }] of ticks.entries()) {
          for (const one of added.filter(({ nth }) => Math.floor(nth / 100) === at)) batches.add(one)
          if (some) for (const one of batches.withdraw(({ bytes }) => bytes % 2 === 1)) withdrawn.add(one)
          await tick()
        }
        await batches.idle()
        for (const party of ['a', 'b', 'c', 'd']) {
          const ofParty = (items: readonly Item[]) => items.filter((one) => one.party === party)
          assert.deepEqual(ofParty(handled), ofParty(added.filter((one) => !withdrawn.has(one))))
        }
      },
    ),
    { seed, numRuns: 60 * budget, endOnFailure: true },
  )
})

test('a party has at most one batch in flight, whenever items arrive', async () => {
  for (let microtasks = 0; microtasks < 20; microtasks += 1) {
    let underWay = 0
    const written: number[] = []
    const lane = new TickBatch<number, number>({
      maxItems: 1,
      partyOf: () => 'one',
      perform: async ([item = 0]) => {
        underWay += 1
        assert.equal(underWay, 1, `an item ${microtasks} microtasks after the one before`)
        for (let ticks = 0; ticks < 3 - item; ticks += 1) await tick()
        written.push(item)
        underWay -= 1
        return [item]
      },
    })
    await lane.add(0)
    for (let waited = 0; waited < microtasks; waited += 1) await undefined
    await Promise.all([lane.add(1), lane.add(2)])
    assert.deepEqual(written, [0, 1, 2])
  }
})

test('a party whose batch takes long doesn’t keep others waiting, and its own items stay in order', async () => {
  const handled: string[] = []
  const slow = Promise.withResolvers<void>()
  const batches = new Batches<string>({
    maxItems: 500,
    partyOf: ([party = '']) => party,
    concurrency: 2,
    handle: async (batch) => {
      if (batch[0] === 'a1') await slow.promise
      handled.push(batch.join(' '))
    },
  })
  batches.add('a1')
  await tick()
  for (const item of ['a2', 'b1', 'a3', 'c1', 'b2']) batches.add(item)
  await tick()
  assert.deepEqual(handled, ['b1 c1 b2'])
  batches.add('b3')
  await tick()
  assert.deepEqual(handled, ['b1 c1 b2', 'b3'])
  slow.resolve()
  await batches.idle()
  assert.deepEqual(handled, ['b1 c1 b2', 'b3', 'a1', 'a2 a3'])
})
