import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenapiSchemas, Type } from '../../src/http/json-schema.ts'

test('two different schemas with one title are refused', () => {
  const schemas = new OpenapiSchemas()
  schemas.reference(Type.String({ title: 'Name' }))
  assert.throws(() => schemas.reference(Type.Integer({ title: 'Name' })), /two schemas have the title Name/)
})
