import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import {
  ada,
  adaWithClient,
  answerOf,
  Browser,
  type Client,
  codeFor,
  provision,
  redeem,
  refresh,
  revoke,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { noteCookies, openScene, person, wrong } from '../support/secret-watch.ts'
import { openWorld, type World } from '../support/world.ts'

interface Line {
  number: number
  at: string
  kind: string
  actor: string
  userId: string | null
  applicationId: string | null
  botId: string | null
  address: string | null
  userAgent: string | null
  detail: Record<string, string>
}

const days = 24 * 3_600_000

function askForExport(world: World, query = '', headers: Record<string, string> = {}) {
  const authorization = `Bearer ${world.operatorKey}`
  return fetch(`${world.controlUrl}/v1/audit${query}`, { headers: { authorization, ...headers } })
}

async function exported(world: World, query = ''): Promise<Line[]> {
  const response = await askForExport(world, query)
  assert.equal(response.status, 200)
  const text = await response.text()
  return text === ''
    ? []
    : text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
}

/** Events since the last one of `seen`. */
async function since(world: World, seen: readonly Line[]): Promise<Line[]> {
  return exported(world, `?after=${seen.at(-1)?.number ?? 0}`)
}

async function openAudit(t: TestContext) {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  return { world, client, before: await exported(world) }
}

/** Tokens that Ada allowed the client; what that took is in the audit already. */
async function openTokens(t: TestContext) {
  const { world, client } = await openAudit(t)
  const browser = await signedIn(world)
  const code = await codeFor(world, browser, client)
  const { json } = await redeem(world, client, code)
  return { world, client, browser, code, tokens: json, before: await exported(world) }
}

function about({ kind, actor, userId, applicationId, detail }: Line) {
  return { kind, actor, userId, applicationId, detail }
}

/** What Ada and her application do, as the audit has it. */
function byClient(kind: string, detail: Record<string, string> = {}) {
  return { kind, actor: 'client', userId: 'ada', applicationId: 'acme', detail }
}

function refreshAs(world: World, client: Client, refreshToken: string, userAgent: string) {
  return fetch(`${world.baseUrl}/api/oauth/token`, {
    method: 'POST',
    headers: { 'user-agent': userAgent },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      refresh_token: refreshToken,
    }),
  }).then(answerOf)
}

async function signInWith(world: World, email: string, password: string): Promise<number> {
  const browser = new Browser()
  const page = await browser.visit(`${world.baseUrl}/sign-in`, world)
  return (await browser.submit(page, { email, password }, '/sign-in')).status
}

