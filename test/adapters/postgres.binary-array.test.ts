import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bigintArray, booleanArray, byteaArray, textArray } from '../../src/storage/postgres/binary-array.ts'
import { anyCharacter } from '../support/any-character.ts'
import { openIdentityDatabase } from '../support/postgres/identity.ts'
import { pluck } from '../support/together.ts'

/** For each type: the array encoder, sample values, and a conversion to what the database returns. */
const kinds = {
  text: { array: textArray, values: fc.string({ unit: anyCharacter }).filter((text) => !text.includes('\0')) },
  bigint: { array: bigintArray, values: fc.maxSafeInteger() },
  boolean: { array: booleanArray, values: fc.boolean(), given: Number },
  bytea: { array: byteaArray, values: fc.uint8Array() },
}

for (const [type, kind] of Object.entries(kinds)) {
  const { array, values, given } = { given: (value: unknown) => value, ...kind }

  test(`postgres: an array of ${type} arrives unchanged, including nulls`, async (t) => {
    const database = await openIdentityDatabase(t)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option<unknown>(values)), async (sent) => {
        const rows = await database.pool.rows<{ value: unknown }>(`SELECT unnest($1::${type}[]) AS value`, [
          array(sent as never),
        ])
        const read = sent.map((value) => (value === null ? null : given(value)))
        assert.deepEqual(pluck(rows, 'value'), read)
      }),
      { examples: [[[]]] },
    )
  })
}
