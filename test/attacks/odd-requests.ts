/** A source of random choices, reproducible by seed. */
export class Chance {
  readonly #next: () => number

  constructor(next: () => number) {
    this.#next = next
  }

  /** Returns a whole number from 0 to `below`, exclusive. */
  below(below: number): number {
    return Math.floor(this.#next() * below)
  }

  /** Returns true with this probability in percent. */
  often(percent: number): boolean {
    return this.#next() * 100 < percent
  }

  oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice
  }
}

/** A valid request, which {@link oddRequest} mutates. */
export interface PlainRequest {
  method: string
  /** Path and query. */
  target: string
  headers: readonly (readonly [string, string])[]
  fields?: Readonly<Record<string, unknown>>
  as?: 'form' | 'json'
}

/** Markup and a header name that must never appear in a response. */
export const markup = '"><svg onload=odd()>'
export const oddHeader = 'x-odd-header'

const oddTexts = [
  '',
  '\0',
  '__proto__',
  'constructor',
  'null',
  '[]',
  '-1',
  '1e309',
  '9007199254740993',
  '../../../etc/passwd',
  "' OR 1=1 --",
  '{{7*7}}',
  markup,
  '<script>odd()</script>',
  'javascript:odd()',
  '//evil.example',
  'https://evil.example/',
  `\r\n${oddHeader}: 1`,
  `\r\n\r\n<html>`,
  '\u0085\u2028\u2029',
  '\ufeff',
  '\u202egnp.exe',
  '\ud800',
  'ﬀﷺ',
  'I\u0307ıſK',
  '👩‍👩‍👧‍👦'.repeat(20),
  'a\u0300'.repeat(500),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '9'.repeat(400),
]

export function oddText(chance: Chance): string {
  return chance.oneOf(oddTexts)
}

const methods = 'GET HEAD POST PUT DELETE OPTIONS PATCH TRACE CONNECT PROPFIND QUERY PURGE M-SEARCH'.split(' ')
const oddMethods = [...methods, 'get', 'GETS', 'POST\0', '', 'A'.repeat(400), 'PRI', 'G\tT', 'ПОСТ']
const oddVersions = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', '']

export function oddRequest(plain: PlainRequest, host: string, chance: Chance): Buffer {
  const method = chance.often(15) ? chance.oneOf(oddMethods) : plain.method
  const target = chance.often(45) ? oddTarget(plain.target, host, chance) : plain.target
  const version = chance.often(4) ? chance.oneOf(oddVersions) : 'HTTP/1.1'
  const { type, body } = bodyOf(plain, chance)
  const headers: (readonly [string, string])[] = [
    [
      'Host',
      chance.often(6)
        ? chance.oneOf(['', 'evil.example', 'a b', 'evil.example:99999', `${host}@evil.example`, '[::1', '\xff'])
        : host,
    ],
    ...plain.headers,
  ]
  // Malformed lengths and chunks are in `protocol-versions.test.ts`.
  const chunks = body !== undefined && chance.often(5) ? inOneChunk(body) : undefined
  if (body !== undefined) {
    const framing = chunks === undefined ? ['Content-Length', String(body.length)] : ['Transfer-Encoding', 'chunked']
    headers.push(['Content-Type', type], framing as [string, string])
  }
  while (chance.often(45)) headers.push(oddHeaderLine(chance))
  if (chance.often(85)) headers.push(['Connection', 'close'])
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${target} ${version}\r\n${lines}\r\n`, 'latin1')
  const sent = Buffer.concat([head, chunks ?? body ?? Buffer.alloc(0)])
  return chance.often(6) ? spoilt(sent, chance) : sent
}

function inOneChunk(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
}

function oddTarget(target: string, host: string, chance: Chance): string {
  const [path = '/', query = ''] = target.split('?')
  const odd = oddText(chance)
  const written = chance.often(70)
    ? encode(odd, chance)
    : Buffer.from(odd, 'utf8')
        .toString('latin1')
        .replaceAll(/[\r\n ]/g, '%20')
  return chance.oneOf([
    `http://${host}${target}`,
    `http://evil.example${target}`,
    chance.oneOf(['*', '', '//', '///evil.example/%2f..', '/\\evil.example', '?', '/#', '/..;/', 'evil.example:80']),
    `${path}/${written}?${query}`,
    `/${path}?${query}`,
    path.toUpperCase(),
    `${path}/..${path}/./?${query}`,
    `${path}${chance.oneOf(['%', '%z', '%00', '%c0%af', '%ff%fe', '%u0041', ';x=1', '%2f', '%0d%0aodd', '.', '~', '\t'])}?${query}`,
    `${path.replace(/[^/]+$/, written)}?${query}`,
    `${path}?${query}&${query}`,
    `${path}?${query.replaceAll(/=[^&]*/g, (value) => (chance.often(40) ? `=${written}` : value))}`,
    `${path}?${query}&${written}=${written}&__proto__[x]=1&constructor[prototype][x]=1&a[]=1`,
    `${path}?${'a=1&'.repeat(chance.oneOf([10, 2_000, 5_000]))}`,
    `${path}?${query}&${chance.oneOf(['attempt', 'page', 'code', 'state', 'request_uri', 'scope', 'error', 'return', 'language'])}=${written}`,
  ])
}