describe('Audit: what is recorded', () => {
  test('a sign-in, with who, when and from where', async (t) => {
    const { world, before } = await openAudit(t)
    await signedIn(world)
    assert.deepEqual(await since(world, before), [
      {
        number: before.length + 1,
        at: '2026-01-05T12:00:00.000Z',
        kind: 'sign-in',
        actor: 'user',
        userId: 'ada',
        applicationId: null,
        botId: null,
        address: '127.0.0.1',
        userAgent: 'node',
        detail: { by: 'password' },
      },
    ])
  })

  test('our choice: of a failed sign-in the user, or where there is none a keyed digest of the address', async (t) => {
    const { world, before } = await openAudit(t)
    await signInWith(world, ada.email, 'not her password')
    await signInWith(world, 'nobody@example.com', 'some password')
    await signInWith(world, 'Nobody@example.com ', 'another password')
    await signInWith(world, 'somebody@example.com', 'some password')
    const lines = await since(world, before)
    assert.deepEqual(
      lines.map(({ kind, actor, userId }) => ({ kind, actor, userId })),
      ['ada', null, null, null].map((userId) => ({ kind: 'sign-in-failed', actor: 'nobody', userId })),
    )
    const [known, one, same, other] = lines.map(({ detail }) => detail.account)
    assert.equal(known, undefined)
    assert.match(one ?? '', /^[\w-]{22}$/)
    assert.equal(same, one)
    assert.notEqual(other, one)
    assert.ok(!JSON.stringify(lines).includes('example.com'))
  })

  test('our choice: a guess that is refused unseen, because too many came before, is not recorded', async (t) => {
    const { world, before } = await openAudit(t)
    for (let guess = 0; guess < 12; guess += 1) await signInWith(world, ada.email, 'not her password')
    assert.equal((await since(world, before)).length, 10)
  })

  test('the lock of the PIN, once, and a PIN that is set', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    const before = await exported(world)
    for (let guess = 0; guess < 7; guess += 1) {
      const page = await browser.get(`${world.baseUrl}/unlock`)
      await browser.submit(page, { pin: '0000' }, '/unlock')
    }
    const page = await browser.get(`${world.baseUrl}/account/pin`)
    await browser.submit(page, { pin: '1906', pin_again: '1906', password: ada.password }, '/account/pin')
    const lines = await since(world, before)
    assert.deepEqual(lines.map(about), [
      { kind: 'pin-locked', actor: 'user', userId: 'ada', applicationId: null, detail: { minutes: '15' } },
      { kind: 'pin-changed', actor: 'user', userId: 'ada', applicationId: null, detail: {} },
    ])
  })

  test('a grant at consent; our choice: redeeming, refreshing and userinfo are not recorded', async (t) => {
    const { world, client } = await openAudit(t)
    const browser = await signedIn(world)
    const before = await exported(world)
    const { json } = await redeem(world, client, await codeFor(world, browser, client))
    const next = await refresh(world, client, json.refresh_token)
    assert.equal((await userinfo(world, next.json.access_token)).status, 200)
    const grant = { kind: 'grant', actor: 'user', userId: 'ada', applicationId: 'acme' }
    const scopes = 'user.identify offline_access'
    assert.deepEqual((await since(world, before)).map(about), [{ ...grant, detail: { scopes, consent: 'given' } }])

    const seen = await exported(world)
    await codeFor(world, browser, client, { consent: 'skip', scope: 'user.identify' })
    assert.deepEqual((await since(world, seen)).map(about), [
      { ...grant, detail: { scopes: 'user.identify', consent: 'standing' } },
    ])
  })

  for (const { title, userAgent, afterMs, probably } of [
    { title: 'from the same place within 10 seconds', userAgent: 'acme/1', afterMs: 10_000, probably: 'client race' },
    { title: 'from the same place later', userAgent: 'acme/1', afterMs: 10_001, probably: 'theft' },
    { title: 'from another place', userAgent: 'other/1', afterMs: 0, probably: 'theft' },
  ]) {
    test(`our choice: a refresh token presented again ${title} is probably a ${probably}; its family is revoked anyhow`, async (t) => {
      const { world, client, tokens, before } = await openTokens(t)
      const second = await refreshAs(world, client, tokens.refresh_token, 'acme/1')
      await world.clock.advance(afterMs)
      assert.equal((await refreshAs(world, client, tokens.refresh_token, userAgent)).json.error, 'invalid_grant')
      assert.equal((await refreshAs(world, client, tokens.refresh_token, userAgent)).json.error, 'invalid_grant')
      assert.equal((await userinfo(world, second.json.access_token)).status, 401)
      const lines = await since(world, before)
      assert.deepEqual(lines.map(about), [byClient('refresh-reuse', { probably })])
      assert.equal(lines[0]?.userAgent, userAgent)
    })
  }

  test('of fifty refreshes at once one is answered, and one reuse is recorded', async (t) => {
    const { world, client, tokens, before } = await openTokens(t)
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(world, client, tokens.refresh_token)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    assert.deepEqual((await since(world, before)).map(about), [byClient('refresh-reuse', { probably: 'client race' })])
  })

  test('a code presented twice', async (t) => {
    const { world, client, code, before } = await openTokens(t)
    for (let time = 0; time < 2; time += 1) assert.equal((await redeem(world, client, code)).status, 400)
    assert.deepEqual((await since(world, before)).map(about), [byClient('code-replay')])
  })

  test('a revocation that ends something, by the client or by whoever holds the token', async (t) => {
    const { world, client, tokens, before } = await openTokens(t)
    await revoke(world, { token: tokens.access_token })
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret }
    for (let time = 0; time < 2; time += 1) await revoke(world, { token: tokens.refresh_token, ...credentials })
    await revoke(world, { token: 'svc_at_unknown' })
    assert.deepEqual((await since(world, before)).map(about), [
      { ...byClient('revoke', { token: 'access token' }), actor: 'nobody' },
      byClient('revoke', { token: 'refresh token' }),
    ])
  })

  test('a password that is changed, and sessions that are ended from elsewhere', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    await signedIn(world)
    const before = await exported(world)
    const account = await browser.get(`${world.baseUrl}/account`)
    assert.equal((await browser.submit(account, {}, '/account/sessions/others/end')).status, 303)
    const page = await browser.get(`${world.baseUrl}/account/password`)
    const form = { current_password: ada.password, password: 'a gate by the harbour' }
    assert.equal((await browser.submit(page, form, '/account/password')).status, 303)
    const byAda = { actor: 'user', userId: 'ada', applicationId: null }
    assert.deepEqual((await since(world, before)).map(about), [
      { ...byAda, kind: 'session-ended', detail: { sessions: '1' } },
      { ...byAda, kind: 'password-changed', detail: {} },
    ])
  })

  test('what an owner does to an application: settings, secret, deletion', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    const app = `${world.portalUrl}/apps/acme`
    await browser.visit(app, world)
    const before = await exported(world)
    const settings = {
      name: 'Acme',
      website_url: 'https://client.example',
      redirect_uris: 'https://client.example/callback',
      environment: 'production',
    }
    assert.equal((await browser.submit(await browser.get(app), settings, '/apps/acme')).status, 303)
    assert.equal((await browser.submit(await browser.get(`${app}/secret`), {}, '/secret')).status, 200)
    assert.equal((await browser.submit(await browser.get(`${app}/deletion`), {}, '/deletion')).status, 303)
    assert.deepEqual(
      (await since(world, before)).map(about),
      ['application-changed', 'secret-rotated', 'application-deleted'].map((kind) => ({
        kind,
        actor: 'user',
        userId: 'ada',
        applicationId: 'acme',
        detail: {},
      })),
    )
  })

  test('what the operator provisions: the call, the record and the names of members, without their values', async (t) => {
    const { world, before } = await openAudit(t)
    const { name, email } = ada
    await provision(world, 'PUT', '/v1/users/ada', { name, email, password: 'another gate of the harbour' })
    const bot = { ownerId: 'ada', name: 'Bot', chatPlatformId: '123456789012345678' }
    await provision(world, 'PUT', '/v1/bots/helper', bot)
    const flow = { kind: 'event', name: 'Hook', webhook: { path: 'hook', requiresKey: true } }
    await provision(world, 'PUT', '/v1/bots/helper/flows/hook', flow)
    const runtime = await provision(world, 'POST', '/v1/runtimes', { name: 'Runner', botIds: ['helper'] })
    await provision(world, 'GET', '/v1/bots/helper')
    await provision(world, 'POST', '/v1/bots/helper/logs', { entries: [{ level: 'info', message: 'hello' }] })
    assert.equal((await provision(world, 'PUT', '/v1/bots/none', { name: 'Bot' })).status, 400)
    await provision(world, 'DELETE', '/v1/bots/helper')
    const lines = await since(world, before)
    assert.deepEqual(
      lines.map(({ actor, userId, botId, detail }) => ({ actor, userId, botId, detail })),
      [
        {
          userId: 'ada',
          botId: null,
          detail: { call: 'putUser', outcome: 'changed', members: 'name, email, password' },
        },
        {
          userId: null,
          botId: 'helper',
          detail: { call: 'putBot', outcome: 'created', members: 'ownerId, name, chatPlatformId' },
        },
        {
          userId: null,
          botId: 'helper',
          detail: { call: 'putFlow', outcome: 'created', flowId: 'hook', members: 'kind, name, webhook' },
        },
        {
          userId: null,
          botId: null,
          detail: { call: 'postRuntime', outcome: 'created', id: runtime.json.id, members: 'name, botIds' },
        },
        { userId: null, botId: 'helper', detail: { call: 'deleteBot', outcome: 'removed' } },
      ].map((event) => ({ actor: 'operator', ...event })),
    )
  })

  test('no secret is in the export: password, PIN, code, token, client secret, key, cookie', async (t) => {
    const scene = await openScene(t)
    const { world, client, browser, secret } = scene
    await signInWith(world, ada.email, wrong.password)
    for (const pin of [wrong.pin, person.pin]) {
      await browser.submit(scene.page(await browser.get(`${world.baseUrl}/unlock`)), { pin }, '/unlock')
    }
    const code = secret('code', await codeFor(world, browser, client))
    const first = scene.tokens(await redeem(world, client, code))
    const second = scene.tokens(await refresh(world, client, first.refresh))
    await refresh(world, client, first.refresh)
    await redeem(world, client, code)
    await revoke(world, { token: second.access })
    const runtime = await provision(world, 'POST', '/v1/runtimes', { name: 'Runner', botIds: '*' })
    secret('runtime key', runtime.json.key)
    noteCookies(scene, browser)
    const text = await (await askForExport(world)).text()
    assert.ok(text.includes('"refresh-reuse"'))
    for (const [name, clearText] of [...scene.secrets, ['wrong password', wrong.password], ['wrong PIN', wrong.pin]]) {
      assert.ok(!text.includes(clearText as string), `${name} is in the export`)
    }
  })

  test('our choice: a user agent is cut to 200 characters', async (t) => {
    const { world, client, tokens, before } = await openTokens(t)
    await refreshAs(world, client, tokens.refresh_token, 'acme/1')
    await refreshAs(world, client, tokens.refresh_token, 'x'.repeat(500))
    assert.equal((await since(world, before))[0]?.userAgent, 'x'.repeat(200))
  })

  test('our choice: events are kept for 400 days', async (t) => {
    const { world, before } = await openAudit(t)
    await world.clock.advance(300 * days)
    await signedIn(world)
    await world.clock.advance(100 * days)
    assert.equal((await exported(world)).length, before.length + 1)
    const left = await eventually(async () => {
      await world.clock.advance(60_000)
      const lines = await exported(world)
      return lines.length === before.length + 1 ? undefined : lines
    })
    assert.deepEqual(
      left.map(({ number, kind }) => ({ number, kind })),
      [{ number: before.length + 1, kind: 'sign-in' }],
    )
  })
})

