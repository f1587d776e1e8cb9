import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { provisionListeningBot } from '../support/listening-bot.ts'
import { openWorld, type World } from '../support/world.ts'

interface Line {
  requestId: string
  surface: string
  method: string
  route: string
  status: number
  ms: number
  client: string
}

/** Waits until the access log has at least `count` lines and returns them. */
function lines(world: World, count: number): Promise<Line[]> {
  return eventually(() => {
    const all = world
      .logs()
      .split('\n')
      .filter((line) => line.includes('"msg":"access"'))
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

  test('each response returns the request ID from its log line: the client’s own ID if valid, otherwise a new one', async (t) => {
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
  })

  test('a request ID that the gateway generates is not passed on to the runtime', async (t) => {
    const world = await openWorld(t, { ACCESS_LOG: 'true' })
    const bot = await provisionListeningBot(world.service)
    await fetch(`${world.apiUrl}/${bot.botId}/${bot.path}`, { method: 'POST', body: 'x' })
    const holder = 'a test'
    const claim = { holder, botIds: [bot.botId], most: 1, mostBytes: 1, nowMs: world.clock.nowMs() }
    const { deliveries } = await world.service.queue.claim(claim)
    assert.equal(deliveries[0]?.headers.requestId, undefined)
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
