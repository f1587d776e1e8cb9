import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { personalTokenScopes } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import { exported } from '../support/audit.ts'
import { openNodes } from '../support/nodes.ts'
import { ada, answerOf, call, makeToken, openBot, provision, signedIn } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { assertProblem } from './provisioning-scene.ts'

const unknownToken = `svc_pat_${'0'.repeat(48)}`

describe('our choice: authentication of the API for owners', () => {
  test('an API request without a token gets 401 with a bare challenge, and a request with a wrong token gets 401 invalid_token', async (t) => {
    const { world, at } = await openBot(t)
    const missing = await answerOf(await fetch(at('/api/v1/bots')))
    assert.equal(missing.headers.get('www-authenticate'), 'Bearer')
    assert.deepEqual(missing.json, {
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'Send a personal access token in the header Authorization: Bearer <token>.',
    })
    assertProblem(missing, 401, /^Send a personal access token/)
    for (const token of [unknownToken, world.operatorKey, 'svc_at_none', 'x']) {
      const wrong = await call(world, token, 'GET', 'bots')
      assert.equal(wrong.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      assertProblem(wrong, 401, /^The personal access token is wrong, revoked or expired\./)
    }
    const unknownPath = await call(world, unknownToken, 'GET', 'nowhere')
    assert.equal(unknownPath.status, 401)
  })

  test('a session cookie does not authenticate a request, and no response allows other origins', async (t) => {
    const { world, as, at } = await openBot(t)
    const browser = await as('ada')
    assert.equal((await browser.get(at('/api/v1/bots'))).status, 401)
    const token = await makeToken(browser, world)
    const headers = { origin: 'https://elsewhere.example', authorization: `Bearer ${token}` }
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await fetch(at('/api/v1/bots'), { method, headers })
      assert.equal(answer.status, method === 'GET' ? 200 : 405)
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
      assert.deepEqual(answer.headers.getSetCookie(), [])
      await answer.arrayBuffer()
    }
  })

  test('an API call without the scope that it needs gets 403 with insufficient_scope and changes nothing', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('ada'), world, { scope: ['bots.read'] })
    assert.equal((await call(world, token, 'GET', 'bots')).status, 200)
    const calls = [
      ['PUT', 'bots/bot-1/hosting', 'bots.write'],
      ['GET', 'bots/bot-1/deliveries', 'deliveries.read'],
      ['POST', 'bots/bot-1/deliveries/ev1/replay', 'deliveries.write'],
      ['GET', 'bots/bot-1/flows', 'flows.read'],
      ['PUT', 'bots/bot-1/flows/one', 'flows.write'],
      ['GET', 'bots/bot-1/logs', 'logs.read'],
      ['GET', 'runtimes', 'runtimes.read'],
      ['POST', 'runtimes', 'runtimes.write'],
    ] as const
    assert.deepEqual(
      pluck(calls, 2),
      personalTokenScopes.filter((scope) => scope !== 'bots.read'),
    )
    const before = (await exported(world)).length
    for (const [method, path, scope] of calls) {
      const answer = await call(world, token, method, path, method === 'GET' ? undefined : { malformed: true })
      const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
      assert.equal(answer.headers.get('www-authenticate'), challenge)
      assertProblem(
        answer,
        403,
        /^This token lacks the scope [a-z.]+\. Create one that has it\. Nothing was changed\.$/,
      )
    }
    assert.equal((await exported(world)).length, before)
  })

  test('a personal access token permits only what its user’s role permits at that moment', async (t) => {
    const { world, as } = await openBot(t)
    const [ed, vi, stan] = [
      await makeToken(await as('ed'), world),
      await makeToken(await as('vi'), world),
      await makeToken(await as('stan'), world),
    ]
    const off = { enabled: false }
    assert.equal((await call(world, ed, 'PUT', 'bots/bot-1/hosting', off)).status, 200)
    assertProblem(await call(world, vi, 'PUT', 'bots/bot-1/hosting', off), 403, /^Your role in this bot doesn’t allow/)
    const stranger = await call(world, stan, 'PUT', 'bots/bot-1/hosting', off)
    const unknown = await call(world, stan, 'PUT', 'bots/none/hosting', off)
    assertProblem(stranger, 404, /^There is no such bot, or you have no access to it\.$/)
    assert.deepEqual(stranger.json, unknown.json)
    await provision(world, 'DELETE', '/v1/bots/bot-1/coworkers/ed')
    assert.equal((await call(world, ed, 'PUT', 'bots/bot-1/hosting', off)).status, 404)
    assert.deepEqual((await call(world, ed, 'GET', 'bots')).json, { items: [], next: null })
  })

  test('a personal access token can send 300 requests per minute; further requests get 429 with Retry-After, and other tokens are not affected', async (t) => {
    const { world, as } = await openBot(t)
    const browser = await as('ada')
    const [token, other] = [await makeToken(browser, world), await makeToken(browser, world)]
    for (let n = 0; n < 300; n += 1) assert.equal((await call(world, token, 'GET', 'token')).status, 200)
    await world.clock.advance(10_000)
    const limited = await call(world, token, 'GET', 'token')
    assertProblem(limited, 429, /^This token has sent more than 300 requests in a minute\. Wait \d+ s\.$/)
    assert.ok(Number(limited.headers.get('retry-after')) <= 60)
    assert.equal((await call(world, other, 'GET', 'token')).status, 200)
    await world.clock.advance(60_000)
    assert.equal((await call(world, token, 'GET', 'token')).status, 200)
  })

  test('after 100 wrong personal access tokens in a minute, an address gets 429 for further wrong tokens, but a valid token still works', async (t) => {
    const { world, as } = await openBot(t)
    const token = await makeToken(await as('ada'), world)
    for (let n = 0; n < 100; n += 1) assert.equal((await call(world, unknownToken, 'GET', 'bots')).status, 401)
    const limited = await call(world, unknownToken, 'GET', 'bots')
    assertProblem(limited, 429, /^Too many wrong tokens came from this address\./)
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
    assert.equal((await call(world, token, 'GET', 'bots')).status, 200)
  })

  test('every change is audited with the token’s ID and name, and the activity page shows that name', async (t) => {
    const { world, as, at } = await openBot(t)
    const browser = await as('ada')
    const token = await makeToken(browser, world, { name: 'night <shift>' })
    const { id } = (await call(world, token, 'GET', 'token')).json
    await call(world, token, 'PUT', 'bots/bot-1/hosting', { enabled: false })
    const event = (await exported(world)).at(-1)
    const detail = { hosting: 'off', personalTokenId: id, personalTokenName: 'night <shift>' }
    assert.deepEqual([event?.kind, event?.actor, event?.userId, event?.detail], ['bot-changed', 'user', 'ada', detail])
    const { text } = await browser.get(at('/account/activity'))
    assert.match(text, /Personal access token “night &lt;shift&gt;”/)
  })
})

