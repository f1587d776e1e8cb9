import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isBasic, readBasicCredentials } from '../../src/http/request-origin.ts'
import { anyCharacter } from '../support/any-character.ts'

const wellFormed = (text: string) => text.toWellFormed()
const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }).map(wellFormed)
/**
 * Characters that occur in our own client IDs and secrets. They need no encoding, so clients that don't encode also
 * work.
 */
const ownCharacters = [...'ABCXYZabcxyz0189_']
const ownTexts = fc.string({ unit: fc.constantFrom(...ownCharacters), minLength: 1, maxLength: 60 })

function header(clientId: string, secret: string, scheme = 'Basic'): string {
  return `${scheme} ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
}

/**
 * Form-encodes text in any permitted way: required characters are always encoded, others optionally, with hexadecimal
 * digits in either case.
 */
function encode(text: string, choices: readonly boolean[]): string {
  return [...text]
    .map((character, index) => {
      const choice = choices[index % choices.length] === true
      if (character === ' ' && choice) return '+'
      if (/[A-Za-z0-9_]/.test(character) && !choice) return character
      const bytes = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      return choice ? bytes.toUpperCase() : bytes
    })
    .join('')
}

describe('HTTP Basic credentials (RFC 6749 section 2.3.1)', () => {
  test('client ID and secret are percent-decoded, whichever characters the client encoded, in upper or lower case', () => {
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
        (clientId, secret, choices) => {
          const sent = header(encode(clientId, choices), encode(secret, choices))
          assert.deepEqual(readBasicCredentials(sent), { clientId, clearTextSecret: secret })
        },
      ),
    )
  })

  test('unencoded credentials are read correctly, since our IDs and secrets contain no special characters', () => {
    fc.assert(
      fc.property(ownTexts, ownTexts, fc.constantFrom('Basic', 'basic', 'BASIC'), (clientId, secret, scheme) => {
        const sent = header(clientId, secret, scheme)
        assert.ok(isBasic(sent))
        assert.deepEqual(readBasicCredentials(sent), { clientId, clearTextSecret: secret })
      }),
    )
  })

  test('the first colon separates client ID and secret; further colons belong to the secret', () => {
    assert.deepEqual(readBasicCredentials(header('client', 'a:b:')), { clientId: 'client', clearTextSecret: 'a:b:' })
  })

  test('a percent sign that does not start an encoded byte is read literally', () => {
    assert.deepEqual(readBasicCredentials(header('client', '100%')), { clientId: 'client', clearTextSecret: '100%' })
  })

  test('malformed credentials are rejected without throwing', () => {
    for (const sent of ['Basic', 'Basic ', 'Basic !!!!', header('', 'secret'), 'Basic bm9jb2xvbg==']) {
      assert.ok(isBasic(sent))
      assert.equal(readBasicCredentials(sent), undefined)
    }
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const read = readBasicCredentials(`Basic ${text}`)
        assert.ok(read === undefined || read.clientId.length > 0)
      }),
    )
    assert.equal(isBasic('Bearer svc_at_x'), false)
    assert.equal(isBasic('Basics'), false)
    assert.equal(isBasic(undefined), false)
  })
})
