import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  matchesRedirectUri,
  parseRedirectUri,
  type RedirectUriFault,
  redirectUriAddition,
} from '../../src/domain/applications/redirect-uri.ts'
import {
  type DifferencePart,
  differenceKind,
  differenceParts,
  redirectUriDifference,
} from '../../src/domain/applications/redirect-uri-difference.ts'
import { anyCharacter } from '../support/any-character.ts'

const split = (text: string) => text.trim().split(/\s+/)
type Outcome = 'ok' | RedirectUriFault

const registrations: [production: Outcome, development: Outcome, texts: readonly string[]][] = [
  ['redirect-uri-not-https', 'ok', split('http://localhost:3000/callback http://127.0.0.1/cb http://[::1]:3000/cb')],
  // Hosts that only look like this machine.
  [
    'redirect-uri-not-https',
    'redirect-uri-http-elsewhere',
    split('http://client.example/callback http://localhost.client.example/ http://0.0.0.0/'),
  ],
  ...Object.entries({
    // A comma, a semicolon or an @ in the path is part of the URI.
    ok: split(`
      https://client.example https://client.example:8443/callback?tenant=1&x=%20 HTTPS://client.example/callback
      https://client.example/a@b https://a.example/cb;v=1,2?x=a,b;c https://a.example/https://b.example/
      https://a.example/code/state?mycode=1&State=2&errors=3
    `),
    // Hosts that browsers rewrite.
    'redirect-uri-host': split(`
      http://127.1/ http://[::ffff:127.0.0.1]/ https://client%2eexample/ https://[0:0:0:0:0:0:0:1]/ https:///callback
    `),
    'redirect-uri-fragment': ['https://client.example/callback#'],
    'redirect-uri-user': ['https://user:pass@client.example/', 'https://@client.example/'],
    'redirect-uri-wildcard': ['https://*.client.example/callback', 'https://client.example/*'],
    'redirect-uri-several': [
      ...split('https://a.example/cb,https://b.example/cb https://a.example/cb;com.example.app://cb'),
      ...['https://a.example/cb, HTTPS://b.example/cb', 'https://a.example/cb https://b.example/cb'],
    ],
    'redirect-uri-response-parameter': split(`
      https://a.example/cb?code=1 https://a.example/cb?state=1 https://a.example/cb?error=1 http://localhost/cb?iss=
      https://a.example/cb?error_description=1 https://a.example/cb?error_uri=1 https://a.example/cb?c%6Fde=1
      https://a.example/cb?x=1&state=1 https://a.example/cb?code
    `),
    'redirect-uri-not-https': ['javascript:alert(1)', 'com.example.app:/callback', 'ws://localhost/'],
    'redirect-uri-not-absolute': [
      '',
      ...split('//client.example/callback https:client.example/callback https://client.example:99999/'),
    ],
    // Characters that browsers and servers interpret differently.
    'redirect-uri-characters': [
      ...['https://client.example\\@evil.example/', ' https://client.example/', 'https://client.example/\n'],
      ...['https://clíent.example/', 'https://client.example/{id}'],
    ],
    'redirect-uri-too-long': [`https://client.example/${'a'.repeat(2_048)}`],
  } satisfies Partial<Record<Outcome, string[]>>).map(
    ([outcome, texts]) => [outcome, outcome, texts] as (typeof registrations)[number],
  ),
]

