import assert from 'node:assert/strict'
import type { JsonAnswer } from './people.ts'

export function assertOAuthError(answer: JsonAnswer, status: number, error: string, description: RegExp) {
  assert.equal(answer.status, status, JSON.stringify(answer.json))
  assert.deepEqual(Object.keys(answer.json), ['error', 'error_description'])
  assert.equal(answer.json.error, error)
  assert.match(answer.json.error_description, description)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
}
