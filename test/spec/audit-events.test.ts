import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported, type Line, openAudit, requestExport } from '../support/audit.ts'
import { advanceUntil } from '../support/eventually.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { ada, codeFor, provision, redeem, refresh, revoke, signedIn, signIn, userinfo } from '../support/people.ts'
import { pluck } from '../support/together.ts'
import { keys, type World } from '../support/world.ts'
import { hideTable } from '../support/world-database.ts'

const days = 24 * 3_600_000

async function since(world: World, seen: readonly Line[]): Promise<Line[]> {
  return exported(world, `?after=${seen.at(-1)?.number ?? 0}`)
}

function about({ kind, actor, userId, applicationId, detail }: Line) {
  return { kind, actor, userId, applicationId, detail }
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
    const failures = ['ada', null, null, null].map((userId) => ({ kind: 'sign-in-failed', actor: 'nobody', userId }))
    const found = lines.map(({ kind, actor, userId }) => ({ kind, actor, userId }))
    assert.deepEqual(found, failures)
    const [known, one, same, other] = lines.map(({ detail }) => detail.account)
    assert.equal(known, undefined)
    assert.match(one ?? '', /^[\w-]{22}$/)
    assert.equal(same, one)
    assert.notEqual(other, one)
    assert.ok(!JSON.stringify(lines).includes('example.com'))
    for (let guess = 0; guess < 12; guess += 1) await signIn(world, { ...ada, password: 'not her password' })
    assert.equal((await since(world, lines)).length, 9, 'a sign-in that the rate limit refuses is not recorded')
  })

  test('each change by a user, an owner or a client is recorded once, with its details; our choice: code redemptions, refreshes and userinfo requests are not recorded', async (t) => {
    const { world, client } = await openAudit(t)
    const { clientId: client_id, clientSecret: client_secret } = client
    const [browser] = [await signedIn(world), await signedIn(world)]
    await browser.visit(`${world.portalUrl}/apps/acme`, world)
    const submit = (path: string, fields: Record<string, string> = {}, action = path) =>
      browser.submitAt(`${world.baseUrl}${path}`, fields, action)
    const submitToPortal = (path: string, fields: Record<string, string> = {}) =>
      browser.submitAt(`${world.portalUrl}/apps/acme${path}`, fields)
    const settings = {
      website_url: 'https://client.example',
      redirect_uris: client.redirectUri,
      environment: 'production',
    }
    const before = await exported(world)
    for (let guess = 0; guess < 7; guess += 1) await submit('/unlock', { pin: '0000' })
    await submit('/account/pin', { pin: '1906', pin_again: '1906', password: ada.password })

    const code = await codeFor(world, browser, client)
    const issued = await redeem(world, client, code)
    const { json: tokens } = await refresh(world, client, issued.json.refresh_token)
    assert.equal((await userinfo(world, tokens.access_token)).status, 200)
    await codeFor(world, browser, client, { consent: 'skip', scope: 'user.identify' })
    await revoke(world, { token: tokens.access_token })
    const revocation = { token: tokens.refresh_token, client_id, client_secret }
    for (const status of [200, 200]) assert.equal((await revoke(world, revocation)).status, status)
    await revoke(world, { token: 'svc_at_unknown' })
    const another = await codeFor(world, browser, client, { consent: 'skip' })
    for (const status of [200, 400, 400]) assert.equal((await redeem(world, client, another)).status, status)

    await submitToPortal('', { name: 'Acme', ...settings })
    await submitToPortal('/secret')
    await submitToPortal('/deletion')
    // The other browser's session, and this browser's at the portal.
    await submit('/account/sessions', {}, '/others/end')
    await submit('/account/password', { current_password: ada.password, password: 'a gate by the harbour' })

    const events: [kind: string, actor: string, detail?: object][] = [
      ['pin-locked', 'user', { minutes: '15' }],
      ['pin-changed', 'user'],
      ['grant', 'user', { scopes: 'user.identify offline_access', consent: 'given' }],
      ['grant', 'user', { scopes: 'user.identify', consent: 'standing' }],
      ['revoke', 'nobody', { token: 'access token' }],
      ['revoke', 'client', { token: 'refresh token' }],
      ['grant', 'user', { scopes: 'user.identify offline_access', consent: 'standing' }],
      ['code-replay', 'client'],
      ['application-changed', 'user'],
      ['secret-rotated', 'user', { lastFour: client_secret.slice(-4) }],
      ['application-deleted', 'user'],
      ['session-ended', 'user', { sessions: '2' }],
      ['password-changed', 'user'],
    ]
    const ofAccount = /^(?:pin|session|password)-/
    const expected = events.map(([kind, actor, detail = {}]) => {
      return { kind, actor, userId: 'ada', applicationId: ofAccount.test(kind) ? null : 'acme', detail }
    })
    assert.deepEqual((await since(world, before)).map(about), expected)
  })

  test('our choice: refresh token reuse is recorded once, and revokes the token family: by the same user agent within 10 seconds as a probable client race, otherwise as a probable theft, whatever the secret key was then', async (t) => {
    const { world, client } = await openAudit(t)
    const browser = await signedIn(world)
    for (const [userAgent, afterMs, probably, secretKey] of [
      ['acme/1', 10_000, 'client race'],
      ['acme/1', 10_001, 'theft'],
      ['x'.repeat(500), 0, 'theft'],
      ['acme/1', 0, 'client race', 'the-secret-key-of-now-0123456789-ab'],
    ] as const) {
      const first = (await redeem(world, client, await codeFor(world, browser, client))).json.refresh_token
      const before = await exported(world)
      const second = await refresh(world, client, first, {}, { 'user-agent': 'acme/1' })
      await world.clock.advance(afterMs)
      if (secretKey) await world.restart({ secretKey, previousSecretKeys: [keys.secretKey] })
      for (let time = 0; time < 2; time += 1) {
        const { json } = await refresh(world, client, first, {}, { 'user-agent': userAgent })
        assert.equal(json.error, 'invalid_grant')
      }
      assert.equal((await userinfo(world, second.json.access_token)).status, 401)
      const lines = await since(world, before)
      const byClient = { kind: 'refresh-reuse', actor: 'client', userId: 'ada', applicationId: 'acme' }
      assert.deepEqual(lines.map(about), [{ ...byClient, detail: { probably } }])
      assert.equal(lines[0]?.userAgent, userAgent.slice(0, 200), 'a long user agent is cut')
    }
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
    assert.ok(lines.every(({ actor }) => actor === 'operator'))
    assert.deepEqual(
      lines.map(({ userId, botId, detail }) => [userId, botId, detail]),
      [
        ['ada', null, { call: 'putUser', outcome: 'changed', members: 'name, email, password' }],
        [null, 'helper', { call: 'putBot', outcome: 'created', members: 'ownerId, name, chatPlatformId' }],
        [null, 'helper', { call: 'putFlow', outcome: 'created', flowId: 'hook', members: 'kind, name, webhook' }],
        [null, null, { call: 'postRuntime', outcome: 'created', id: runtime.json.id, members: 'name, botIds' }],
        [null, 'helper', { call: 'deleteBot', outcome: 'removed' }],
      ],
    )
  })

  test('our choice: if an event can’t be recorded, a provisioned change still returns its secret, and the event is logged; an export fails', async (t) => {
    useOwnWorld(t)
    const { world } = await openAudit(t)
    await hideTable(world, 'identity', 'audit_events')
    const made = await provision(world, 'POST', '/v1/runtimes', { name: 'Runner', botIds: '*' })
    const { id, key } = made.json
    const runtimeId = (await world.service.bots.runtimes.authenticate(key))?.runtime.id
    assert.deepEqual([made.status, runtimeId], [201, id])
    assert.match(world.logs(), new RegExp(`"level":50,.*"call":"postRuntime",.*"id":"${id}".*audit event not stored`))
    assert.equal((await provision(world, 'GET', '/v1/users/ada/export')).status, 500)
  })

  test('our choice: audit events are kept for 400 days', async (t) => {
    const { world, before } = await openAudit(t)
    await world.clock.advance(300 * days)
    await signedIn(world)
    await world.clock.advance(100 * days)
    assert.equal((await exported(world)).length, before.length + 1)
    await advanceUntil(world.clock, async () => (await exported(world)).length <= before.length, 60_000)
    assert.deepEqual(pluck(await exported(world), 'kind'), ['sign-in'])
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
    const events = all.map((line) => JSON.parse(line))
    assert.deepEqual(pluck(events, 'number'), [1, 2, 3, 4, 5])
    const document = await (await fetch(`${world.controlUrl}/openapi.json`)).json()
    assert.deepEqual(Object.keys(document.components.schemas.AuditEvent.properties), Object.keys(events[0]))
    const middle = await (await requestExport(world, '?after=1&limit=2')).text()
    assert.equal(middle, `${all[1]}\n${all[2]}\n`)
    assert.equal(await (await requestExport(world, '?after=5')).text(), '')
  })
})
