import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { Browser, provision } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const madeAt = '2026-01-05T12:00:00.000Z'
const botBody = { ownerId: 'ada', name: 'Bot', chatPlatformId: '12345678901234567' }

/** Ada, and her bot `bot-1`. */
async function openScene(t: TestContext) {
  const world = await openWorld(t)
  const put = (path: string, body: object) => provision(world, 'PUT', `/v1/${path}`, body)
  const get = (path: string) => provision(world, 'GET', `/v1/${path}`)
  const post = (path: string, body: object) => provision(world, 'POST', `/v1/${path}`, body)
  const remove = (path: string) => provision(world, 'DELETE', `/v1/${path}`)
  await put('users/ada', { name: 'Ada' })
  await put('users/bob', { name: 'Bob' })
  await put('bots/bot-1', botBody)
  return { world, put, get, post, remove }
}

type Provisioned = Awaited<ReturnType<typeof provision>>

function assertAnswer(answer: Provisioned, status: number, body: object) {
  assert.deepEqual([answer.status, answer.json], [status, body])
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
}

/** A problem document with its members' places, or its detail when the fault is in no member. */
function assertProblem(answer: Provisioned, status: number, where: readonly string[] | RegExp) {
  const shown = JSON.stringify(answer.json)
  assert.equal(answer.status, status, shown)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const { type, title, status: repeated, detail, errors } = answer.json
  assert.deepEqual([type, repeated], ['about:blank', status])
  assert.match(title, /^[A-Z]/)
  assert.match(detail, /\.$/)
  if (where instanceof RegExp) {
    assert.match(detail, where)
    return
  }
  assert.deepEqual(
    errors.map((error: { pointer: string }) => error.pointer),
    where,
    shown,
  )
  for (const error of errors) assert.match(error.detail, /\.$/)
}

describe('Authorization: Bearer <operator key>', () => {
  test('a missing or wrong key is 401, whatever the address; nothing is changed', async (t) => {
    const { world, get } = await openScene(t)
    const body = JSON.stringify({ name: 'Mallory' })
    for (const authorization of [
      undefined,
      'Bearer wrong',
      `Basic ${world.operatorKey}`,
      world.operatorKey,
      'Bearer ',
    ]) {
      for (const [method, path] of [
        ['PUT', '/v1/users/ada'],
        ['GET', '/v1/users/ada'],
        ['GET', '/v1/no/such/address'],
        ['PATCH', '/v1/users/ada'],
      ] as const) {
        const headers = {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        }
        const response = await fetch(`${world.controlUrl}${path}`, {
          method,
          headers,
          ...(method === 'GET' ? {} : { body }),
        })
        assert.equal(response.status, 401)
        assert.equal(response.headers.get('www-authenticate'), 'Bearer')
        assert.deepEqual(await response.json(), {
          type: 'about:blank',
          title: 'Unauthorized',
          status: 401,
          detail: 'Send the operator key in the header Authorization: Bearer <key>.',
        })
      }
    }
    assert.equal((await get('users/ada')).json.name, 'Ada')
  })

  test('/livez, /readyz and /openapi.json need no key', async (t) => {
    const { world } = await openScene(t)
    const answers = {
      '/livez': { status: 'ok' },
      '/readyz': { status: 'ok', checks: { identity: 'ok', gateway: 'ok' } },
    }
    for (const [path, body] of Object.entries(answers)) {
      const response = await fetch(`${world.controlUrl}${path}`)
      assert.deepEqual([response.status, await response.json()], [200, body])
    }
    assert.equal((await fetch(`${world.controlUrl}/openapi.json`)).status, 200)
  })
})

