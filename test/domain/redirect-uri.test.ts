import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  matchesRedirectUri,
  parseRedirectUri,
  type RedirectUriFault,
} from '../../src/domain/applications/redirect-uri.ts'
import {
  type DifferencePart,
  differenceKind,
  differenceParts,
  redirectUriDifference,
} from '../../src/domain/applications/redirect-uri-difference.ts'
import { anyCharacter } from '../support/any-character.ts'

const registrations: [text: string, production: 'ok' | RedirectUriFault, development: 'ok' | RedirectUriFault][] = [
  // Valid in both environments.
  ['https://client.example', 'ok', 'ok'],
  ['https://client.example:8443/callback', 'ok', 'ok'],
  ['https://client.example/callback?tenant=1&x=%20', 'ok', 'ok'],
  ['HTTPS://client.example/callback', 'ok', 'ok'],
  ['https://client.example/a@b', 'ok', 'ok'],

  // http:// URIs on this machine.
  ['http://localhost:3000/callback', 'redirect-uri-not-https', 'ok'],
  ['http://127.0.0.1/callback', 'redirect-uri-not-https', 'ok'],
  ['http://[::1]:3000/callback', 'redirect-uri-not-https', 'ok'],

  // http:// URIs on other hosts, including hosts that only look like this machine.
  ['http://client.example/callback', 'redirect-uri-not-https', 'redirect-uri-http-elsewhere'],
  ['http://localhost.client.example/', 'redirect-uri-not-https', 'redirect-uri-http-elsewhere'],
  ['http://127.1/', 'redirect-uri-host', 'redirect-uri-host'],
  ['http://[::ffff:127.0.0.1]/', 'redirect-uri-host', 'redirect-uri-host'],
  ['http://0.0.0.0/', 'redirect-uri-not-https', 'redirect-uri-http-elsewhere'],

  // Hosts that browsers rewrite.
  ['https://client%2eexample/', 'redirect-uri-host', 'redirect-uri-host'],
  ['https://[0:0:0:0:0:0:0:1]/', 'redirect-uri-host', 'redirect-uri-host'],

  // Fragments, user information and wildcards.
  ['https://client.example/callback#', 'redirect-uri-fragment', 'redirect-uri-fragment'],
  ['https://user:pass@client.example/', 'redirect-uri-user', 'redirect-uri-user'],
  ['https://@client.example/', 'redirect-uri-user', 'redirect-uri-user'],
  ['https://*.client.example/callback', 'redirect-uri-wildcard', 'redirect-uri-wildcard'],
  ['https://client.example/*', 'redirect-uri-wildcard', 'redirect-uri-wildcard'],

  // Several URIs in one. A comma or semicolon elsewhere is part of the URI.
  ['https://a.example/cb,https://b.example/cb', 'redirect-uri-several', 'redirect-uri-several'],
  ['https://a.example/cb;https://b.example/cb', 'redirect-uri-several', 'redirect-uri-several'],
  ['https://a.example/cb, HTTPS://b.example/cb', 'redirect-uri-several', 'redirect-uri-several'],
  ['https://a.example/cb https://b.example/cb', 'redirect-uri-several', 'redirect-uri-several'],
  ['https://a.example/cb,com.example.app://cb', 'redirect-uri-several', 'redirect-uri-several'],
  ['https://a.example/cb;v=1,2?x=a,b;c', 'ok', 'ok'],
  ['https://a.example/https://b.example/', 'ok', 'ok'],

  // Parameters of the response in the query, also encoded.
  ...['code', 'state', 'error', 'error_description', 'error_uri', 'iss', 'c%6Fde', 'x=1&state'].map(
    (name): (typeof registrations)[number] => [
      `https://a.example/cb?${name}=1`,
      'redirect-uri-response-parameter',
      'redirect-uri-response-parameter',
    ],
  ),
  ['https://a.example/cb?code', 'redirect-uri-response-parameter', 'redirect-uri-response-parameter'],
  ['http://localhost/cb?iss=', 'redirect-uri-response-parameter', 'redirect-uri-response-parameter'],
  ['https://a.example/code/state?mycode=1&State=2&errors=3', 'ok', 'ok'],

  // Other schemes, and text that is not an absolute URL.
  ['javascript:alert(1)', 'redirect-uri-not-https', 'redirect-uri-not-https'],
  ['com.example.app:/callback', 'redirect-uri-not-https', 'redirect-uri-not-https'],
  ['ws://localhost/', 'redirect-uri-not-https', 'redirect-uri-not-https'],
  ['', 'redirect-uri-not-absolute', 'redirect-uri-not-absolute'],
  ['//client.example/callback', 'redirect-uri-not-absolute', 'redirect-uri-not-absolute'],
  ['https:client.example/callback', 'redirect-uri-not-absolute', 'redirect-uri-not-absolute'],
  ['https:///callback', 'redirect-uri-host', 'redirect-uri-host'],
  ['https://client.example:99999/', 'redirect-uri-not-absolute', 'redirect-uri-not-absolute'],

  // Characters that browsers and servers interpret differently.
  ['https://client.example\\@evil.example/', 'redirect-uri-characters', 'redirect-uri-characters'],
  [' https://client.example/', 'redirect-uri-characters', 'redirect-uri-characters'],
  ['https://client.example/\n', 'redirect-uri-characters', 'redirect-uri-characters'],
  ['https://clíent.example/', 'redirect-uri-characters', 'redirect-uri-characters'],
  ['https://client.example/{id}', 'redirect-uri-characters', 'redirect-uri-characters'],
  [`https://client.example/${'a'.repeat(2_048)}`, 'redirect-uri-too-long', 'redirect-uri-too-long'],
]

