import { Type } from '../../http/json-schema.ts'
import { nullableTime, timestamp } from '../engine/schemas.ts'

/** Active keys of a flow or runtime, current one first. */
export const keyRecords = Type.Array(
  Type.Object(
    {
      number: Type.Integer({ description: 'number of the key' }),
      lastFour: Type.String({ description: 'last four characters of the key' }),
      createdAt: timestamp('when the key was created'),
      lastUsedAt: nullableTime('accurate to the minute; null if never used'),
      endsAt: nullableTime('null for the current key; the previous key works until then'),
    },
    { title: 'Key' },
  ),
  { description: 'the active keys, current one first' },
)
