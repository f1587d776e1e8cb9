import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import * as limits from '../../src/domain/limits/limits.ts'
import { containsText, type PageRequest, pageOf } from '../../src/domain/list-page.ts'

/** A list of the numbers from 1 to `length`. The place of each item in the list is its number. */
function numbers(length: number) {
  const reads: number[] = []
  return {
    reads,
    async read({ after = 0, most }: PageRequest<number>) {
      reads.push(most)
      return Array.from({ length: Math.min(most, length - after) }, (_, index) => after + index + 1)
    },
    placeOf: (number: number) => number,
  }
}

describe('our choice: pages of filtered lists (decision 0102)', () => {
  test('walking all pages returns each matching item once, in order, for any page size and filter', async () => {
    const walks = fc.record({
      length: fc.integer({ min: 0, max: 2_500 }),
      most: fc.integer({ min: 1, max: 200 }),
      every: fc.integer({ min: 1, max: 700 }),
    })
    await fc.assert(
      fc.asyncProperty(walks, async ({ length, most, every }) => {
        const matches = every === 1 ? undefined : (number: number) => number % every === 0
        const seen: number[] = []
        let after: number | undefined
        do {
          const { items, next } = await pageOf({ after, most }, { ...numbers(length), matches })
          assert.ok(items.length <= most)
          seen.push(...items)
          after = next
        } while (after !== undefined)
        const all = Array.from({ length }, (_, index) => index + 1)
        const matching = all.filter((number) => matches?.(number) ?? true)
        assert.deepEqual(seen, matching)
      }),
      { numRuns: 60, seed: 20_260_105 },
    )
  })

  test('a page without a filter reads one row more than it returns', async () => {
    const list = numbers(1_000)
    const { items, next } = await pageOf({ after: 10, most: 50 }, list)
    assert.deepEqual([items[0], items.length, next, list.reads], [11, 50, 60, [51]])
  })

  test('a page whose filter matches nothing reads a bounded number of rows and continues where it stopped', async () => {
    const list = numbers(1_000_000)
    const nothing = { ...list, matches: () => false }
    assert.deepEqual(await pageOf({ after: undefined, most: 50 }, nothing), { items: [], next: limits.listRowsMax })
    const reads = limits.listRowsMax / limits.listRowsAtOnce
    assert.deepEqual(list.reads, Array(reads).fill(limits.listRowsAtOnce))
  })

  test('a search finds part of a text, whatever its case and Unicode composition', () => {
    assert.ok(containsText('Ada Lovelace', 'LOVE'))
    assert.ok(containsText('Zoë', 'ZOE\u0308'))
    assert.ok(!containsText('100', '%'))
    assert.ok(!containsText(null, 'a'))
  })
})