describe('our choice: requests of the API for owners', () => {
  test('malformed paths, queries and bodies of API calls get problem documents that name the fault', async (t) => {
    const { world, as, at } = await openBot(t)
    const token = await makeToken(await as('ada'), world)
    const get = (path: string) => call(world, token, 'GET', path)
    assertProblem(
      await get('nowhere'),
      404,
      /^There is nothing at this URL\. \/api\/openapi\.json describes the API\.$/,
    )
    assertProblem(await get('bots/12345678901234567'), 400, /^The botId in the URL is malformed\./)
    assertProblem(await get('bots?limit=0'), 400, /^The parameter limit is malformed\./)
    assertProblem(await get('bots?before=x'), 400, /^Unknown parameter before\. Known parameters: limit, after\.$/)
    const post = await call(world, token, 'POST', 'bots')
    assertProblem(post, 405, /^POST is not allowed here\. Allowed methods: GET, HEAD\.$/)
    assert.equal(post.headers.get('allow'), 'GET, HEAD')
    const hosting = await call(world, token, 'PUT', 'bots/bot-1/hosting', { enabled: 'yes', where: 'cloud' })
    assertProblem(hosting, 400, ['#/where', '#/enabled'])
    const authorization = `Bearer ${token}`
    const form = await fetch(at('/api/v1/bots/bot-1/hosting'), {
      method: 'PUT',
      headers: { authorization },
      body: new URLSearchParams({ enabled: 'true' }),
    })
    assertProblem(await answerOf(form), 415, /^Send the body as JSON/)
    const large = await call(world, token, 'PUT', 'bots/bot-1/hosting', { enabled: true, pad: 'x'.repeat(70_000) })
    assertProblem(large, 413, /^The body is larger than 65536 bytes\./)
  })

  test('{base_url}/api/openapi.json describes every call in OpenAPI 3.1, with its scope or its kind of key', async (t) => {
    const { world } = await openBot(t)
    const document = (await (await fetch(`${world.baseUrl}/api/openapi.json`)).json()) as {
      openapi: string
      servers: object[]
      paths: Record<string, Record<string, { operationId: string; security: Record<string, string[]>[] }>>
    }
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.servers, [{ url: world.baseUrl }])
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([
          method,
          {
            security: [{ personalToken = 'runtime key' } = {}],
          },
        ]) => {
          return `${method} ${path} ${personalToken}`
        },
      ),
    )
    const bot = '/api/v1/bots/{botId}'
    assert.deepEqual(
      described.sort(),
      [
        `delete ${bot}/flows/{flowId} flows.write`,
        `delete ${bot}/flows/{flowId}/keys/{keyNumber} flows.write`,
        'delete /api/v1/runtimes/{runtimeId} runtimes.write',
        'delete /api/v1/runtimes/{runtimeId}/keys/{keyNumber} runtimes.write',
        'get /api/v1/bots bots.read',
        `get ${bot} bots.read`,
        `get ${bot}/copies runtime key`,
        `get ${bot}/deliveries deliveries.read`,
        `get ${bot}/deliveries/{eventId} deliveries.read`,
        `get ${bot}/flows flows.read`,
        `get ${bot}/flows/{flowId} flows.read`,
        `get ${bot}/logs logs.read`,
        `get ${bot}/status bots.read`,
        'get /api/v1/runtimes runtimes.read',
        'get /api/v1/runtimes/{runtimeId} runtimes.read',
        'get /api/v1/token ',
        `post ${bot}/deliveries/discard deliveries.write`,
        `post ${bot}/deliveries/replay deliveries.write`,
        `post ${bot}/deliveries/{eventId}/discard deliveries.write`,
        `post ${bot}/deliveries/{eventId}/replay deliveries.write`,
        `post ${bot}/deliveries/{eventId}/retry deliveries.write`,
        `post ${bot}/flows/{flowId}/keys flows.write`,
        'post /api/v1/runtimes runtimes.write',
        'post /api/v1/runtimes/{runtimeId}/keys runtimes.write',
        `put ${bot}/flows/{flowId} flows.write`,
        `put ${bot}/flows/{flowId}/webhook flows.write`,
        `put ${bot}/hosting bots.write`,
        `put ${bot}/public-status bots.write`,
      ].sort(),
    )
  })
})

test('our choice: a personal access token created on one node works on the other node, and a revoked token is rejected from the next request on', async (t) => {
  const [one, other] = await openNodes(t)
  const { name, email, password } = ada
  await provision(one, 'PUT', '/v1/users/ada', { name, email, password })
  const browser = await signedIn(one)
  const token = await makeToken(browser, one)
  assert.equal((await call(other, token, 'GET', 'token')).status, 200)
  const list = await browser.get(`${one.baseUrl}/account/tokens`)
  const path = /href="(\/account\/tokens\/[^"/]+\/revocation)"/.exec(list.text)?.[1] ?? ''
  await browser.submitAt(`${one.baseUrl}${path}`, {}, '/revocation')
  for (const node of [one, other]) assert.equal((await call(node, token, 'GET', 'token')).status, 401)
})