describe('Faults are RFC 9457 problem documents', () => {
  test('unknown members are refused, and every fault of a body is named by its place', async (t) => {
    const { put } = await openScene(t)
    const user = await put('users/ada', { name: '', email: 4, nick: 'x', pin: '12' })
    assertProblem(user, 400, ['#/nick', '#/name', '#/email', '#/pin'])
    assert.deepEqual(user.json.errors[0], {
      pointer: '#/nick',
      detail:
        'There is no such member here; take it out. The members are name, email, password, pin, chatPlatformId, codeHostingId.',
    })
    assertProblem(await put('bots/bot-1', { ...botBody, hosting: true }), 400, ['#/hosting'])
    const flow = await put('bots/bot-1/flows/f', {
      kind: 'event',
      webhook: { path: 'a b', requiresKey: 1, secret: 'x' },
    })
    assertProblem(flow, 400, ['#/name', '#/webhook/secret', '#/webhook/path', '#/webhook/requiresKey'])
  })

  test('required members have to be there, at each PUT', async (t) => {
    const { put } = await openScene(t)
    assertProblem(await put('users/ada', {}), 400, ['#/name'])
    assertProblem(await put('bots/bot-1', {}), 400, ['#/ownerId', '#/name', '#/chatPlatformId'])
    assertProblem(await put('applications/acme', {}), 400, ['#/ownerId', '#/name', '#/websiteUrl', '#/redirectUris'])
    assertProblem(await put('bots/bot-1/coworkers/bob', {}), 400, ['#/role', '#/capabilities'])
  })

  test('values are taken as they are: none is turned into another type', async (t) => {
    const { put } = await openScene(t)
    const body = { ...botBody, hostingEnabled: 'true', publicStatus: 1, chatPlatformId: 1234567890 }
    assertProblem(await put('bots/bot-1', body), 400, ['#/chatPlatformId', '#/hostingEnabled', '#/publicStatus'])
  })

  test('a body that is no JSON object, too large or of another type', async (t) => {
    const { world } = await openScene(t)
    const send = async (body: string | undefined, type: string | undefined) => {
      const response = await fetch(`${world.controlUrl}/v1/users/ada`, {
        method: 'PUT',
        headers: {
          authorization: `Bearer ${world.operatorKey}`,
          ...(type === undefined ? {} : { 'content-type': type }),
        },
        ...(body === undefined ? {} : { body }),
      })
      return { status: response.status, headers: response.headers, json: await response.json() } as Provisioned
    }
    const json = 'application/json'
    const secret = '{"password": "hunter2 hunter2", }'
    const unreadable = await send(secret, json)
    assertProblem(unreadable, 400, /can't be read as JSON/)
    assert.doesNotMatch(JSON.stringify(unreadable.json) + world.logs(), /hunter2/)
    assertProblem(await send('{"name":"Ada","__proto__":{"x":1}}', json), 400, /can't be read as JSON/)
    for (const body of ['', '[]', '"text"', 'null', '7']) assertProblem(await send(body, json), 400, ['#'])
    assertProblem(await send(undefined, undefined), 400, ['#'])
    assertProblem(await send('name=Ada', 'application/x-www-form-urlencoded'), 415, /application\/json/)
    assertProblem(await send(JSON.stringify({ name: 'x'.repeat(1_048_576) }), json), 413, /1048576 bytes/)
  })

  test('an unknown address is 404; another method is 405 with Allow', async (t) => {
    const { world, get } = await openScene(t)
    assertProblem(await get('nothing'), 404, /openapi\.json/)
    assertProblem(await provision(world, 'GET', '/nothing'), 404, /openapi\.json/)
    for (const [method, path, allow] of [
      ['DELETE', '/v1/users/ada', 'PUT, GET, HEAD'],
      ['POST', '/v1/bots/bot-1', 'PUT, GET, DELETE, HEAD'],
      ['PUT', '/v1/bots/bot-1/logs', 'POST, GET, HEAD'],
      ['PATCH', '/v1/runtimes', 'POST, GET, HEAD'],
    ] as const) {
      const answer = await provision(world, method, path, {})
      assertProblem(answer, 405, new RegExp(`It takes ${allow}\\.`))
      assert.equal(answer.headers.get('allow'), allow)
    }
  })

  test('ids in the address have their form; a bot id of 17 to 20 digits is refused', async (t) => {
    const { put, get } = await openScene(t)
    for (const id of ['a.b', 'x'.repeat(65), '%20', 'a%2Fb']) {
      assertProblem(await put(`users/${id}`, { name: 'X' }), 400, /userId/)
      assertProblem(await get(`bots/${id}`), 400, /botId/)
    }
    for (const id of ['1'.repeat(17), '1'.repeat(20)])
      assertProblem(await put(`bots/${id}`, botBody), 400, /17 to 20 digits/)
    for (const [index, id] of ['1'.repeat(16), '1'.repeat(21), 'x'.repeat(64)].entries()) {
      assert.equal((await put(`bots/${id}`, { ...botBody, chatPlatformId: `7654321098765432${index}` })).status, 201)
    }
  })
})

describe('PUT /v1/users/{userId}', () => {
  test('creates (201), changes (200); GET answers the record without secrets', async (t) => {
    const { put, get } = await openScene(t)
    const body = {
      name: 'Grace',
      email: 'Grace@Example.com',
      password: 'correct horse battery',
      pin: '1234',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'grace',
    }
    const record = {
      id: 'grace',
      name: 'Grace',
      email: 'Grace@Example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'grace',
      hasPassword: true,
      hasPin: true,
      createdAt: madeAt,
    }
    assertAnswer(await put('users/grace', body), 201, record)
    assertAnswer(await put('users/grace', body), 200, record)
    assertAnswer(await get('users/grace'), 200, record)
    assertProblem(await get('users/nobody'), 404, /no user nobody/)
  })

  test('an absent optional member keeps what is stored, null clears it', async (t) => {
    const { put } = await openScene(t)
    const body = {
      name: 'Ada',
      email: 'ada@example.com',
      password: 'correct horse battery',
      pin: '1234',
      codeHostingId: 'a',
    }
    await put('users/ada', body)
    const kept = (await put('users/ada', { name: 'Ada L.' })).json
    assert.partialDeepStrictEqual(kept, { name: 'Ada L.', email: 'ada@example.com', hasPin: true, codeHostingId: 'a' })
    const cleared = (
      await put('users/ada', { name: 'Ada', email: null, password: null, pin: null, codeHostingId: null })
    ).json
    assert.partialDeepStrictEqual(cleared, { email: null, hasPassword: false, hasPin: false, codeHostingId: null })
  })

  test('what is outside the rules is 400, what is taken 409', async (t) => {
    const { put } = await openScene(t)
    await put('users/ada', {
      name: 'Ada',
      email: 'ada@example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'a',
    })
    for (const [member, value] of [
      ['pin', '123'],
      ['pin', '1234567890123'],
      ['pin', '١٢٣٤'],
      ['password', 'short'],
      ['password', 'password'],
      ['email', 'no address'],
      ['chatPlatformId', '1234567890123456'],
      ['codeHostingId', 'a b'],
      ['name', ' '],
    ] as const) {
      assertProblem(await put('users/bob', { name: 'Bob', [member]: value }), 400, [`#/${member}`])
    }
    for (const [member, value] of [
      ['email', ' ADA@example.com '],
      ['chatPlatformId', '12345678901234567'],
      ['codeHostingId', 'a'],
    ] as const) {
      assertProblem(await put('users/bob', { name: 'Bob', [member]: value }), 409, [`#/${member}`])
    }
  })

  test('who was provisioned signs in', async (t) => {
    const { world, put } = await openScene(t)
    await put('users/ada', { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' })
    const browser = new Browser()
    const page = await browser.get(`${world.baseUrl}/sign-in`)
    const answer = await browser.submit(page, { email: 'ada@example.com', password: 'correct horse battery' })
    assert.equal(answer.status, 303)
  })
})

describe('PUT /v1/applications/{applicationId}', () => {
  const body = {
    ownerId: 'ada',
    name: 'Acme',
    websiteUrl: 'https://client.example',
    redirectUris: ['https://client.example/callback'],
  }

  test('201 carries clientId and clientSecret once; a change and GET do not', async (t) => {
    const { put, get } = await openScene(t)
    const made = await put('applications/acme', body)
    const { clientId, clientSecret } = made.json
    assert.match(clientId, /^svc_ci_[A-Za-z0-9]+$/)
    assert.match(clientSecret, /^svc_cs_[A-Za-z0-9]{43,}$/)
    const record = {
      id: 'acme',
      clientId,
      ...body,
      environment: 'production',
      firstParty: false,
      verified: false,
      requirePkce: false,
      clientSecretLastFour: clientSecret.slice(-4),
      createdAt: madeAt,
    }
    assertAnswer(made, 201, { ...record, clientSecret })
    assertAnswer(await put('applications/acme', { ...body, name: 'New' }), 200, { ...record, name: 'New' })
    assertAnswer(await get('applications/acme'), 200, { ...record, name: 'New' })
    assertProblem(await get('applications/other'), 404, /no application other/)
  })

  test('environment, firstParty, verified and requirePkce are kept when absent, and cleared by null', async (t) => {
    const { put, get } = await openScene(t)
    const chosen = { environment: 'development', firstParty: true, verified: true, requirePkce: true }
    assert.partialDeepStrictEqual((await put('applications/acme', { ...body, ...chosen })).json, chosen)
    assert.partialDeepStrictEqual((await put('applications/acme', body)).json, chosen)
    assert.partialDeepStrictEqual((await get('applications/acme')).json, chosen)
    const nulls = { environment: null, firstParty: null, verified: null, requirePkce: null }
    const cleared = { environment: 'production', firstParty: false, verified: false, requirePkce: false }
    assert.partialDeepStrictEqual((await put('applications/acme', { ...body, ...nulls })).json, cleared)
  })

  test('an unknown owner, and addresses outside the rules, each by its place', async (t) => {
    const { put } = await openScene(t)
    for (const ownerId of ['nobody', 'portal', '!']) {
      assertProblem(await put('applications/acme', { ...body, ownerId }), 400, ['#/ownerId'])
    }
    const redirectUris = ['https://client.example/', 'http://client.example/', 'https://client.example/#fragment']
    const faulty = await put('applications/acme', { ...body, websiteUrl: 'http://client.example', redirectUris })
    assertProblem(faulty, 400, ['#/websiteUrl', '#/redirectUris/1', '#/redirectUris/2'])
    assertProblem(await put('applications/acme', { ...body, redirectUris: [] }), 400, ['#/redirectUris'])
  })

  test('our choice: the service’s own portal is not to be changed', async (t) => {
    const { put, get } = await openScene(t)
    const before = (await get('applications/portal')).json
    assert.equal(before.ownerId, null)
    assertProblem(await put('applications/portal', body), 409, /developer portal/)
    assert.deepEqual((await get('applications/portal')).json, before)
  })
})

describe('PUT /v1/bots/{botId}', () => {
  const record = {
    id: 'bot-1',
    ...botBody,
    avatar: null,
    plan: 'free',
    hostingEnabled: false,
    hostingLocation: null,
    publicStatus: false,
    createdAt: madeAt,
  }
  const whole = {
    avatar: 'https://cdn.example/bot.png',
    plan: 'pro-2',
    hostingEnabled: true,
    hostingLocation: 'local',
    publicStatus: true,
  }

  test('creates (201), changes (200); an absent member keeps, null clears', async (t) => {
    const { put, get } = await openScene(t)
    const two = { ...botBody, chatPlatformId: '12345678901234568' }
    assertAnswer(await put('bots/bot-2', two), 201, { ...record, ...two, id: 'bot-2' })
    assertAnswer(await put('bots/bot-1', { ...botBody, ...whole }), 200, { ...record, ...whole })
    assertAnswer(await put('bots/bot-1', botBody), 200, { ...record, ...whole })
    assertAnswer(await get('bots/bot-1'), 200, { ...record, ...whole })
    const nulls = Object.fromEntries(Object.keys(whole).map((member) => [member, null]))
    assertAnswer(await put('bots/bot-1', { ...botBody, ...nulls }), 200, record)
    assertProblem(await get('bots/nobody'), 404, /no bot nobody/)
  })

  test('an unknown owner and values outside the rules are 400, a taken chat-platform id 409', async (t) => {
    const { put } = await openScene(t)
    for (const [member, value] of [
      ['ownerId', 'nobody'],
      ['ownerId', 'not an id'],
      ['chatPlatformId', 'abc'],
      ['plan', 'Pro'],
      ['plan', 'x'.repeat(33)],
      ['avatar', 'javascript:alert(1)'],
      ['avatar', 'picture.png'],
      ['hostingLocation', 'moon'],
      ['name', '  '],
      ['name', 'x'.repeat(101)],
    ] as const) {
      assertProblem(await put('bots/bot-1', { ...botBody, [member]: value }), 400, [`#/${member}`])
    }
    assertProblem(await put('bots/bot-2', botBody), 409, ['#/chatPlatformId'])
  })

  test('DELETE is a soft delete (204); its id and its chat-platform id make new bots', async (t) => {
    const { put, get, remove } = await openScene(t)
    await put('bots/bot-1', { ...botBody, ...whole })
    await put('bots/bot-1/guilds', { guildIds: ['1'] })
    const answer = await remove('bots/bot-1')
    assert.deepEqual([answer.status, answer.json], [204, undefined])
    for (const path of ['bots/bot-1', 'bots/bot-1/guilds', 'bots/bot-1/logs'])
      assertProblem(await get(path), 404, /no bot bot-1/)
    assertProblem(await remove('bots/bot-1'), 404, /no bot bot-1/)
    assertAnswer(await put('bots/bot-1', botBody), 201, record)
    assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
  })
})

describe('PUT /v1/bots/{botId}/coworkers/{userId}', () => {
  test('creates (201), changes (200)', async (t) => {
    const { put, get } = await openScene(t)
    const path = 'bots/bot-1/coworkers/bob'
    const record = { botId: 'bot-1', userId: 'bob', role: 'viewer', capabilities: ['read logs', 'ключи'] }
    const { role, capabilities } = record
    assertAnswer(await put(path, { role, capabilities }), 201, record)
    assertAnswer(await put(path, { role: 'editor', capabilities: [] }), 200, {
      ...record,
      role: 'editor',
      capabilities: [],
    })
    assertAnswer(await get(path), 200, { ...record, role: 'editor', capabilities: [] })
    assertProblem(await get('bots/bot-1/coworkers/ada'), 404, /no coworker ada/)
  })

  test('our choice: DELETE ends it (204), and is 404 from then on', async (t) => {
    const { put, get, remove } = await openScene(t)
    const path = 'bots/bot-1/coworkers/bob'
    await put(path, { role: 'viewer', capabilities: [] })
    assert.equal((await remove(path)).status, 204)
    assertProblem(await get(path), 404, /no coworker bob/)
    assertProblem(await remove(path), 404, /no coworker bob/)
    assertProblem(await remove('bots/nobody/coworkers/bob'), 404, /no coworker bob/)
  })

  test('an unknown bot or user, the owner, and values outside the rules are 400', async (t) => {
    const { put } = await openScene(t)
    const body = { role: 'viewer', capabilities: [] }
    assertProblem(await put('bots/nobody/coworkers/bob', body), 400, /no such bot/)
    assertProblem(await put('bots/bot-1/coworkers/nobody', body), 400, /no such user/)
    assertProblem(await put('bots/bot-1/coworkers/ada', body), 400, /owns the bot/)
    const put1 = (change: object) => put('bots/bot-1/coworkers/bob', { ...body, ...change })
    assertProblem(await put1({ role: 'owner' }), 400, ['#/role'])
    assertProblem(await put1({ capabilities: ['', 'x'.repeat(65)] }), 400, ['#/capabilities/0', '#/capabilities/1'])
    assertProblem(await put1({ capabilities: 'all' }), 400, ['#/capabilities'])
  })
})

describe('PUT /v1/bots/{botId}/guilds', () => {
  test('replaces the list; each id counts once', async (t) => {
    const { put, get } = await openScene(t)
    assertAnswer(await get('bots/bot-1/guilds'), 200, { botId: 'bot-1', guildIds: [] })
    const record = { botId: 'bot-1', guildIds: ['22345678901234567', '12345678901234567'] }
    const guildIds = [...record.guildIds, record.guildIds[0]]
    assertAnswer(await put('bots/bot-1/guilds', { guildIds }), 200, record)
    assertAnswer(await get('bots/bot-1/guilds'), 200, record)
    assertProblem(await put('bots/bot-1/guilds', { guildIds: ['a b'] }), 400, ['#/guildIds/0'])
    assertProblem(await put('bots/nobody/guilds', { guildIds: [] }), 400, /no such bot/)
  })
})

describe('PUT /v1/bots/{botId}/flows/{flowId}', () => {
  const flow = { kind: 'event', name: 'Hook' }
  const record = { botId: 'bot-1', id: 'hook', ...flow, publicCode: null, webhook: null }

  test('creates (201), changes (200); an absent member keeps, null clears', async (t) => {
    const { put, get } = await openScene(t)
    assertAnswer(await put('bots/bot-1/flows/hook', flow), 201, record)
    const webhook = { path: 'a/b-c_d.e~f', requiresKey: false }
    const whole = {
      ...record,
      publicCode: 'AB-12',
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, publicCode: 'AB-12', webhook }), 200, whole)
    assertAnswer(await put('bots/bot-1/flows/hook', flow), 200, whole)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, whole)
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, publicCode: null, webhook: null }), 200, record)
    assertProblem(await get('bots/bot-1/flows/other'), 404, /no flow other/)
  })

  test('a required key that is neither given nor stored is made and returned once; a later PUT keeps it', async (t) => {
    const { world, put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    const made = await put('bots/bot-1/flows/hook', { ...flow, webhook })
    const { key } = made.json.webhook
    assert.match(key, /^svc_fk_[A-Za-z0-9]{43,}$/)
    const stored = {
      ...record,
      webhook: { ...webhook, keyLastFour: key.slice(-4), ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(made, 201, { ...stored, webhook: { ...stored.webhook, key } })
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 200, stored)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, stored)
    assert.equal(await send(world, key), 202)
    assert.equal(await send(world, 'wrong'), 401)
  })

  test('a given key is stored and not returned; null makes a new one', async (t) => {
    const { world, put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    const own = await put('bots/bot-1/flows/hook', {
      ...flow,
      webhook: { ...webhook, key: 'our own key'.replaceAll(' ', '-') },
    })
    assertAnswer(own, 201, {
      ...record,
      webhook: { ...webhook, keyLastFour: '-key', ordered: false, signature: null, dedupe: null },
    })
    assert.equal(await send(world, 'our-own-key'), 202)
    const renewed = (await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, key: null } })).json.webhook
      .key
    assert.equal(await send(world, 'our-own-key'), 401)
    assert.equal(await send(world, renewed), 202)
  })

  test('our choice: webhook.signature is kept and shown without its secret; absent keeps, null clears', async (t) => {
    const { put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const shown = (signature: object | null) => ({
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature, dedupe: null },
    })
    const putSigned = (signature?: object | null) =>
      put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, signature } })
    assertAnswer(await putSigned({ preset: 'github', secret: 'a secret' }), 201, shown({ preset: 'github' }))
    assertAnswer(await putSigned(), 200, shown({ preset: 'github' }))
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, shown({ preset: 'github' }))
    assertAnswer(await putSigned({ preset: 'slack' }), 200, shown({ preset: 'slack' }))
    const hmac = { preset: 'hmac', header: 'X-Sig', hash: 'sha256', encoding: 'hex', prefix: '' }
    assertAnswer(await putSigned({ preset: 'hmac', header: 'X-Sig', secret: 'another' }), 200, shown(hmac))
    const discord = { preset: 'discord', publicKey: 'ab'.repeat(32) }
    assertAnswer(await putSigned({ ...discord, publicKey: 'AB'.repeat(32) }), 200, shown(discord))
    assertProblem(await putSigned({ preset: 'stripe' }), 400, ['#/webhook/signature/secret'])
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, shown(discord))
    assertAnswer(await putSigned(null), 200, shown(null))
  })

  test('our choice: a signature outside its rules is refused by the member at fault, and changes nothing', async (t) => {
    const { put, get } = await openScene(t)
    const faulty: [object, string][] = [
      [{ preset: 'gitlab', secret: 's' }, '#/webhook/signature/preset'],
      [{ preset: 'github', secret: '' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 'a\u0000b' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 'x'.repeat(257) }, '#/webhook/signature/secret'],
      [{ preset: 'github' }, '#/webhook/signature/secret'],
      [{ preset: 'github', secret: 's', header: 'X-Sig' }, '#/webhook/signature'],
      [{ preset: 'github', secret: 's', strange: true }, '#/webhook/signature/strange'],
      [{ preset: 'discord', publicKey: 'ab' }, '#/webhook/signature/publicKey'],
      [{ preset: 'discord' }, '#/webhook/signature/publicKey'],
      [{ preset: 'discord', publicKey: 'ab'.repeat(32), secret: 's' }, '#/webhook/signature'],
      [{ preset: 'hmac', secret: 's' }, '#/webhook/signature/header'],
      [{ preset: 'hmac', secret: 's', header: 'a b' }, '#/webhook/signature/header'],
      [{ preset: 'hmac', secret: 's', header: 'a', hash: 'md5' }, '#/webhook/signature/hash'],
      [{ preset: 'hmac', secret: 's', header: 'a', encoding: 'base32' }, '#/webhook/signature/encoding'],
      [{ preset: 'hmac', secret: 's', header: 'a', prefix: 'a b' }, '#/webhook/signature/prefix'],
      [{ secret: 's' }, '#/webhook/signature/preset'],
    ]
    for (const [signature, pointer] of faulty) {
      const webhook = { path: 'in', requiresKey: false, signature }
      assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 400, [pointer])
    }
    assert.equal((await get('bots/bot-1/flows/hook')).status, 404)
  })

  test('our choice: webhook.dedupe names a header or a place, and a window; absent keeps, null clears', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const putDedupe = (dedupe?: object | null) =>
      put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, dedupe } })
    const shown = (dedupe: object | null) => ({
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe },
    })
    const byHeader = { header: 'X-GitHub-Delivery', windowSeconds: 3_600 }
    assertAnswer(await putDedupe(byHeader), 201, shown(byHeader))
    assertAnswer(await putDedupe(), 200, shown(byHeader))
    assertAnswer(await putDedupe({ pointer: '/id' }), 200, shown({ pointer: '/id', windowSeconds: 86_400 }))
    const faulty: [object, string][] = [
      [{}, '#/webhook/dedupe'],
      [{ header: 'a', pointer: '/a' }, '#/webhook/dedupe'],
      [{ header: 'a b' }, '#/webhook/dedupe/header'],
      [{ pointer: 'id' }, '#/webhook/dedupe/pointer'],
      [{ pointer: '' }, '#/webhook/dedupe/pointer'],
      [{ pointer: '/~2' }, '#/webhook/dedupe/pointer'],
      [{ header: 'a', windowSeconds: 0 }, '#/webhook/dedupe/windowSeconds'],
      [{ header: 'a', windowSeconds: 86_401 }, '#/webhook/dedupe/windowSeconds'],
      [{ header: 'a', windowSeconds: 1.5 }, '#/webhook/dedupe/windowSeconds'],
    ]
    for (const [dedupe, pointer] of faulty) assertProblem(await putDedupe(dedupe), 400, [pointer])
    assertAnswer(await putDedupe(null), 200, shown(null))
  })

  test('our choice: webhook.ordered keeps the flow’s events in strict order; absent keeps, null clears', async (t) => {
    const { put, get } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    const ordered = {
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: true, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: true } }), 201, ordered)
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook }), 200, ordered)
    assertAnswer(await get('bots/bot-1/flows/hook'), 200, ordered)
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: 'yes' } }), 400, [
      '#/webhook/ordered',
    ])
    const cleared = {
      ...record,
      webhook: { ...webhook, keyLastFour: null, ordered: false, signature: null, dedupe: null },
    }
    assertAnswer(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, ordered: null } }), 200, cleared)
  })

  test('a webhook on a flow whose kind is not event, or with a path or key outside the rules, is 400', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: true }
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer', webhook }), 400, ['#/webhook'])
    for (const path of ['', 'a b', 'ä', 'a%20b', 'a?b', 'x'.repeat(101)]) {
      const faulty = await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, path } })
      assertProblem(faulty, 400, ['#/webhook/path'])
    }
    for (const key of ['', 'a b', 'ä', 'x'.repeat(257)]) {
      assertProblem(await put('bots/bot-1/flows/hook', { ...flow, webhook: { ...webhook, key } }), 400, [
        '#/webhook/key',
      ])
    }
    for (const kind of ['', 'Event', 'x'.repeat(33)])
      assertProblem(await put('bots/bot-1/flows/f', { ...flow, kind }), 400, ['#/kind'])
    assertProblem(await put('bots/nobody/flows/hook', flow), 400, /no such bot/)
    await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assertProblem(await put('bots/bot-1/flows/hook', { ...flow, kind: 'timer' }), 400, ['#/webhook'])
  })

  test('a bot’s webhook path that is taken is 409', async (t) => {
    const { put } = await openScene(t)
    const webhook = { path: 'in', requiresKey: false }
    await put('bots/bot-1/flows/hook', { ...flow, webhook })
    assertProblem(await put('bots/bot-1/flows/other', { ...flow, webhook }), 409, ['#/webhook/path'])
  })

  test('our choice: DELETE removes the flow, and its webhook answers no more', async (t) => {
    const { world, put, get, remove } = await openScene(t)
    await put('bots/bot-1/flows/hook', { ...flow, webhook: { path: 'in', requiresKey: false } })
    assert.equal(await send(world), 202)
    assert.equal((await remove('bots/bot-1/flows/hook')).status, 204)
    assert.equal(await send(world), 404)
    assertProblem(await get('bots/bot-1/flows/hook'), 404, /no flow hook/)
    assertProblem(await remove('bots/bot-1/flows/hook'), 404, /no flow hook/)
  })

  async function send(world: World, key?: string) {
    const headers = key === undefined ? {} : { 'svc-key': key }
    const { status } = await fetch(`${world.apiUrl}/bot-1/in`, { method: 'POST', body: 'x', headers })
    return status
  }
})

