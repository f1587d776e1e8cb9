import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bars, type Comparison, comparedServers, figures, machineAndMethod } from '../bench/peers/comparison.ts'
import { withPart } from '../bench/performance-page.ts'

const docs = join(import.meta.dirname, '../docs')
const page = readFileSync(join(docs, 'performance.md'), 'utf8')
const read = (name: string) => readFileSync(join(docs, 'performance', name), 'utf8')

const comparison = JSON.parse(read('comparison.json')) as Comparison

test('our choice: the tables in docs/performance.md show the figures of a single run', () => {
  assert.equal(withPart(page, 'figures', figures(comparison)), page)
  assert.equal(withPart(page, 'servers', comparedServers(comparison)), page)
  assert.equal(withPart(page, 'machine', machineAndMethod(comparison)), page)
})

test('our choice: the bars in docs/performance.md match the figures', () => {
  assert.equal(read('ratios.svg'), bars(comparison))
  const ours = comparison.works.flatMap(({ rows }) => rows.filter(({ server }) => server === 'Gatehouse'))
  assert.equal(ours.length, comparison.works.length)
  const lengths = [...read('ratios.svg').matchAll(/class="bar ours" [^>]* width="([\d.]+)"/g)].map(([, w]) => Number(w))
  const expected = ours.map(({ ratio }) => Math.round(Math.min(ratio, 1) * 4_400) / 10)
  assert.deepEqual(lengths, expected)
})
