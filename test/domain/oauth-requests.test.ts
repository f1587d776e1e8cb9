import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseQuery, withQuery } from '../../src/domain/authorization/authorization-request.ts'
import { parseScopes } from '../../src/domain/authorization/scope.ts'
import { Secrets } from '../../src/domain/ids-and-secrets.ts'
import { isBasic, readBasicCredentials } from '../../src/http/request-origin.ts'
import { readOAuthParameters } from '../../src/oauth/oauth-endpoints.ts'
import { OAuthRefusal } from '../../src/oauth/responses.ts'
import { anyCharacter } from '../support/any-character.ts'

const known = ['grant_type', 'code', 'client_id', '__proto__', 'constructor']
const names = fc.constantFrom(...known, 'unknown', 'toString')
const values = fc.string({ unit: anyCharacter }).map((text) => text.toWellFormed())
const members = fc.array(fc.tuple(names, values))

function read(contentType: string, body: string): Record<string, string> | string {
  try {
    return JSON.stringify([...readOAuthParameters({ 'content-type': contentType }, Buffer.from(body), known)])
  } catch (error) {
    assert.ok(error instanceof OAuthRefusal)
    return `${error.reason} ${error.about.parameter}`
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
})

const wellFormed = (text: string) => text.toWellFormed()
const texts = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }).map(wellFormed)
/** The scheme’s case does not matter. */
const schemes = fc.constantFrom('Basic', 'basic', 'BASIC')

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
    const choices = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(texts, texts, choices, schemes, (clientId, secret, chosen, scheme) => {
        const sent = header(encode(clientId, chosen), encode(secret, chosen), scheme)
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

describe('query parameters', () => {
  test('values that a client encodes with URLSearchParams are read back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
        const read = parseQuery(`/auth/consent?${new URLSearchParams(pairs)}`)
        const expected = new Map<string, string[]>()
        for (const [name, value] of pairs) expected.set(name, [...(expected.get(name) ?? []), value.toWellFormed()])
        const texts = new Map([...read].map(([name, values]) => [name, values.map(({ text }) => text)]))
        assert.deepEqual(texts, expected)
      }),
    )
  })

  test('a parameter with any percent-encoded bytes is returned unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        const sent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
        const encoded = parseQuery(`/x?state=${sent}`).get('state')?.[0]?.encoded ?? ''
        assert.match(encoded, /^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+$/)
        const back = parseQuery(withQuery('https://client.example/', [['state', encoded]])).get('state')?.[0]?.encoded
        assert.equal(back, encoded)
        assert.deepEqual(Buffer.from(unescape(encoded), 'latin1'), Buffer.from(bytes))
      }),
    )
  })

  test('appending parameters keeps the registered redirect URI, whatever its query', () => {
    for (const [uri, whole] of [
      ['https://a.example', 'https://a.example?code=x'],
      ['https://a.example/', 'https://a.example/?code=x'],
      ['https://a.example/?', 'https://a.example/?code=x'],
      ['https://a.example/?b', 'https://a.example/?b&code=x'],
      ['https://a.example/?b=%7e&', 'https://a.example/?b=%7e&code=x'],
    ] as const) {
      assert.equal(withQuery(uri, [['code', 'x']]), whole)
    }
  })
})

describe('scopes', () => {
  const scope = fc.stringMatching(/^[a-z]{1,8}\.[a-z]{1,8}$/)

  test('scopes separated by spaces or commas are parsed in order and without duplicates', () => {
    fc.assert(
      fc.property(fc.array(scope), fc.array(fc.constantFrom(' ', ',', '  ', ', ')), (names, separators) => {
        const text = names.map((name, at) => name + (separators[at % Math.max(1, separators.length)] ?? ' ')).join('')
        assert.deepEqual(parseScopes(text), [...new Set(names)])
      }),
    )
  })
})

describe('numbered secrets', () => {
  const secrets = new Secrets('authorization-parsing-secret-key-001')
  const number = fc.record({ row: fc.nat({ max: 2 ** 31 }), generation: fc.nat({ max: 2 ** 31 }) })

  test('a numbered secret encodes its row and generation, and consists only of [A-Za-z0-9_]', () => {
    fc.assert(
      fc.property(number, (sealed) => {
        const { clearText, digest } = secrets.makeNumbered('refreshToken', sealed)
        assert.match(clearText, /^svc_rt_[A-Za-z0-9]{72}$/)
        assert.deepEqual(secrets.readNumbered('refreshToken', clearText), { ...sealed, digest })
      }),
    )
  })
})
