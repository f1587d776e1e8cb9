import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseQuery, withQuery } from '../../src/domain/authorization/authorization-request.ts'
import { parseScopes } from '../../src/domain/authorization/scope.ts'
import { Secrets } from '../../src/domain/secret.ts'

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
