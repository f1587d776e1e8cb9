import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, adaWithClient, Browser, consentUrl, queryOf, signedIn } from '../support/people.ts'
import { assertAnswer, assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/users/{userId}', () => {
  test('PUT creates a user (201) or changes the user (200): absent optional members are kept, and null clears them; GET returns the user without secrets', async (t) => {
    const { put, get, madeAt } = await openScene(t)
    const shown = {
      name: 'Grace',
      email: 'Grace@Example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'grace',
    }
    const body = { ...shown, password: 'correct horse battery', pin: '1234' }
    const record = { id: 'grace', ...shown, hasPassword: true, hasPin: true, disabled: false, createdAt: madeAt }
    assertAnswer(await put('users/grace', body), 201, record)
    assertAnswer(await put('users/grace', body), 200, record)
    assertAnswer(await get('users/grace'), 200, record)
    assertProblem(await get('users/nobody'), 404, /no user nobody/)
    assertAnswer(await put('users/grace', { name: 'Grace H.' }), 200, { ...record, name: 'Grace H.' })
    const nulls = { email: null, password: null, pin: null, chatPlatformId: null, codeHostingId: null }
    const cleared = { email: null, hasPassword: false, hasPin: false, chatPlatformId: null, codeHostingId: null }
    assertAnswer(await put('users/grace', { name: 'Grace', ...nulls }), 200, { ...record, ...cleared })
  })

  test('a user with an invalid value returns 400; a value that another user has returns 409', async (t) => {
    const { put } = await openScene(t)
    await put('users/ada', {
      name: 'Ada',
      email: 'ada@example.com',
      chatPlatformId: '12345678901234567',
      codeHostingId: 'a',
    })
    for (const [member, value] of [
      ['pin', '123'],
      ['pin', '١٢٣٤'],
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
})

describe('PUT /v1/scopes/{scope}', () => {
  test('PUT declares a scope (201) or changes its description (200); GET returns declared and built-in scopes', async (t) => {
    const { put, get } = await openScene(t)
    const record = { scope: 'bots.write', description: 'Change your bots' }
    assertAnswer(await put('scopes/bots.write', { description: 'Change your bots' }), 201, record)
    const changed = { ...record, description: 'Change what your bots do' }
    assertAnswer(await put('scopes/bots.write', { description: changed.description }), 200, changed)
    assertAnswer(await get('scopes/bots.write'), 200, changed)
    assert.equal((await get('scopes/user.email')).status, 200)
    assertProblem(await get('scopes/bots.manage'), 404, /no scope bots\.manage/)
  })

  test('our choice: the nine built-in scopes can’t be declared or deleted; invalid names and descriptions return 400', async (t) => {
    const { put, get, remove } = await openScene(t)
    assertProblem(await put('scopes/user.email', { description: 'X' }), 400, /a standard scope/)
    for (const name of ['a%20b', 'a,b', '%22', '%C3%A4', 'x'.repeat(101)]) {
      assertProblem(await put(`scopes/${name}`, { description: 'X' }), 400, /scope name is malformed/)
    }
    for (const description of ['', 'x'.repeat(201), 'a\nb']) {
      assertProblem(await put('scopes/bots.write', { description }), 400, ['#/description'])
    }
    assertProblem(await remove('scopes/user.email'), 400, /a standard scope/)
    assertProblem(await remove('scopes/a,b'), 400, /scope name is malformed/)
    assert.equal((await get('scopes/user.email')).status, 200)
  })
})

describe('DELETE /v1/scopes/{scope}', () => {
  test('our choice: a deleted scope can’t be requested, is not in the server metadata, and can be declared again', async (t) => {
    const { world, put, get, remove } = await openScene(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const ask = () => browser.visit(consentUrl(world, client, { scope: 'bots.restart' }), world)
    await put('scopes/bots.restart', { description: 'Restart your bots' })
    assert.match((await ask()).text, /Restart your bots/)
    const { status, json } = await remove('scopes/bots.restart')
    assert.deepEqual([status, json], [204, undefined])
    assert.equal((await ask()).location?.searchParams.get('error'), 'invalid_scope')
    assertProblem(await get('scopes/bots.restart'), 404, /no scope bots\.restart/)
    const metadata = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).text()
    assert.doesNotMatch(metadata, /bots\.restart/)
    assertProblem(await remove('scopes/bots.restart'), 404, /no scope bots\.restart/)
    assert.equal((await put('scopes/bots.restart', { description: 'Restart them' })).status, 201)
  })

  test('a scope that is deleted while the consent page is open is not issued: Allow, Deny and the page redirect, and so does a skipped consent page', async (t) => {
    const { world, put, remove } = await openScene(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const scope = 'user.identify bots.restart'
    const declare = () => put('scopes/bots.restart', { description: 'Restart your bots' })
    const gone = {
      error: 'invalid_scope',
      error_description: 'The scope bots.restart does not exist. The scopes are listed in the OpenAPI description.',
      state: 'the-state',
    }
    await declare()
    const consent = await browser.visit(consentUrl(world, client, { scope }), world)
    const decide = (decision: string) => browser.submit(consent, { decision }, '/auth/consent')
    await remove('scopes/bots.restart')
    const allowed = await decide('allow')
    assert.deepEqual([allowed.status, queryOf(allowed.location)], [303, gone])
    assert.equal(queryOf((await decide('deny')).location).error, 'access_denied')
    const reloaded = await browser.get(consent.url)
    assert.deepEqual([reloaded.status, queryOf(reloaded.location)], [302, gone])

    await declare()
    assert.match(queryOf((await decide('allow')).location).code ?? '', /^svc_ac_/)
    const stranger = new Browser()
    const signIn = await stranger.visit(consentUrl(world, client, { scope, consent: 'skip' }), world)
    await remove('scopes/bots.restart')
    const answer = await stranger.submit(signIn, ada, '/sign-in')
    assert.deepEqual(queryOf((await stranger.onward(answer, world)).location), gone)
    const logs = await browser.visit(`${world.portalUrl}/apps/acme/logs`, world)
    assert.match(logs.text, /The scope bots\.restart does not exist/)
  })
})
