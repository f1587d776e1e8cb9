import assert from 'node:assert/strict'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { test } from 'node:test'
import fc from 'fast-check'
import { PreparedStatement } from '../../src/storage/sqlite/sqlite-file.ts'
import { budget } from '../support/budget.ts'

const value: fc.Arbitrary<SQLInputValue> = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array({ maxLength: 20 }),
)
const columns = ['a', 'b', '"b"', 'a AS b', 'count(*) OVER () AS "rows"', '"odd name"', '*']

test('sqlite: a prepared statement returns the same rows as node:sqlite, whatever is selected', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value, value), { maxLength: 10 }),
      fc.array(fc.constantFrom(...columns), { minLength: 1, maxLength: 6 }),
      (rows, selected) => {
        const db = new DatabaseSync(':memory:')
        db.exec('CREATE TABLE t (a, b, "odd name")')
        const insert = new PreparedStatement(db.prepare('INSERT INTO t VALUES (?, ?, ?)'))
        for (const row of rows) assert.equal(insert.run(...row), 1)
        const sql = `SELECT ${selected.join(', ')} FROM t WHERE ? = 1`
        const fast = new PreparedStatement(db.prepare(sql))
        const plain = db.prepare(sql)
        // Rows from node:sqlite have no prototype. Rows from `PreparedStatement` are plain objects.
        const same = (row: object | undefined) => row && { ...row }
        for (const parameter of [1, 2]) {
          assert.deepEqual(fast.all(parameter), plain.all(parameter).map(same))
          assert.deepEqual([...fast.iterate(parameter)], plain.all(parameter).map(same))
          assert.deepEqual(fast.get(parameter), same(plain.get(parameter)))
        }
        db.close()
      },
    ),
    { seed: 20_260_728, numRuns: 100 * budget },
  )
})