describe('Redirect URIs that may be registered', () => {
  for (const [production, development, texts] of registrations) {
    test(`production ${production}, development ${development}`, () => {
      for (const text of texts) {
        const expected = (outcome: Outcome) => (outcome === 'ok' ? { redirectUri: text } : { fault: outcome })
        assert.deepEqual(parseRedirectUri(text, 'production'), expected(production), text)
        assert.deepEqual(parseRedirectUri(text, 'development'), expected(development), text)
      }
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
  test('no two similar redirect URIs match, except on loopback literals in development; a redirect URI matches any of several registered ones', () => {
    for (const alike of comparable) {
      for (const uri of alike) {
        const registered = ['https://b.example/1', uri, 'https://b.example/2']
        for (const presented of comparable.flat()) {
          const message = `${uri} and ${presented}`
          assert.equal(matchesRedirectUri(registered, presented, 'production'), presented === uri, message)
          assert.equal(matchesRedirectUri(registered, presented, 'development'), alike.includes(presented), message)
        }
      }
    }
  })
})

describe('Adding a refused redirect URI (decision 0108)', () => {
  const registered = ['https://client.example/Callback?a=B', 'https://localhost:3000/cb']
  const environment = 'development'
  const application = { redirectUris: registered, environment, verified: false, firstParty: false } as const
  const many = (length: number) => Array.from({ length }, (_, index) => `https://client.example/${index}`)
  const [known = ''] = registered
  const slip = 'https://client.example/callback?a=B'
  const possible = (...risks: string[]) => ({ kind: 'possible', risks })
  const ends = [':8443/Callback?a=B', '/other?a=B', '/Callback?a=b', '/redirect?to=https://evil.example', '/']
  const rows: [outcome: object, uris: readonly string[], change: object][] = [
    [possible(), [slip, 'https://client.example/Callback/?a=B', 'http://localhost:3000/cb'], {}],
    [possible('new-host'), ['https://elsewhere.example/'], {}],
    [possible('new-address'), ends.map((end) => `https://client.example${end}`), {}],
    [possible('marks-end'), [slip], { verified: true }],
    [possible('marks-end'), [slip], { firstParty: true }],
    [{ kind: 'registered' }, [known], {}],
    [{ kind: 'refused', reason: 'redirect-uri-fragment' }, [`${known}#`], {}],
    [possible('new-address'), [known], { redirectUris: many(49) }],
    [{ kind: 'refused', reason: 'redirect-uris-too-many' }, [known], { redirectUris: many(50) }],
  ]
  test('a slip is no risk; another host is, and so are another port, path or query, and each of the operator’s marks; a registered or invalid URI, and a 51st, is not added', () => {
    for (const [outcome, uris, change] of rows) {
      for (const uri of uris) {
        const message = `${uri} ${JSON.stringify(change).slice(0, 80)}`
        assert.deepEqual(redirectUriAddition({ ...application, ...change }, uri), outcome, message)
      }
    }
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
  test('a single mistake is named, and the differing characters are marked', () => {
    for (const [sent, kind, drawn] of rows) {
      const difference = redirectUriDifference([registered], sent)!
      assert.deepEqual([difference.kind, draw(difference.parts)], [kind, drawn], sent)
    }
  })

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

  test('a long difference is one replacement between the longest common ends', () => {
    for (const length of [0, 1, 7, 63, 511, 575, 1_200]) {
      const [before, after] = ['a'.repeat(length), 'b'.repeat(length)]
      for (const [one, other, end] of [
        ['c'.repeat(401), '', after],
        ['', 'd'.repeat(401), after],
        [`c${'x'.repeat(400)}c`, `d${'x'.repeat(400)}d`, after],
        // The common ends would overlap.
        ['', 'a'.repeat(401), ''],
      ] as const) {
        const parts = [
          { in: 'both', text: before },
          { in: 'registered', text: one },
          { in: 'sent', text: other },
          { in: 'both', text: end },
        ]
        const expected = parts.filter(({ text }) => text !== '')
        assert.deepEqual(differenceParts(before + one + end, before + other + end), expected)
      }
    }
  })
})

function spell(parts: readonly DifferencePart[], of: 'registered' | 'sent'): string {
  return parts.map((part) => (part.in === 'both' || part.in === of ? part.text : '')).join('')
}

function draw(parts: readonly DifferencePart[]): string {
  const signs = { both: ['', ''], registered: ['{-', '}'], sent: ['{+', '}'] } as const
  return parts.map((part) => signs[part.in].join(part.text)).join('')
}
