import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answerOf } from '../support/people.ts'
import { build } from '../support/world.ts'
import { assertProblem, botBody, openApis, openScene } from './provisioning-scene.ts'

describe('Errors of both APIs are RFC 9457 problem documents', () => {
  test('unknown, missing and wrongly typed JSON members are rejected, and each error in a body has a JSON pointer to the member', async (t) => {
    const { operate, own } = await openApis(t)
    const put = (path: string, body: object) => operate('PUT', path, body)
    const user = await put('users/ada', { name: '', email: 4, nick: 'x', pin: '12' })
    assertProblem(user, 400, ['#/nick', '#/name', '#/email', '#/pin'])
    assert.deepEqual(user.json.errors[0], {
      pointer: '#/nick',
      detail: 'Unknown member; remove it. Known members: name, email, password, pin, chatPlatformId, codeHostingId.',
    })
    assertProblem(await put('bots/bot-1', { ...botBody, hosting: true }), 400, ['#/hosting'])
    const webhook = { path: 'a b', requiresKey: 1, secret: 'x' }
    const flow = await put('bots/bot-1/flows/f', { kind: 'event', webhook })
    assertProblem(flow, 400, ['#/name', '#/webhook/secret', '#/webhook/path', '#/webhook/requiresKey'])

    assertProblem(await put('users/ada', {}), 400, ['#/name'])
    assertProblem(await put('bots/bot-1', {}), 400, ['#/ownerId', '#/name', '#/chatPlatformId'])
    assertProblem(await put('applications/acme', {}), 400, ['#/ownerId', '#/name', '#/websiteUrl', '#/redirectUris'])
    assertProblem(await put('bots/bot-1/coworkers/bob', {}), 400, ['#/role', '#/capabilities'])
    const body = { ...botBody, hostingEnabled: 'true', publicStatus: 1, chatPlatformId: 1234567890 }
    assertProblem(await put('bots/bot-1', body), 400, ['#/chatPlatformId', '#/hostingEnabled', '#/publicStatus'])
    const hosting = await own('PUT', 'bots/bot-1/hosting', { enabled: 'yes', where: 'cloud' })
    assertProblem(hosting, 400, ['#/where', '#/enabled'])
  })

  test('a body that is not a JSON object returns 400, a body that is too large 413, another content type 415', async (t) => {
    const { world, token } = await openApis(t)
    for (const [url, key, maxBytes] of [
      [`${world.controlUrl}/v1/users/ada`, world.operatorKey, 1_048_576],
      [`${world.baseUrl}/api/v1/bots/bot-1/hosting`, token, 65_536],
    ] as const) {
      const send = async (body: string | Uint8Array<ArrayBuffer> | undefined, type = 'application/json') => {
        const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': type }) }
        return answerOf(await fetch(url, { method: 'PUT', headers, ...(body !== undefined && { body }) }))
      }
      const unreadable = await send('{"password": "hunter2 hunter2", }')
      assertProblem(unreadable, 400, /can't be read as JSON/)
      assert.doesNotMatch(JSON.stringify(unreadable.json) + world.logs(), /hunter2/)
      assertProblem(await send('{"name":"Ada","__proto__":{"x":1}}'), 400, /can't be read as JSON/)
      assertProblem(await send(Uint8Array.from(Buffer.from('{"name":"J\u00fcrgen"}', 'latin1'))), 400, /UTF-8/)
      for (const body of ['', '[]', '"text"', 'null', '7', undefined]) assertProblem(await send(body), 400, ['#'])
      const asForm = await send('name=Ada', 'application/x-www-form-urlencoded')
      assertProblem(asForm, 415, /^Send the body as JSON, with the header Content-Type: application\/json\.$/)
      const large = JSON.stringify({ name: 'x'.repeat(maxBytes) })
      assertProblem(await send(large), 413, new RegExp(`^The body is larger than ${maxBytes} bytes\\.`))
    }
    const crowded = await fetch(`${world.controlUrl}/v1/users?${'&a'.repeat(1_000)}`)
    assert.deepEqual([crowded.status, (await crowded.json()).type], [413, 'about:blank'])
  })

  test('an unknown URL of an API, and a list of an unknown bot, returns 404; a wrong method returns 405 with Allow', async (t) => {
    const { operate, own } = await openApis(t)
    for (const [api, path, document] of [
      [operate, 'nothing', '/openapi.json'],
      [operate, '../nothing', '/openapi.json'],
      [own, 'nothing', '/api/openapi.json'],
    ] as const) {
      const nothing = new RegExp(`^There is nothing at this URL\\. ${document} describes the API\\.$`)
      assertProblem(await api('GET', path), 404, nothing)
    }
    for (const list of ['flows', 'coworkers', 'logs']) {
      assertProblem(await operate('GET', `bots/nobody/${list}`), 404, /no bot nobody/)
    }
    for (const [api, method, path, allow] of [
      [operate, 'POST', 'users/ada', 'PUT, GET, DELETE, HEAD'],
      [operate, 'PUT', 'bots/bot-1/logs', 'POST, GET, DELETE, HEAD'],
      [operate, 'PATCH', 'runtimes', 'POST, GET, HEAD'],
      [operate, 'PUT', 'bots/bot-1/deliveries/replay', 'GET, HEAD, POST'],
      [own, 'PUT', 'bots/bot-1/deliveries/discard', 'GET, HEAD, POST'],
      [own, 'POST', 'bots', 'GET, HEAD'],
    ] as const) {
      const answer = await api(method, path, {})
      assertProblem(answer, 405, new RegExp(`^${method} is not allowed here\\. Allowed methods: ${allow}\\.$`))
      assert.equal(answer.headers.get('allow'), allow)
    }
  })

  test('a malformed ID in the URL returns 400, and so does a bot ID of 17 to 20 digits, which looks like a chat-platform ID', async (t) => {
    const { operate, own } = await openApis(t)
    const put = (path: string, body: object) => operate('PUT', path, body)
    const malformed = /^The botId in the URL is malformed\./
    for (const id of ['a.b', 'x'.repeat(65), '%20', 'a%2Fb']) {
      assertProblem(await put(`users/${id}`, { name: 'X' }), 400, /userId/)
      const runtime = await put(`runtimes/${id}`, { name: 'Rack', botIds: '*' })
      assertProblem(runtime, 400, /^The runtimeId in the URL is malformed\./)
      for (const api of [operate, own]) assertProblem(await api('GET', `bots/${id}`), 400, malformed)
    }
    for (const id of ['1'.repeat(17), '1'.repeat(20)]) {
      assertProblem(await put(`bots/${id}`, botBody), 400, /17 to 20 digits/)
      assertProblem(await own('GET', `bots/${id}`), 400, malformed)
    }
    for (const [index, id] of ['1'.repeat(16), '1'.repeat(21), 'x'.repeat(64)].entries()) {
      assert.equal((await put(`bots/${id}`, { ...botBody, chatPlatformId: `7654321098765432${index}` })).status, 201)
    }
  })
})

describe('Authorization: Bearer <operator key>', () => {
  test('a missing or wrong operator key gets 401 at any URL and changes nothing', async (t) => {
    const { world, get } = await openScene(t)
    const unauthorized = { type: 'about:blank', title: 'Unauthorized', status: 401 }
    const detail = 'Send a valid operator key in the header Authorization: Bearer <key>.'
    for (const authorization of ['', 'Bearer wrong', `Basic ${world.operatorKey}`, world.operatorKey, 'Bearer ']) {
      for (const request of ['PUT users/ada', 'GET users/ada', 'GET audit', 'GET no/such/address', 'PATCH users/ada']) {
        const [method = '', path] = request.split(' ')
        const headers = { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) }
        const body = method === 'GET' ? null : JSON.stringify({ name: 'Mallory' })
        const response = await fetch(`${world.controlUrl}/v1/${path}`, { method, headers, body })
        assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'])
        assert.deepEqual(await response.json(), { ...unauthorized, detail })
      }
    }
    assert.equal((await get('users/ada')).json.name, 'Ada')
  })

  test('/livez, /readyz and /openapi.json need no operator key', async (t) => {
    const { world } = await openScene(t)
    const answers = {
      '/livez': { status: 'ok', ...build },
      '/readyz': { status: 'ok', ...build, checks: { identity: 'ok', gateway: 'ok' } },
    }
    for (const [path, body] of Object.entries(answers)) {
      const response = await fetch(`${world.controlUrl}${path}`)
      assert.deepEqual([response.status, await response.json()], [200, body])
    }
    assert.equal((await fetch(`${world.controlUrl}/openapi.json`)).status, 200)
  })
})