describe('POST /v1/bots/{botId}/logs', () => {
  test('appends entries, at their time or now; GET answers the latest hundred, newest first', async (t) => {
    const { post, get } = await openScene(t)
    const early = { at: '2026-01-05T12:30:00+01:00', level: 'warn', message: 'early' }
    const appended = await post('bots/bot-1/logs', { entries: [{ level: 'info', message: 'now' }, early] })
    const entries = [
      { at: madeAt, level: 'info', message: 'now' },
      { ...early, at: '2026-01-05T11:30:00.000Z' },
    ]
    assertAnswer(appended, 201, { botId: 'bot-1', entries })
    assertAnswer(await get('bots/bot-1/logs'), 200, { botId: 'bot-1', entries })
    await post('bots/bot-1/logs', { entries: Array.from({ length: 150 }, () => ({ level: 'debug', message: 'x' })) })
    assert.equal((await get('bots/bot-1/logs')).json.entries.length, 100)
  })

  test('entries outside the rules, and an unknown bot, are 400 and nothing is appended', async (t) => {
    const { post, get } = await openScene(t)
    const good = { level: 'info', message: 'x' }
    for (const [entry, where] of [
      [{ ...good, level: 'fatal' }, '#/entries/1/level'],
      [{ ...good, message: '' }, '#/entries/1/message'],
      [{ ...good, message: 'x'.repeat(4_097) }, '#/entries/1/message'],
      [{ ...good, at: 'yesterday' }, '#/entries/1/at'],
      [{ ...good, at: '2026-13-01T00:00:00Z' }, '#/entries/1/at'],
      [{ ...good, at: '2026-01-05T12:00:00' }, '#/entries/1/at'],
      [{ ...good, extra: 1 }, '#/entries/1/extra'],
    ] as const) {
      assertProblem(await post('bots/bot-1/logs', { entries: [good, entry] }), 400, [where])
    }
    assertProblem(await post('bots/bot-1/logs', { entries: [] }), 400, ['#/entries'])
    assertProblem(await post('bots/nobody/logs', { entries: [good] }), 400, /no such bot/)
    assertAnswer(await get('bots/bot-1/logs'), 200, { botId: 'bot-1', entries: [] })
  })
})

