import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RawConnection } from '../support/raw-http.ts'
import { openWorld } from '../support/world.ts'

const browserHeaders = ['Accept: text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language: en']
const cookiesOf = (bytes: number) =>
  `Cookie: ${Array.from({ length: bytes / 1_000 }, (_, at) => `other${at}=${'x'.repeat(1_000)}`).join('; ')}`
const cookies = cookiesOf(80_000)

/** Sends the chunks, each once the one before has left. Returns the response, after which the connection must end. */
async function answered(t: TestContext, url: string, ...chunks: string[]) {
  const connection = await RawConnection.to(t, url)
  for (const chunk of chunks) await connection.flushed(chunk)
  const answer = await connection.answer()
  assert.equal(await connection.ended(), '')
  return { ...answer, body: Buffer.from(answer.body, 'latin1').toString('utf8') }
}

const head = (line: string, headers: readonly string[]) =>
  `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`

const line = 'GET /sign-in HTTP/1.1'

test('our choice: more than 60 kB of cookies get a page with status 431 in the user’s language', async (t) => {
  const { portalUrl: url } = await openWorld(t)
  const english = await answered(t, url, head(line, [...browserHeaders, cookies]))
  assert.equal(english.status, 431)
  assert.equal(english.headers['content-type'], 'text/html; charset=utf-8')
  assert.equal(english.headers['cache-control'], 'no-store')
  assert.match(english.headers['content-security-policy'] ?? '', /form-action 'self'; frame-ancestors 'none'/)
  assert.equal(english.headers['cross-origin-opener-policy'], 'same-origin')
  assert.match(english.body, /<h1>Your browser sends too many cookies<\/h1>/)
  assert.match(english.body, /Delete the cookies for localhost in your browser, or use a private window\./)
  const german = await answered(t, url, head(line, [browserHeaders[0] ?? '', 'Accept-Language: de', cookies]))
  assert.match(german.body, /<html lang="de"[\s\S]*<h1>Ihr Browser sendet zu viele Cookies<\/h1>/)
  const chosen = cookies.replace('Cookie: ', 'Cookie: gatehouse-language=de; ')
  assert.match((await answered(t, url, head(line, [...browserHeaders, chosen]))).body, /zu viele Cookies/)
  // Browsers on slow networks send the cookies in several packets.
  const whole = head(line, [...browserHeaders, cookies])
  const parts = await answered(t, url, whole.slice(0, 2_000), whole.slice(2_000, 9_000), whole.slice(9_000))
  assert.equal(parts.status, 431)
  assert.match(parts.body, /too many cookies/)
})

test('our choice: 20 kB of cookies and the longest state fit; a URL that is too long gets a page with status 431, and invalid HTTP one with status 400', async (t) => {
  const { baseUrl, portalUrl } = await openWorld(t)
  const code = `GET /show-code?code=x&state=${'%F0%9F%98%80'.repeat(4_096)} HTTP/1.1`
  assert.equal((await answered(t, baseUrl, head(line, [cookiesOf(20_000), 'Connection: close']))).status, 200)
  assert.equal((await answered(t, portalUrl, head(code, ['Connection: close']))).status, 200)
  const url = `/sign-in?x=${'x'.repeat(70_000)}`
  const long = await answered(t, portalUrl, head(`GET ${url} HTTP/1.1`, browserHeaders))
  assert.equal(long.status, 431)
  assert.match(long.body, /<h1>This URL is too long<\/h1>/)
  for (const place of [baseUrl, portalUrl]) {
    for (const sent of [head(line, [...browserHeaders, 'no colon here']), head('GET / HTTP/2.0', browserHeaders)]) {
      const invalid = await answered(t, place, sent)
      assert.equal(invalid.status, 400)
      assert.match(invalid.body, /<h1>Unreadable request<\/h1>/)
    }
  }
})

test('our choice: the page of an authorization keeps the opener of a popup', async (t) => {
  const { baseUrl } = await openWorld(t)
  for (const path of ['/auth/consent?client_id=x', '/sign-in?attempt=x']) {
    const { headers } = await answered(t, baseUrl, head(`GET ${path} HTTP/1.1`, [...browserHeaders, cookies]))
    assert.equal(headers['cross-origin-opener-policy'], 'unsafe-none')
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /form-action/)
  }
})

test('our choice: programs get JSON like that of the OAuth endpoints, and a problem document at the control surface', async (t) => {
  const world = await openWorld(t)
  const oauth = (text: string) => `{"error":"invalid_request","error_description":"${text}"}`
  const large = 'The URL and the headers are too large.'
  const long = `Authorization: Bearer ${'x'.repeat(80_000)}`
  for (const [url, line, headers] of [
    [world.baseUrl, 'GET /api/oauth/userinfo HTTP/1.1', [long]],
    [world.portalUrl, 'GET /sign-in HTTP/1.1', ['Accept: */*', cookies]],
    [world.portalUrl, 'GET / HTTP/1.1', ['Accept: application/json', cookies]],
  ] as const) {
    const { status, headers: sent, body } = await answered(t, url, head(line, headers))
    assert.deepEqual([status, sent['content-type'], body], [431, 'application/json', oauth(large)])
    assert.deepEqual([sent['cache-control'], sent.pragma], ['no-store', 'no-cache'])
  }
  const why = 'The request is not valid HTTP/1.1.'
  // Java's HttpURLConnection sends this header.
  const twoHosts = head('POST /api/oauth/token HTTP/1.1', ['Host: b', 'Accept: text/html, image/gif, */*; q=.2'])
  for (const [listener, body] of [
    ['baseUrl', oauth(why)],
    ['portalUrl', oauth(why)],
    ['apiUrl', '{"error": "Bad request."}'],
    ['controlUrl', `{"type":"about:blank","title":"Bad Request","status":400,"detail":"${why}"}`],
  ] as const) {
    for (const sent of [head('GET / HTTP/1.1', ['no colon here']), head('GET / HTTP/2.0', []), twoHosts]) {
      const invalid = await answered(t, world[listener], sent)
      assert.deepEqual([listener, invalid.status, invalid.body], [listener, 400, body])
    }
  }
  const problem = await answered(t, world.controlUrl, head('GET /v1/users HTTP/1.1', [...browserHeaders, cookies]))
  assert.deepEqual([problem.status, problem.headers['content-type']], [431, 'application/problem+json'])
  assert.deepEqual(JSON.parse(problem.body), {
    type: 'about:blank',
    title: 'Request Header Fields Too Large',
    status: 431,
    detail: large,
  })
})