describe('Redirect URIs that may be registered', () => {
  for (const [text, production, development] of registrations) {
    test(`${JSON.stringify(text.slice(0, 60))}: production ${production}, development ${development}`, () => {
      const expected = (outcome: 'ok' | RedirectUriFault) =>
        outcome === 'ok' ? { redirectUri: text } : { fault: outcome }
      assert.deepEqual(parseRedirectUri(text, 'production'), expected(production))
      assert.deepEqual(parseRedirectUri(text, 'development'), expected(development))
    })
  }

  test('an accepted redirect URI has the same scheme, user and host for a URL parser as for a person reading it', () => {
    const piece = fc.constantFrom('https://', 'http://', 'localhost', '127.0.0.1', '[::1]', 'a.example', '@', ':', '/')
    const more = fc.constantFrom('\\', '#', '?', '%2e', '%00', '.', '8080', 'user', '\t', ' ', '*', '＠', 'x')
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, more), { maxLength: 10 }), (pieces) => {
        const text = pieces.join('')
        const reading = parseRedirectUri(text, 'development')
        if ('fault' in reading) return
        const url = new URL(text)
        const [, host] = /^https?:\/\/(\[::1\]|[^/?#:]*)/i.exec(text) ?? []
        assert.equal(url.username + url.password + url.hash, '')
        assert.ok(url.protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
        assert.equal(host?.toLowerCase(), url.hostname)
      }),
      { numRuns: 3_000 },
    )
  })
})

const split = (text: string) => text.trim().split(/\s+/)
/** In development, any port on a loopback literal matches (RFC 8252 section 7.3). */
const sameButForPort = [
  split('http://127.0.0.1/cb http://127.0.0.1:51004/cb http://127.0.0.1:3000/cb'),
  split('http://[::1]/cb http://[::1]:51004/cb'),
  split('http://127.0.0.1/cb?x=1 http://127.0.0.1:51004/cb?x=1'),
]
// A host name is not a literal, so its port must match.
const similar = split(`
  https://a.example/cb https://a.example/cb/ https://a.example https://a.example/ https://a.example/CB
  https://A.example/cb HTTPS://a.example/cb http://a.example/cb https://a.example:443/cb https://a.example/cb?
  https://a.example/cb?x=1 https://a.example/cb?x=1&y=2 https://a.example/cb?y=2&x=1 https://a.example/%63b
  https://a.example/a%2Fb https://a.example/a%2fb https://a.example/a/b https://a.example/x/../cb
  https://a.example//cb https://a.example/cb# https://a.example/cb#x https://user@a.example/cb
  https://a.example./cb https://a.example.evil.example/cb https://sub.a.example/cb
  http://127.0.0.1:51004/cb/ http://127.0.0.1 http://127.0.0.1:51004/ http://127.0.0.1:99999/cb
  http://127.0.0.1:/cb http://127.0.0.1:80@evil.example/cb http://127.0.0.1.evil.example/cb
  https://127.0.0.1/cb https://127.0.0.1:51004/cb http://127.0.0.1:51004/cb#x
  http://localhost/cb http://localhost:3000/cb http://localhost:3001/cb
`)
const comparable = [...sameButForPort, ...[...similar, ' https://a.example/cb', ''].map((uri) => [uri])]