function encode(text: string, chance: Chance): string {
  const bytes = Buffer.from(text, chance.often(80) ? 'utf8' : 'utf16le')
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

const oddTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded; charset=latin1; charset=utf-8',
  'multipart/form-data; boundary=x',
  'text/plain',
  '__proto__/constructor',
  '',
  'application/json;'.repeat(200),
  '\xff\xfe',
]

function bodyOf(plain: PlainRequest, chance: Chance): { type: string; body: Buffer | undefined } {
  const { fields, as = chance.oneOf(['form', 'json'] as const) } = plain
  if (fields === undefined && !chance.often(15)) return { type: '', body: undefined }
  const type = as === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
  const text = as === 'json' ? oddJson(fields ?? {}, chance) : oddForm(fields ?? {}, chance)
  return { type: chance.often(8) ? chance.oneOf(oddTypes) : type, body: text }
}

function oddForm(fields: Readonly<Record<string, unknown>>, chance: Chance): Buffer {
  const pairs = Object.entries(fields).flatMap(([name, value]): string[] => {
    // The form token is usually kept, because all forms without one are rejected in the same way.
    const left = name === 'form_token' ? 3 : 25
    const kept = `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
    if (!chance.often(left)) return [kept]
    const odd = `${encodeURIComponent(name)}=${encode(oddText(chance), chance)}`
    return chance.oneOf([
      [],
      [odd],
      [odd],
      [odd],
      [kept, odd],
      [`${name}[]=1`],
      [`${name}[a][b]=1`],
      [name],
      [`${name}=%`],
      [`${name}=%ff`],
    ])
  })
  if (chance.often(5)) pairs.push('__proto__=1', '__proto__[x]=1', 'constructor=1', '=', '&&', '=x')
  if (chance.often(1)) pairs.push('a=1&'.repeat(20_000))
  return Buffer.from(pairs.join('&'), 'latin1')
}

const oddJsonTexts = [
  '',
  'null',
  '[]',
  '{}',
  '{',
  '{"a":1,}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '\ufeff{}',
  '{"a":"\\ud800"}',
  `${'['.repeat(30_000)}`,
  `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
  '{"a":1}{"a":1}',
  '\xff\xfe{\0}\0',
]

function oddJson(fields: Readonly<Record<string, unknown>>, chance: Chance): Buffer {
  if (chance.often(15)) return Buffer.from(chance.oneOf(oddJsonTexts), chance.oneOf(['utf8', 'latin1', 'utf16le']))
  const odd = () =>
    chance.oneOf([
      null,
      true,
      0,
      -1,
      1.5,
      1e308,
      [],
      {},
      [[[]]],
      { __proto__: null, a: 1 },
      [null],
      ['x', 'x'],
      oddText(chance),
      [oddText(chance)],
    ])
  const members = Object.entries(fields).flatMap(([name, value]): string[] => {
    const member = (of: unknown) => `${JSON.stringify(name)}:${JSON.stringify(of)}`
    if (!chance.often(25)) return [member(value)]
    return chance.oneOf([[], [member(odd())], [member(odd())], [member(odd())], [member(value), member(odd())]])
  })
  if (chance.often(4)) members.push('"__proto__":{"x":1}')
  if (chance.often(4)) members.push(`${JSON.stringify(oddText(chance))}:1`)
  return Buffer.from(`{${members.join(',')}}`)
}

const oddHeaders: readonly (readonly [string, readonly string[]])[] = [
  ['Accept', ['*/*', 'text/html', '\xff', ';q=2', 'text/html,'.repeat(900), 'application/json;q=nan']],
  ['Accept-Language', ['de', 'de;q=2', '*;q=-1', 'xx-'.repeat(2_000), ';;;,,,', '__proto__', 'de\xff']],
  ['Accept-Encoding', ['gzip', 'br;q=0, *;q=0', '\t']],
  [
    'Authorization',
    [
      '',
      'Bearer',
      'Bearer  ',
      'Basic',
      'Basic %%%',
      'Basic Og==',
      'Basic Zg==',
      `Basic ${'QUFB'.repeat(2_000)}`,
      'Digest a=b',
      'Bearer svc_at_\xff',
      `Bearer svc_at_${'0'.repeat(72)}`,
      `Bearer svc_at_${'z'.repeat(72)}`,
      'bearer __proto__',
    ],
  ],
  [
    'Cookie',
    [
      '=',
      ';;;',
      '__proto__=1',
      'gatehouse-session=',
      'gatehouse-session=%ff',
      'gatehouse-session="\\"',
      `gatehouse-session=svc_se_${'z'.repeat(72)}`,
      'gatehouse-browser=x; gatehouse-browser=y',
      'gatehouse-language=xx',
      'gatehouse-theme=<svg>',
      `a=${'b'.repeat(8_000)}`,
    ],
  ],
  ['Content-Encoding', ['gzip', 'br', 'identity', '\xff']],
  ['Expect', ['100-continue', '200-ok', '\xff']],
  ['Upgrade', ['websocket', 'h2c', 'TLS/1.3', '\xff']],
  ['Connection', ['upgrade', 'Upgrade, HTTP2-Settings', 'keep-alive, close', 'content-length', '\xff']],
  ['Sec-WebSocket-Key', ['dGhlIHNhbXBsZSBub25jZQ==', 'x', '']],
  ['Sec-WebSocket-Version', ['13', '8', '\xff']],
  ['Sec-WebSocket-Protocol', ['gatehouse.runtime.v1', ',,,', '__proto__']],
  ['Sec-WebSocket-Extensions', ['permessage-deflate', 'permessage-deflate; server_max_window_bits=99', ';;"']],
  ['If-None-Match', ['*', '""', 'W/"\xff"', '"x",'.repeat(900)]],
  ['If-Modified-Since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'x', '-1']],
  ['Range', ['bytes=0-0', 'bytes=-1', 'bytes=9-1', `bytes=${'0-0,'.repeat(900)}0-0`, 'items=0-1']],
  ['Origin', ['null', 'https://evil.example', '', 'javascript:odd()', '\xff']],
  ['Referer', ['http://[', 'https://evil.example/', 'javascript:odd()', '', `http://localhost/${markup}`, '//']],
  ['Sec-Fetch-Site', ['cross-site', 'same-site', 'none', '\xff']],
  ['X-Forwarded-For', ['1.2.3.4', '::ffff:1.2.3.4', ',,,', '999.1.1.1', '1.2.3.4,'.repeat(1_500), '\xff', '__proto__']],
  ['X-Forwarded-Host', ['evil.example', '', '\xff']],
  ['X-Forwarded-Proto', ['https', 'javascript', '']],
  ['Forwarded', ['for=1.2.3.4;host=evil.example', 'for="[::', '\xff']],
  ['X-Request-Id', ['\xff', 'x'.repeat(7_000), '']],
  ['X-HTTP-Method-Override', ['DELETE', '\xff']],
  ['Svc-Key', ['', '\xff', `svc_fk_${'z'.repeat(48)}`, 'x'.repeat(7_000), 'a, b']],
  ['User-Agent', ['', '\xff\xfe', markup, 'x'.repeat(7_000)]],
  ['Last-Event-ID', ['1', '-1', '\xff', markup]],
  ['Traceparent', ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-x', '\xff'.repeat(60)]],
  ['TE', ['trailers', 'gzip']],
  ['Trailer', ['Content-Length', '\xff']],
  ['Host', ['evil.example', '']],
  ['__proto__', ['1']],
  ['constructor', ['1']],
  ['X-Fold', ['a\r\n b', 'a\r\n\tb']],
  ['X-Split', [`a\r\n${oddHeader}: 1`, `a\n${oddHeader}: 1`, 'a\rb', 'a\0b']],
  ['X Space', ['1']],
  ['', ['1', '']],
  ['X-Long', ['x'.repeat(17_000), 'x'.repeat(70_000)]],
]

function oddHeaderLine(chance: Chance): readonly [string, string] {
  const [name, values] = chance.oneOf(oddHeaders)
  return [name, chance.oneOf(values)]
}

/** Truncates the bytes, changes one of them, repeats them, or appends something else. */
function spoilt(bytes: Buffer, chance: Chance): Buffer {
  const changed = Buffer.from(bytes)
  changed[chance.below(changed.length)] = chance.below(256)
  const further = ['\r\n\r\n', '\0\0\0', 'GET /', '\x16\x03\x01\x02\x00\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']
  return chance.oneOf([
    bytes.subarray(0, chance.below(bytes.length)),
    changed,
    Buffer.concat([bytes, bytes]),
    Buffer.concat([bytes, Buffer.from(chance.oneOf(further), 'latin1')]),
  ])
}