describe('POST /v1/runtimes', () => {
  test('201 carries id and key once; GET answers the record, and the list of all', async (t) => {
    const { post, get } = await openScene(t)
    const made = await post('runtimes', { name: 'Rack 1', botIds: ['bot-1', 'bot-1'] })
    const { id, key } = made.json
    assert.match(key, /^svc_rk_[A-Za-z0-9]{43,}$/)
    const record = {
      id,
      name: 'Rack 1',
      ownerId: null,
      botIds: ['bot-1'],
      keyLastFour: key.slice(-4),
      keys: [{ number: 1, lastFour: key.slice(-4), madeAt, lastUsedAt: null, endsAt: null }],
      createdAt: madeAt,
    }
    assertAnswer(made, 201, { ...record, key })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    const { key: _, ...every } = (await post('runtimes', { name: 'Rack 2', botIds: '*' })).json
    assert.equal(every.botIds, '*')
    const { json } = await get('runtimes')
    const byName = (one: { name: string }, other: { name: string }) => one.name.localeCompare(other.name)
    assert.deepEqual(json.runtimes.toSorted(byName), [record, every])
    assertProblem(await get('runtimes/none'), 404, /no runtime none/)
  })

  test('unknown bots, and values outside the rules, are 400', async (t) => {
    const { post, remove, put } = await openScene(t)
    await put('bots/bot-2', { ...botBody, chatPlatformId: '12345678901234568' })
    await remove('bots/bot-2')
    for (const botIds of [['bot-1', 'nobody'], ['bot-2'], ['12345678901234567'], [], 'all', 7]) {
      assertProblem(await post('runtimes', { name: 'Rack', botIds }), 400, ['#/botIds'])
    }
    assertProblem(await post('runtimes', { name: ' ', botIds: '*' }), 400, ['#/name'])
  })

  test('our choice: DELETE removes the runtime, and its key is refused', async (t) => {
    const { world, post, remove } = await openScene(t)
    const { id, key } = (await post('runtimes', { name: 'Rack 1', botIds: '*' })).json
    assert.equal((await world.service.bots.authenticateRuntime(key))?.runtime.id, id)
    assert.equal((await remove(`runtimes/${id}`)).status, 204)
    assert.equal(await world.service.bots.authenticateRuntime(key), undefined)
    assertProblem(await remove(`runtimes/${id}`), 404, /no runtime/)
  })

  test('our choice: POST …/keys makes a new key; the one before works for 24 hours more, or ends now', async (t) => {
    const { world, post, get, remove } = await openScene(t)
    const { runtimes } = world.service.bots
    const { id, key: first } = (await post('runtimes', { name: 'Rack 1', botIds: '*' })).json
    const made = await post(`runtimes/${id}/keys`, {})
    const { key: second, ...record } = made.json
    const endsAt = new Date(Date.parse(madeAt) + 24 * 3_600_000).toISOString()
    assertAnswer(made, 201, {
      ...{ id, name: 'Rack 1', ownerId: null, botIds: '*', keyLastFour: second.slice(-4), createdAt: madeAt },
      keys: [
        { number: 2, lastFour: second.slice(-4), madeAt, lastUsedAt: null, endsAt: null },
        { number: 1, lastFour: first.slice(-4), madeAt, lastUsedAt: null, endsAt },
      ],
      key: second,
    })
    assertAnswer(await get(`runtimes/${id}`), 200, record)
    for (const key of [first, second]) assert.equal((await runtimes.authenticate(key))?.runtime.id, id)

    const third = (await post(`runtimes/${id}/keys`, { keyBefore: 'ends-now' })).json
    assert.deepEqual(
      third.keys.map(({ number }: { number: number }) => number),
      [3],
    )
    for (const key of [first, second]) assert.equal(await runtimes.authenticate(key), undefined)

    await post(`runtimes/${id}/keys`, { keyBefore: 'ends-in-24-hours' })
    assertProblem(await remove(`runtimes/${id}/keys/4`), 409, /current key/)
    assert.equal((await remove(`runtimes/${id}/keys/3`)).status, 204)
    assert.equal(await runtimes.authenticate(third.key), undefined)
    for (const number of ['3', '99', 'x']) {
      assertProblem(await remove(`runtimes/${id}/keys/${number}`), 404, /no live key/)
    }
    assertProblem(await post('runtimes/none/keys', {}), 404, /no such runtime/)
    assertProblem(await remove('runtimes/none/keys/1'), 404, /no such runtime/)
    assertProblem(await post(`runtimes/${id}/keys`, { keyBefore: 'never' }), 400, ['#/keyBefore'])
  })
})