describe('GET {control_url}/v1/audit', () => {
  test('answers one JSON text a line, oldest first, after a number and up to a limit', async (t) => {
    const { world } = await openAudit(t)
    for (let sign = 0; sign < 3; sign += 1) await signedIn(world)
    const response = await askForExport(world)
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const all = (await response.text()).trimEnd().split('\n')
    assert.deepEqual(
      all.map((line) => JSON.parse(line).number),
      [1, 2, 3, 4, 5],
    )
    const middle = await (await askForExport(world, '?after=1&limit=2')).text()
    assert.equal(middle, `${all[1]}\n${all[2]}\n`)
    assert.equal(await (await askForExport(world, '?after=5')).text(), '')
  })

  test('streams any number of events in order', async (t) => {
    const { world } = await openAudit(t)
    const { audit } = world.service
    const origin = { address: '192.0.2.1', userAgent: undefined }
    await Promise.all(Array.from({ length: 1_700 }, () => audit.record({ kind: 'sign-in', actor: 'user', origin })))
    const numbers = (await exported(world)).map(({ number }) => number)
    assert.deepEqual(
      numbers,
      Array.from({ length: 1_702 }, (_, index) => index + 1),
    )
    assert.equal((await exported(world, '?limit=1100')).length, 1_100)
  })

  test('needs the operator key', async (t) => {
    const { world } = await openAudit(t)
    for (const authorization of ['Bearer another', '']) {
      const response = await askForExport(world, '', { authorization })
      assert.equal(response.status, 401)
      assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
    }
  })

  test('what can’t be read is a problem that says what is expected', async (t) => {
    const { world } = await openAudit(t)
    const afterRange = `from 0 to ${Number.MAX_SAFE_INTEGER}`
    for (const [query, detail] of [
      ['?after=last', `The parameter after can't be read. Expected: one whole number ${afterRange}.`],
      ['?after=1&after=2', `The parameter after can't be read. Expected: one whole number ${afterRange}.`],
      ['?limit=0', "The parameter limit can't be read. Expected: one whole number from 1 to 1000000."],
      ['?since=3', 'There is no parameter since. There are after and limit.'],
    ]) {
      const { status, json } = await answerOf(await askForExport(world, query))
      assert.equal(status, 400)
      assert.deepEqual(json, { type: 'about:blank', title: 'Bad Request', status: 400, detail })
    }
  })

  test('is described in the OpenAPI document of the control surface', async (t) => {
    const { world } = await openAudit(t)
    const { json } = await answerOf(await fetch(`${world.controlUrl}/openapi.json`))
    const { get } = json.paths['/v1/audit']
    assert.deepEqual(
      get.parameters.map((parameter: { name: string; in: string }) => [parameter.name, parameter.in]),
      [
        ['after', 'query'],
        ['limit', 'query'],
      ],
    )
    assert.deepEqual(get.responses[200].content, {
      'application/x-ndjson': { schema: { $ref: '#/components/schemas/AuditEvent' } },
    })
    const line = (await exported(world))[0] as Line
    assert.deepEqual(Object.keys(json.components.schemas.AuditEvent.properties), Object.keys(line))
  })
})

