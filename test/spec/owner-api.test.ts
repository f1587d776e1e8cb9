import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { personalTokenScopes } from '../../src/domain/accounts/personal-tokens/personal-tokens.ts'
import { exported } from '../support/audit.ts'
import { openNodes } from '../support/nodes.ts'
import { documentAt, operationsOf } from '../support/openapi.ts'
import { ada, answerOf, call, makeToken, openBot, provision, signedIn } from '../support/people.ts'
import type { World } from '../support/world.ts'
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
    assert.equal((await call(world, unknownToken, 'GET', 'nowhere')).status, 401)
  })

  test('a session cookie does not authenticate a request, and no response allows other origins', async (t) => {
    const { world, ada, at } = await openBot(t)
    assert.equal((await ada.get(at('/api/v1/bots'))).status, 401)
    const token = await makeToken(ada, world)
    const headers = { origin: 'https://elsewhere.example', authorization: `Bearer ${token}` }
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await fetch(at('/api/v1/bots'), { method, headers })
      assert.equal(answer.status, method === 'GET' ? 200 : 405)
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
      assert.deepEqual(answer.headers.getSetCookie(), [])
      await answer.arrayBuffer()
    }
  })

  test('an API call without the scope that it needs gets 403 with insufficient_scope and changes nothing; the document names each call’s scope', async (t) => {
    const { world, ada } = await openBot(t)
    const bots = await makeToken(ada, world, { scope: ['bots.read'] })
    const logs = await makeToken(ada, world, { scope: ['logs.read'] })
    const before = (await exported(world)).length
    const needed = new Set<string>()
    for (const { method, path, scopes } of await describedCalls(world)) {
      if (path.endsWith('/copies')) assert.equal(scopes, undefined, 'this call needs a runtime key')
      else if (path === 'token') assert.equal((await call(world, bots, method, path)).status, 200)
      else {
        const resource = ['deliveries', 'flows', 'logs', 'runtimes'].find((name) => path.includes(name)) ?? 'bots'
        const scope = `${resource}.${method === 'GET' ? 'read' : 'write'}`
        assert.deepEqual(scopes, [scope], path)
        needed.add(scope)
        const body = method === 'GET' ? undefined : { malformed: true }
        const answer = await call(world, scope === 'bots.read' ? logs : bots, method, path, body)
        const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
        assert.equal(answer.headers.get('www-authenticate'), challenge, path)
        const detail = `This token lacks the scope ${scope}. Create one that has it. Nothing was changed.`
        assertProblem(answer, 403, new RegExp(`^${RegExp.escape(detail)}$`))
      }
    }
    assert.deepEqual(needed, new Set(personalTokenScopes))
    assert.equal((await exported(world)).length, before)
  })

  test('a personal access token permits only what its user’s role permits at that moment; without a role, each call about a bot or runtime is answered as if there were none', async (t) => {
    const { world, tokenOf } = await openBot(t, { OWNER_FLOWS: 'on' })
    const [ada, ed] = [await tokenOf('ada'), await tokenOf('ed')]
    const [vi, stan] = [await tokenOf('vi'), await tokenOf('stan')]
    const hosting = (token: string) => call(world, token, 'PUT', 'bots/bot-1/hosting', { enabled: false })
    assert.equal((await hosting(ed)).status, 200)
    assertProblem(await hosting(vi), 403, /^Your role in this bot doesn’t allow/)
    const { id } = (await call(world, ada, 'POST', 'runtimes', { name: 'one', botIds: '*' })).json
    const before = (await exported(world)).length
    const off = { enabled: false }
    const bodies: Record<string, object> = { hosting: off, 'public-status': off, '{flowId}': { name: 'X' } }
    for (const { method, path } of await describedCalls(world)) {
      if (!path.includes('{') || path.endsWith('/copies')) continue
      const last = path.split('/').at(-1) ?? ''
      const body = ['GET', 'DELETE'].includes(method) ? undefined : (bodies[last] ?? {})
      const detail = path.startsWith('bots/')
        ? /^There is no such bot, or you have no access to it\.$/
        : /^You have no such runtime\.$/
      const answers = []
      for (const [botId, runtimeId] of [
        ['bot-1', id],
        ['none', 'none'],
      ]) {
        const address = path.replace('{botId}', botId).replace('{runtimeId}', runtimeId).replaceAll(/[{}]/g, '')
        const answer = await call(world, stan, method, address, body)
        assertProblem(answer, 404, detail)
        answers.push(answer.json)
      }
      assert.deepEqual(answers[0], answers[1], `${method} ${path}`)
    }
    assert.equal((await exported(world)).length, before)
    await provision(world, 'DELETE', '/v1/bots/bot-1/coworkers/ed')
    assert.equal((await hosting(ed)).status, 404)
    assert.deepEqual((await call(world, ed, 'GET', 'bots')).json, { items: [], next: null })
  })

  test('a personal access token can send 300 requests per minute; further requests get 429 with Retry-After, and other tokens are not affected', async (t) => {
    const { world, tokenOf } = await openBot(t)
    const [token, other] = [await tokenOf('ada'), await tokenOf('ada')]
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
    const { world, tokenOf } = await openBot(t)
    const token = await tokenOf('ada')
    for (let n = 0; n < 100; n += 1) assert.equal((await call(world, unknownToken, 'GET', 'bots')).status, 401)
    const limited = await call(world, unknownToken, 'GET', 'bots')
    assertProblem(limited, 429, /^Too many wrong tokens came from this address\./)
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
    assert.equal((await call(world, token, 'GET', 'bots')).status, 200)
  })

  test('every change is audited with the token’s ID and name, and the activity page shows that name', async (t) => {
    const { world, ada, at } = await openBot(t)
    const token = await makeToken(ada, world, { name: 'night <shift>' })
    const { id } = (await call(world, token, 'GET', 'token')).json
    await call(world, token, 'PUT', 'bots/bot-1/hosting', { enabled: false })
    const event = (await exported(world)).at(-1)
    const detail = { hosting: 'off', personalTokenId: id, personalTokenName: 'night <shift>' }
    assert.deepEqual([event?.kind, event?.actor, event?.userId, event?.detail], ['bot-changed', 'user', 'ada', detail])
    const { text } = await ada.get(at('/account/activity'))
    assert.match(text, /Personal access token “night &lt;shift&gt;”/)
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

/** Returns the calls in the OpenAPI document, with the scopes that they need. Calls with a runtime key have none. */
async function describedCalls({ baseUrl }: World) {
  return operationsOf(await documentAt(`${baseUrl}/api`)).map(({ method, path, operation }) => {
    return { method, path: path.slice('/api/v1/'.length), scopes: operation.security?.[0]?.personalToken }
  })
}
