import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { provisionListeningBot } from '../support/bot-runtime.ts'
import { eventually } from '../support/eventually.ts'
import { figuresOf } from '../support/figures.ts'
import { linesOf } from '../support/log-lines.ts'
import { adaWithClient, refresh, signedIn, signIn } from '../support/people.ts'
import { openOwnWorld, openWorld, type World } from '../support/world.ts'

/** Waits until the access log has at least `count` lines and returns them. */
function lines(world: World, count: number): Promise<Record<string, unknown>[]> {
  return eventually(() => {
    const all = world.logs().match(/^.*"msg":"access".*$/gm) ?? []
    return all.length >= count ? all.map((line) => JSON.parse(line)) : undefined
  })
}

describe('our choice: ACCESS_LOG=true writes one line for each request', () => {
  test('access log lines from all four listeners contain the route pattern, never the requested URL', async (t) => {
    const world = await openWorld(t, { ACCESS_LOG: 'true' })
    const bot = await provisionListeningBot(world.service)
    const asked: [string, RequestInit?][] = [
      [`${world.baseUrl}/sign-in?next=secret-looking`],
      [`${world.baseUrl}/api/oauth/userinfo`],
      [`${world.baseUrl}/botstatus/nobody/api`],
      [`${world.baseUrl}/nowhere`],
      [`${world.portalUrl}/`],
      [`${world.controlUrl}/livez`],
      [`${world.apiUrl}/health`],
      [`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: 'x' }],
    ]
    for (const [index, [address, init]] of asked.entries()) {
      await (await fetch(address, { redirect: 'manual', ...init })).text()
      await lines(world, index + 1)
    }
    const told = (await lines(world, asked.length)).map(({ surface, method, route, status }) =>
      [surface, method, route, status].join(' '),
    )
    assert.deepEqual(told, [
      'identity GET /sign-in 200',
      'identity GET /api/oauth/userinfo 401',
      'identity GET /botstatus/:botRef/api 404',
      'identity GET none 404',
      'portal GET / 302',
      'control GET /livez 200',
      'gateway GET /health 200',
      'gateway POST /:botId/:path 202',
    ])
    const [{ client, ms } = assert.fail()] = await lines(world, 1)
    assert.deepEqual([client, typeof ms], ['127.0.0.1', 'number'])
    assert.ok(!world.logs().includes('secret-looking'))
  })

  test('each response returns the request ID from its log line: the client’s own ID if valid, otherwise a new one, which the gateway does not pass on to the runtime', async (t) => {
    const world = await openWorld(t, { ACCESS_LOG: 'true' })
    const bot = await provisionListeningBot(world.service)
    const address = `${world.apiUrl}/${bot.botId}/${bot.path}`
    const given = await fetch(address, { method: 'POST', headers: { 'x-request-id': 'from-the-proxy.1' } })
    assert.equal(given.headers.get('x-request-id'), 'from-the-proxy.1')
    const none = await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', body: new URLSearchParams() })
    const odd = await fetch(`${world.baseUrl}/sign-in`, { headers: { 'x-request-id': 'two words' } })
    const ids = [none, odd].map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) assert.match(id, /^[A-Za-z0-9]{22}$/)
    const told = (await lines(world, 3)).map(({ requestId }) => requestId)
    assert.deepEqual(told, ['from-the-proxy.1', ...ids])
    // Other log lines about the request carry the same ID.
    assert.match(world.logs(), new RegExp(`"requestId":"${ids[0]}","reason":`))

    await fetch(address, { method: 'POST', body: 'x' })
    const claim = { holder: 'a test', botIds: [bot.botId], most: 2, mostBytes: 1, nowMs: world.clock.nowMs() }
    const { deliveries } = await world.service.queue.claim(claim)
    const passedOn = deliveries.map(({ headers }) => headers.requestId)
    assert.deepEqual(passedOn, ['from-the-proxy.1', undefined])
  })

  test('without ACCESS_LOG no access line is written and responses have no request ID; a logged refusal still contains the proxy’s request ID', async (t) => {
    const world = await openWorld(t)
    const headers = { 'x-request-id': 'from-the-proxy.2' }
    const body = new URLSearchParams()
    const refused = await fetch(`${world.baseUrl}/api/oauth/token`, { method: 'POST', headers, body })
    assert.equal(refused.headers.get('x-request-id'), null)
    assert.match(world.logs(), /"requestId":"from-the-proxy\.2","reason":/)
    assert.ok(!world.logs().includes('"msg":"access"'))
  })
})

describe('our choice: refused requests are counted by cause and logged in a bounded number of lines', () => {
  test('refused webhooks are logged with cause and address: the first immediately, repetitions once a minute, up to a hundred lines and one for the rest', async (t) => {
    const world = await openOwnWorld(t, { TRUST_PROXY: '1' })
    const bot = await provisionListeningBot(world.service, { requiresKey: true })
    const post = async (path: string, address: string, status: number) => {
      const headers = { 'svc-key': 'a-wrong-key', 'x-forwarded-for': address }
      assert.equal((await fetch(`${world.apiUrl}/${path}`, { method: 'POST', headers, body: 'x' })).status, status)
    }
    const client = '203.0.113.7'
    const subject = { cause: 'key-rejected', botId: bot.botId, client }
    const refuse = () => post(`${bot.botId}/${bot.path}`, client, 401)
    for (let n = 0; n < 20; n += 1) await refuse()
    assert.deepEqual(linesOf(world, 'webhook rejected'), [subject])
    assert.equal((await figuresOf(world))['webhooks_refused_total{cause="key-rejected"}'], 20)
    await world.clock.advance(60_000)
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)'), [{ ...subject, count: 19 }])
    await refuse()
    await world.clock.advance(60_000)
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)').slice(1), [{ ...subject, count: 1 }])
    await world.clock.advance(120_000)
    await refuse()
    assert.deepEqual(linesOf(world, 'webhook rejected'), [subject, subject], 'immediately after a quiet minute')

    // Webhooks to invented bots are one subject per address.
    for (let n = 0; n < 20; n += 1) await post(`bot-${n}/path`, client, 404)
    for (let n = 1; n < 250; n += 1) await post(`bot-${n}/path`, `198.51.100.${n}`, 404)
    assert.equal(linesOf(world, 'webhook rejected').length, 101)
    await world.stop()
    assert.deepEqual(linesOf(world, 'webhook rejected (repeated)').slice(2), [
      { cause: 'bot-unknown', client, count: 19 },
      { cause: 'bot-unknown', subjects: 'many', count: 151 },
    ])
  })

  test('failed client authentications are logged with client, route and address, and without secrets', async (t) => {
    const world = await openOwnWorld(t)
    const { clientId } = await adaWithClient(world)
    const token = (id: string) => refresh(world, { clientId: id, clientSecret: 'not-the-secret-of-this-client' }, 'x')
    for (let n = 0; n < 3; n += 1) assert.equal((await token(clientId)).status, 401)
    assert.equal((await token('a-password-in-the-wrong-field')).status, 401)
    const at = { route: '/api/oauth/token', client: '127.0.0.1' }
    const reason = 'client-authentication-failed'
    assert.deepEqual(linesOf(world, 'OAuth request rejected'), [
      { ...at, cause: 'client-secret-wrong', clientId, reason, detail: 'client-secret-wrong' },
      { ...at, cause: 'client-unknown', reason, detail: 'client-unknown' },
    ])
    assert.deepEqual(await figuresOf(world, 'oauth_refusals_total'), {
      '{route="/api/oauth/token",cause="client-secret-wrong"}': 3,
      '{route="/api/oauth/token",cause="client-unknown"}': 1,
    })
    for (const text of ['not-the-secret', 'a-password-in']) assert.ok(!world.logs().includes(text), text)
  })

  test('pages log the first refusal of an address with its error ID, and count the others', async (t) => {
    const world = await openOwnWorld(t)
    const form = () => ({ method: 'POST', body: new URLSearchParams() })
    const requests: [string, string, (() => RequestInit)?][] = [
      ['form-token-invalid', `${world.baseUrl}/sign-in`, form],
      ['FST_ERR_CTP_INVALID_MEDIA_TYPE', `${world.portalUrl}/apps/new`, () => ({ method: 'POST', body: 'x' })],
      ['too-large', `${world.portalUrl}/?${'&a'.repeat(1_000)}`],
      ['client-unknown', `${world.baseUrl}/auth/consent?client_id=nobody`],
      ['request-uri-unknown', `${world.baseUrl}/auth/consent?client_id=nobody&request_uri=x`],
      ['state-unknown', `${world.portalUrl}/callback?state=x`],
    ]
    const ids: string[][] = [[], [], []]
    for (const shown of ids) {
      for (const [, url, init] of requests) {
        const text = await (await fetch(url, init?.())).text()
        shown.push(...(text.match(/[2-9A-Z]{4}-[2-9A-Z]{4}(?=<\/code>)/) ?? []))
      }
    }
    assert.deepEqual([ids[0]?.length, ids[1], ids[2]], [5, ids[0], ids[0]])
    const guess = { email: 'nobody@example.com', password: 'a wrong password' }
    for (let at = 0; at < 3; at += 1) await signIn(world, guess)
    await adaWithClient(world)
    const browser = await signedIn(world)
    for (let at = 0; at < 3; at += 1) await browser.get(`${world.baseUrl}/bots/nobody`)
    const causes = [...requests.map(([cause]) => cause), 'credentials-wrong', 'bot-unknown']
    const lines = causes.map((cause) => ({ cause, client: '127.0.0.1' }))
    const own = linesOf(world, 'page request rejected') as { errorId: string; detail?: string }[]
    const written = own.map(({ errorId, detail, ...line }) => line)
    assert.deepEqual(written, lines)
    for (const { errorId } of own) assert.match(errorId, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
    await world.stop()
    const repeated = lines.map((line) => ({ ...line, count: 2 }))
    assert.deepEqual(linesOf(world, 'page request rejected (repeated)'), repeated)
    assert.ok(!/"msg":"(?!page request rejected)[^"]* (refused|rejected)/.test(world.logs()))
  })
})