describe('Redirect URIs are matched exactly including path; no wildcards or patterns', () => {
  for (const alike of comparable) {
    test(`${alike.map((uri) => JSON.stringify(uri)).join(', ')} and similar redirect URIs`, () => {
      for (const registered of alike) {
        for (const presented of comparable.flat()) {
          const message = `${registered} and ${presented}`
          assert.equal(matchesRedirectUri([registered], presented, 'production'), presented === registered, message)
          assert.equal(matchesRedirectUri([registered], presented, 'development'), alike.includes(presented), message)
        }
      }
    })
  }

  test('a redirect URI can match any of several registered URIs', () => {
    assert.ok(matchesRedirectUri(['https://a.example/1', 'https://a.example/2'], 'https://a.example/2', 'production'))
    assert.ok(!matchesRedirectUri([], 'https://a.example/2', 'production'))
  })

  const hosts = fc.constantFrom(
    'https://acme.example',
    'http://127.0.0.1:8080',
    'http://[::1]',
    'http://localhost:3000',
  )
  const rests = fc.string({ unit: fc.constantFrom(...'/?ab=%41.-~'), maxLength: 12 }).map((rest) => `/${rest}`)
  const uris = fc.tuple(hosts, rests).map(([host, rest]) => host + rest)
  const withoutLoopbackPort = (uri: string) =>
    uri.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d{1,5}(?![^/?])/, '$1')

  test('in production, a redirect URI with any single character edited no longer matches', () => {
    const edits = fc.tuple(
      fc.nat(),
      fc.constantFrom('insert', 'remove', 'replace', 'case'),
      fc.constantFrom(...'/?#@:.%aA0 *\\'),
    )
    fc.assert(
      fc.property(uris, edits, (registered, [where, edit, character]) => {
        const at = where % registered.length
        const before = registered.slice(0, at)
        const after = registered.slice(at + (edit === 'insert' ? 0 : 1))
        const swapped =
          registered[at] === registered[at]?.toUpperCase()
            ? registered[at]?.toLowerCase()
            : registered[at]?.toUpperCase()
        const middle = edit === 'remove' ? '' : edit === 'case' ? swapped : character
        const presented = `${before}${middle}${after}`
        assert.equal(matchesRedirectUri([registered], presented, 'production'), presented === registered)
      }),
    )
  })

  test('in development two URIs match if they differ only in the port of a loopback IP literal', () => {
    fc.assert(
      fc.property(uris, uris, fc.integer({ min: 1, max: 65_535 }), (registered, other, port) => {
        const moved = registered.replace(/^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d+)?/, `$1:${port}`)
        for (const presented of [other, moved]) {
          const alike = withoutLoopbackPort(presented) === withoutLoopbackPort(registered)
          assert.equal(matchesRedirectUri([registered], presented, 'development'), alike, presented)
        }
      }),
    )
  })
})

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

  test('a long difference is one replacement between the longest common ends, compared character by character', () => {
    const uris = fc
      .tuple(fc.nat(1_200), fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 6 }), fc.nat(1_200))
      .map(([before, middle, after]) => `${'a'.repeat(before)}${middle}b${'a'.repeat(after)}`)
    fc.assert(
      fc.property(uris, uris, fc.constantFrom('c'.repeat(401), ''), (one, rest, inserted) => {
        const other = inserted + rest
        const most = Math.min(one.length, other.length)
        let [start, end] = [0, 0]
        while (start < most && one[start] === other[start]) start += 1
        while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
        const inner = (uri: string) => uri.slice(start, uri.length - end)
        if (Math.max(inner(one).length, inner(other).length) <= 400) return
        const parts = [
          { in: 'both', text: other.slice(0, start) },
          { in: 'registered', text: inner(one) },
          { in: 'sent', text: inner(other) },
          { in: 'both', text: other.slice(other.length - end) },
        ]
        assert.deepEqual(
          differenceParts(one, other),
          parts.filter(({ text }) => text !== ''),
        )
      }),
      { numRuns: 1_000 },
    )
  })
})

function spell(parts: readonly DifferencePart[], of: 'registered' | 'sent'): string {
  return parts.map((part) => (part.in === 'both' || part.in === of ? part.text : '')).join('')
}

function draw(parts: readonly DifferencePart[]): string {
  const signs = { both: ['', ''], registered: ['{-', '}'], sent: ['{+', '}'] } as const
  return parts.map((part) => signs[part.in].join(part.text)).join('')
}
