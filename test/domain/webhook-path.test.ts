import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseWebhookPath } from '../../src/domain/bots/record-rules.ts'

const allowed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./~'

test('a webhook path is 1 to 100 letters, digits and - _ . / ~, and is returned unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...allowed), { maxLength: 110 }), (characters) => {
      const path = characters.join('')
      assert.equal(parseWebhookPath(path), path.length >= 1 && path.length <= 100 ? path : undefined)
    }),
  )
})

test('a webhook path with any other character is rejected', () => {
  const character = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point))
  fc.assert(
    fc.property(character, fc.nat({ max: 5 }), (other, at) => {
      fc.pre(!allowed.includes(other))
      assert.equal(parseWebhookPath(`${'hooks'.slice(0, at)}${other}${'hooks'.slice(at)}`), undefined)
    }),
  )
})