describe('Activity: what people see of it', () => {
  test('the user sees own events, and nobody else’s', async (t) => {
    const { world, client } = await openAudit(t)
    await provision(world, 'PUT', '/v1/users/bob', {
      name: 'Bob',
      email: 'bob@example.com',
      password: 'harbour gate 12',
    })
    const bob = await signedIn(world, { email: 'bob@example.com', password: 'harbour gate 12' })
    const browser = await signedIn(world)
    await codeFor(world, browser, client)
    await signInWith(world, ada.email, 'not her password')

    const account = await browser.get(`${world.baseUrl}/account`)
    const list = await browser.get(`${world.baseUrl}/account/activity`)
    for (const page of [account, list]) {
      assert.equal(page.status, 200)
      assert.deepEqual(titlesIn(page.text), [
        'A sign-in failed',
        'You allowed Acme Dashboard',
        'You signed in',
        'The operator created the account',
      ])
    }
    assert.deepEqual(titlesIn((await bob.get(`${world.baseUrl}/account/activity`)).text), [
      'You signed in',
      'The operator created the account',
    ])
    assert.equal((await new Browser().get(`${world.baseUrl}/account/activity`)).location?.pathname, '/sign-in')
  })

  test('our choice: 20 on the card, 50 a page of the whole list, each with the way to what was before', async (t) => {
    const { world } = await openAudit(t)
    const browser = await signedIn(world)
    const origin = { address: '192.0.2.1', userAgent: undefined }
    for (let event = 0; event < 100; event += 1) {
      await world.service.audit.record({ kind: 'sign-in', actor: 'user', userId: 'ada' as never, origin })
    }
    assert.equal(titlesIn((await browser.get(`${world.baseUrl}/account`)).text).length, 20)
    let page = await browser.get(`${world.baseUrl}/account/activity`)
    const sizes = [titlesIn(page.text).length]
    for (let way = /href="(\?|[^"]*\?before=\d+)"/.exec(page.text); way !== null; ) {
      page = await browser.get(new URL(way[1] as string, page.url))
      sizes.push(titlesIn(page.text).length)
      way = /href="([^"]*\?before=\d+)"/.exec(page.text)
    }
    assert.deepEqual(sizes, [50, 50, 2])
  })

  test('the owner sees the application’s events; our choice: not from where its users browse', async (t) => {
    const { world, client } = await openAudit(t)
    const password = 'harbour gate 12'
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com', password })
    const bob = await signedIn(world, { email: 'bob@example.com', password })
    const tokens = await redeem(world, client, await codeFor(world, bob, client))
    await refreshAs(world, client, tokens.json.refresh_token, 'acme-server/1')
    await refreshAs(world, client, tokens.json.refresh_token, 'thief/1')
    const owner = await signedIn(world)
    for (const path of ['/apps/acme', '/apps/acme/activity']) {
      const { status, text } = await owner.visit(`${world.portalUrl}${path}`, world)
      assert.equal(status, 200)
      assert.deepEqual(titlesIn(text), [
        'A refresh token of Acme Dashboard was used again',
        'User bob allowed Acme Dashboard',
        'The operator created the application',
      ])
      assert.equal(text.match(/Not shown/g)?.length, 2)
      assert.equal(text.match(/>thief\/1/g)?.length, 1)
    }
    const stranger = await bob.visit(`${world.portalUrl}/apps/acme/activity`, world)
    assert.equal(stranger.status, 404)
  })
})

/** The first words of each row of the table of activity. */
function titlesIn(text: string): string[] {
  const [, table = ''] = /What happened, newest first([\s\S]*?)<\/table>/.exec(text) ?? []
  return [...table.matchAll(/<th scope="row"[^>]*>([\s\S]*?)<\/th>/g)].map(([, cell = '']) =>
    cell.replace(/<br>[\s\S]*/, '').replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ''),
  )
}