describe('PUT /v1/scopes/{scope}', () => {
  test('declares (201), describes anew (200); GET answers it, and those of the service', async (t) => {
    const { put, get } = await openScene(t)
    const record = { scope: 'bots.write', description: 'Change your bots' }
    assertAnswer(await put('scopes/bots.write', { description: 'Change your bots' }), 201, record)
    const anew = { ...record, description: 'Change what your bots do' }
    assertAnswer(await put('scopes/bots.write', { description: anew.description }), 200, anew)
    assertAnswer(await get('scopes/bots.write'), 200, anew)
    assert.equal((await get('scopes/user.email')).status, 200)
    assertProblem(await get('scopes/bots.manage'), 404, /no scope bots\.manage/)
  })

  test('our choice: the nine of the service can’t be declared anew, and names and descriptions have their form', async (t) => {
    const { put } = await openScene(t)
    assertProblem(await put('scopes/user.email', { description: 'X' }), 400, /scope of the service itself/)
    for (const name of ['a%20b', 'a,b', '%22', '%C3%A4', 'x'.repeat(101)]) {
      assertProblem(await put(`scopes/${name}`, { description: 'X' }), 400, /name of a scope/)
    }
    for (const description of ['', 'x'.repeat(201), 'a\nb']) {
      assertProblem(await put('scopes/bots.write', { description }), 400, ['#/description'])
    }
  })
})

