import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  type DifferencePart,
  differenceKind,
  differenceParts,
  redirectUriDifference,
} from '../../src/domain/applications/redirect-uri-difference.ts'
import { anyCharacter } from '../support/any-character.ts'

const registered = 'https://client.example/callback'

describe('The difference between a redirect URI and the registered one', () => {
  const rows = [
    ['https://client.example/callback/', 'slash-at-end', 'https://client.example/callback{+/}'],
    ['https://client.example/Callback', 'case', 'https://client.example/{-c}{+C}allback'],
    ['http://client.example/callback', 'scheme', 'http{-s}://client.example/callback'],
    ['https://www.client.example/callback', 'www', 'https://{+www.}client.example/callback'],
    ['https://client.example:8443/callback', 'port', 'https://client.example{+:8443}/callback'],
    ['https://client.example/callback?from=mail', 'query', 'https://client.example/callback{+?from=mail}'],
    ['https://client.example/call-bakc', 'otherwise', 'https://client.example/call{+-}ba{-c}k{+c}'],
    ['https://other.test/x', 'otherwise', 'https://{-client.example/callback}{+other.test/x}'],
  ] as const
  for (const [sent, kind, drawn] of rows) {
    test(`${sent} is reported as ${kind}, with the differing characters marked`, () => {
      const difference = redirectUriDifference([registered], sent)!
      assert.deepEqual([difference.kind, draw(difference.parts)], [kind, drawn])
    })
  }

  test('a redirect URI is compared with the most similar registered URI', () => {
    const all = ['https://client.example/other', registered, 'http://localhost:3000/callback']
    assert.equal(redirectUriDifference(all, `${registered}/`)?.registered, registered)
    assert.equal(redirectUriDifference(all, 'http://localhost:4000/callback')?.registered, all[2])
    assert.equal(redirectUriDifference([], registered), undefined)
  })

  test('the parts of a diff, joined, reproduce each of the two redirect URIs; an overlong URI is truncated', () => {
    const text = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 600 }), fc.webUrl())
    fc.assert(
      fc.property(text, text, (one, other) => {
        const parts = differenceParts(one, other)
        assert.equal(spell(parts, 'registered'), one)
        assert.equal(spell(parts, 'sent'), other)
        assert.equal(differenceKind(one, other), differenceKind(other, one))
      }),
    )
    const long = redirectUriDifference([registered], `https://${'a'.repeat(100_000)}`)!
    assert.ok(long.sent.length < 10_000)
  })
})

function spell(parts: readonly DifferencePart[], of: 'registered' | 'sent'): string {
  return parts.map((part) => (part.in === 'both' || part.in === of ? part.text : '')).join('')
}

function draw(parts: readonly DifferencePart[]): string {
  const signs = { both: ['', ''], registered: ['{-', '}'], sent: ['{+', '}'] } as const
  return parts.map((part) => signs[part.in].join(part.text)).join('')
}
