import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { exported, type Line, openAudit, requestExport } from '../support/audit.ts'
import { advanceUntil } from '../support/eventually.ts'
import {
  ada,
  answerOf,
  codeFor,
  provision,
  redeem,
  refresh,
  revoke,
  signedIn,
  signIn,
  userinfo,
} from '../support/people.ts'
import type { World } from '../support/world.ts'

const days = 24 * 3_600_000

async function since(world: World, seen: readonly Line[]): Promise<Line[]> {
  return exported(world, `?after=${seen.at(-1)?.number ?? 0}`)
}

/** Issues tokens to Ada’s client. `before` holds the audit events recorded up to then. */
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

/** Builds the audit event that is expected when the client acts with Ada’s tokens. */
function byClient(kind: string, detail: Record<string, string> = {}) {
  return { kind, actor: 'client', userId: 'ada', applicationId: 'acme', detail }
}

describe('Audit: what is recorded', () => {
  test('a sign-in is recorded with user, time, address and user agent', async (t) => {
    const { world, before } = await openAudit(t)
    await signedIn(world)
    assert.deepEqual(await since(world, before), [
      {
        number: before.length + 1,
        at: world.clock.iso(),
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

  test('our choice: a failed sign-in is recorded with the user, or with a keyed digest of the email if it is unknown', async (t) => {
    const { world, before } = await openAudit(t)
    await signIn(world, { ...ada, password: 'not her password' })
    await signIn(world, { email: 'nobody@example.com', password: 'some password' })
    await signIn(world, { email: 'Nobody@example.com ', password: 'another password' })
    await signIn(world, { email: 'somebody@example.com', password: 'some password' })
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
    for (let guess = 0; guess < 12; guess += 1) await signIn(world, { ...ada, password: 'not her password' })
    assert.equal((await since(world, lines)).length, 9, 'a sign-in that the rate limit refuses is not recorded')
  })

  test('a PIN lock, a new PIN, the end of other sessions and a password change are each recorded once', async (t) => {
    const { world } = await openAudit(t)
    const [browser] = [await signedIn(world), await signedIn(world)]
    const before = await exported(world)
    for (let guess = 0; guess < 7; guess += 1) {
      await browser.submitAt(`${world.baseUrl}/unlock`, { pin: '0000' })
    }
    await browser.submitAt(`${world.baseUrl}/account/pin`, { pin: '1906', pin_again: '1906', password: ada.password })
    const lines = await since(world, before)
    const byAda = { actor: 'user', userId: 'ada', applicationId: null }
    assert.deepEqual(lines.map(about), [
      { ...byAda, kind: 'pin-locked', detail: { minutes: '15' } },
      { ...byAda, kind: 'pin-changed', detail: {} },
    ])

    const account = await browser.get(`${world.baseUrl}/account/sessions`)
    assert.equal((await browser.submit(account, {}, '/account/sessions/others/end')).status, 303)
    const passwordPage = await browser.get(`${world.baseUrl}/account/password`)
    const form = { current_password: ada.password, password: 'a gate by the harbour' }
    assert.equal((await browser.submit(passwordPage, form, '/account/password')).status, 303)
    assert.deepEqual((await since(world, lines)).map(about), [
      { ...byAda, kind: 'session-ended', detail: { sessions: '1' } },
      { ...byAda, kind: 'password-changed', detail: {} },
    ])
  })

  test('a grant at consent is recorded; our choice: code redemptions, refreshes and userinfo requests are not recorded', async (t) => {
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
    {
      title: 'by the same user agent within 10 seconds',
      userAgent: 'acme/1',
      afterMs: 10_000,
      probably: 'client race',
    },
    { title: 'by the same user agent after 10 seconds', userAgent: 'acme/1', afterMs: 10_001, probably: 'theft' },
    { title: 'by another user agent', userAgent: 'x'.repeat(500), afterMs: 0, probably: 'theft' },
  ]) {
    test(`our choice: refresh token reuse ${title} is recorded as a probable ${probably} and revokes the token family`, async (t) => {
      const { world, client, tokens, before } = await openTokens(t)
      const second = await refresh(world, client, tokens.refresh_token, {}, { 'user-agent': 'acme/1' })
      await world.clock.advance(afterMs)
      assert.equal(
        (await refresh(world, client, tokens.refresh_token, {}, { 'user-agent': userAgent })).json.error,
        'invalid_grant',
      )
      assert.equal(
        (await refresh(world, client, tokens.refresh_token, {}, { 'user-agent': userAgent })).json.error,
        'invalid_grant',
      )
      assert.equal((await userinfo(world, second.json.access_token)).status, 401)
      const lines = await since(world, before)
      assert.deepEqual(lines.map(about), [byClient('refresh-reuse', { probably })])
      assert.equal(lines[0]?.userAgent, userAgent.slice(0, 200), 'a long user agent is cut')
    })
  }

  test('a code presented again is recorded once as a replay', async (t) => {
    const { world, client, code, before } = await openTokens(t)
    for (let time = 0; time < 2; time += 1) assert.equal((await redeem(world, client, code)).status, 400)
    assert.deepEqual((await since(world, before)).map(about), [byClient('code-replay')])
  })

  test('a revocation request that revokes a token is recorded, with the client as actor only if the client authenticated', async (t) => {
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

  test('an owner’s changes to an application are recorded: settings, secret, deletion', async (t) => {
    const { world, client } = await openAudit(t)
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
    assert.equal((await browser.submitAt(app, settings, '/apps/acme')).status, 303)
    assert.equal((await browser.submitAt(`${app}/secret`, {}, '/secret')).status, 200)
    assert.equal((await browser.submitAt(`${app}/deletion`, {}, '/deletion')).status, 303)
    assert.deepEqual(
      (await since(world, before)).map(about),
      [
        { kind: 'application-changed', detail: {} },
        { kind: 'secret-rotated', detail: { lastFour: client.clientSecret.slice(-4) } },
        { kind: 'application-deleted', detail: {} },
      ].map((event) => ({ ...event, actor: 'user', userId: 'ada', applicationId: 'acme' })),
    )
  })

  test('a provisioning call is recorded with the changed record’s ID and the names of the members in the request, but not their values', async (t) => {
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

  test('our choice: audit events are kept for 400 days', async (t) => {
    const { world, before } = await openAudit(t)
    await world.clock.advance(300 * days)
    await signedIn(world)
    await world.clock.advance(100 * days)
    assert.equal((await exported(world)).length, before.length + 1)
    const left = await advanceUntil(
      world.clock,
      async () => {
        const lines = await exported(world)
        return lines.length <= before.length && lines
      },
      60_000,
    )
    assert.deepEqual(
      left.map(({ number, kind }) => ({ number, kind })),
      [{ number: before.length + 1, kind: 'sign-in' }],
    )
  })
})

describe('GET {control_url}/v1/audit', () => {
  test('the audit export returns one JSON object per line, oldest first, as its OpenAPI schema describes them; the parameters after and limit select a range', async (t) => {
    const { world } = await openAudit(t)
    for (let sign = 0; sign < 3; sign += 1) await signedIn(world)
    const response = await requestExport(world)
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson')
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const all = (await response.text()).trimEnd().split('\n')
    assert.deepEqual(
      all.map((line) => JSON.parse(line).number),
      [1, 2, 3, 4, 5],
    )
    const { json } = await answerOf(await fetch(`${world.controlUrl}/openapi.json`))
    assert.deepEqual(Object.keys(json.components.schemas.AuditEvent.properties), Object.keys(JSON.parse(all[0] ?? '')))
    const middle = await (await requestExport(world, '?after=1&limit=2')).text()
    assert.equal(middle, `${all[1]}\n${all[2]}\n`)
    assert.equal(await (await requestExport(world, '?after=5')).text(), '')
  })

  test('an invalid query of the audit export returns 400 with a problem document that says what is expected', async (t) => {
    const { world } = await openAudit(t)
    for (const [query, detail] of [
      ['?after=last', `The parameter after is malformed. Expected: an integer from 0 to ${Number.MAX_SAFE_INTEGER}.`],
      ['?since=3', 'Unknown parameter since. Known parameters: after, limit.'],
    ]) {
      const { status, json } = await answerOf(await requestExport(world, query))
      assert.equal(status, 400)
      assert.deepEqual(json, { type: 'about:blank', title: 'Bad Request', status: 400, detail })
    }
  })
})
