import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readOAuthParameters } from '../../src/oauth/parameters.ts'
import { OAuthRefusal } from '../../src/oauth/responses.ts'
import { anyCharacter } from '../support/any-character.ts'

const known = ['grant_type', 'code', 'client_id', '__proto__', 'constructor']
const names = fc.constantFrom(...known, 'unknown', 'toString')
const members = fc.array(
  fc.tuple(
    names,
    fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed()),
  ),
)

function read(contentType: string, body: string): Record<string, string> | string {
  const request = {
    headers: { 'content-type': contentType },
    body: Buffer.from(body),
    from: () => ({ address: '127.0.0.1', userAgent: undefined }),
  }
  try {
    return JSON.stringify([...readOAuthParameters(request, known)])
  } catch (error) {
    assert.ok(error instanceof OAuthRefusal)
    return `${error.reason} ${error.parameter}`
  }
}

/** Returns the text of a JSON object with the given members. A name can occur more than once. */
function jsonOf(pairs: readonly (readonly [string, string])[]): string {
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
}

describe('parameters of an OAuth request', () => {
  test('JSON and form bodies behave alike, including repeated parameters and __proto__', () => {
    fc.assert(
      fc.property(members, (pairs) => {
        fc.pre(pairs.length > 0)
        const form = read('application/x-www-form-urlencoded', String(new URLSearchParams(pairs)))
        // JSON.parse keeps only the last value of a repeated member, but the repetition must still be rejected.
        assert.equal(read('application/json', jsonOf(pairs)), form)
      }),
    )
  })

  test('a JSON body that is not an object is rejected', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const answer = read('application/json', text)
        const isObject = /^\s*\{/.test(text)
        if (!isObject) assert.equal(answer, 'body-malformed undefined')
      }),
    )
  })

  test('an unpaired surrogate, which only JSON can contain, is rejected unless its parameter is unknown', () => {
    assert.equal(read('application/json', '{"code":"\\ud800"}'), 'body-malformed undefined')
    assert.equal(read('application/json', '{"unknown":"\\ud800","code":"\\ud83d\\ude00"}'), '[["code","😀"]]')
  })

  test('a value that is not a string is rejected unless its parameter is unknown', () => {
    for (const value of ['1', 'true', 'null', '["a"]', '{"a":"b"}']) {
      assert.equal(read('application/json', `{"code":${value}}`), 'parameter-not-a-string code')
      assert.equal(read('application/json', `{"unknown":${value},"code":"x"}`), '[["code","x"]]')
    }
  })
})