describe('{control_url}/openapi.json', () => {
  test('describes every call in OpenAPI 3.1, by the schemas that validate and answer', async (t) => {
    const { world } = await openScene(t)
    const document = (await (await fetch(`${world.controlUrl}/openapi.json`)).json()) as {
      openapi: string
      servers: object[]
      paths: Record<string, Record<string, { operationId: string; responses: object; requestBody?: object }>>
      components: { schemas: Record<string, object> }
    }
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.servers, [{ url: world.controlUrl }])
    const calls = Object.entries(document.paths).map(([path, methods]) => `${path}: ${Object.keys(methods).join(' ')}`)
    const ofContract = [
      '/v1/users/{userId}: put get',
      '/v1/applications/{applicationId}: put get',
      '/v1/bots/{botId}: put get delete',
      '/v1/bots/{botId}/coworkers/{userId}: put get delete',
      '/v1/bots/{botId}/guilds: put get',
      '/v1/bots/{botId}/flows/{flowId}: put get delete',
      '/v1/bots/{botId}/logs: post get',
      '/v1/runtimes: post get',
      '/v1/runtimes/{runtimeId}: get delete',
      '/v1/runtimes/{runtimeId}/keys: post',
      '/v1/runtimes/{runtimeId}/keys/{keyNumber}: delete',
      '/v1/scopes/{scope}: put get',
    ]
    for (const call of ofContract) assert.ok(calls.includes(call), `${call} is not described`)
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)]
    assert.ok(references.length > 20)
    for (const [, part, name] of references) {
      const components = document.components as unknown as Record<string, Record<string, object>>
      assert.ok(components[part as string]?.[name as string], `${part}/${name} is not there`)
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    assert.partialDeepStrictEqual(document.components.schemas.BotChange, {
      additionalProperties: false,
      required: ['ownerId', 'name', 'chatPlatformId'],
    })
  })
})
