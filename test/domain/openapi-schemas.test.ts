import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenapiSchemas, Type } from '../../src/http/json-schema.ts'

test('a titled schema that is required in one place and optional in another appears once, and both places refer to it', () => {
  const key = Type.Object({ number: Type.Integer() }, { title: 'Key' })
  const schemas = new OpenapiSchemas()
  const flow = Type.Object({ current: key, previous: Type.Optional(key) }, { title: 'Flow' })
  assert.deepEqual(schemas.reference(flow), { $ref: '#/components/schemas/Flow' })
  const reference = { $ref: '#/components/schemas/Key' }
  assert.deepEqual(JSON.parse(JSON.stringify(schemas.components)), {
    Flow: {
      type: 'object',
      required: ['current'],
      properties: { current: reference, previous: reference },
      title: 'Flow',
    },
    Key: { type: 'object', required: ['number'], properties: { number: { type: 'integer' } }, title: 'Key' },
  })
})

test('two different schemas with one title are refused', () => {
  const schemas = new OpenapiSchemas()
  schemas.reference(Type.String({ title: 'Name' }))
  assert.throws(() => schemas.reference(Type.Integer({ title: 'Name' })), /two schemas have the title Name/)
})
