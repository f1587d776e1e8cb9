import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, adaWithClient, Browser, consentUrl, queryOf, signedIn } from '../support/people.ts'
import { assertProblem, openScene } from './provisioning-scene.ts'

describe('PUT /v1/users/{userId}', () => {
  test('a value that another user has returns 409', async (t) => {
    const { put } = await openScene(t)
    const hers = { email: 'ada@example.com', chatPlatformId: '12345678901234567', codeHostingId: 'a' }
    assert.equal((await put('users/ada', { name: 'Ada', ...hers })).status, 200)
    for (const [member, value] of Object.entries({ ...hers, email: ' ADA@example.com ' })) {
      assertProblem(await put('users/bob', { name: 'Bob', [member]: value }), 409, [`#/${member}`])
    }
  })
})

describe('PUT and DELETE /v1/scopes/{scope}', () => {
  test('our choice: the nine built-in scopes can’t be declared or deleted; invalid names return 400', async (t) => {
    const { put, get, remove } = await openScene(t)
    assertProblem(await put('scopes/user.email', { description: 'X' }), 400, /a standard scope/)
    for (const name of ['a%20b', 'a,b', '%22', '%C3%A4', 'x'.repeat(101)]) {
      assertProblem(await put(`scopes/${name}`, { description: 'X' }), 400, /scope name is malformed/)
    }
    assertProblem(await remove('scopes/user.email'), 400, /a standard scope/)
    assertProblem(await remove('scopes/a,b'), 400, /scope name is malformed/)
    assert.equal((await get('scopes/user.email')).status, 200)
    for (const name of ['constructor', '__proto__']) assertProblem(await get(`scopes/${name}`), 404, /no scope/)
  })

  test('a scope that is deleted while the consent page is open is not issued: Allow, Deny and the page redirect, and so does a skipped consent page; our choice: it can’t be requested again and is not in the server metadata', async (t) => {
    const { world, put, remove } = await openScene(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const scope = 'user.identify constructor'
    const declare = () => put('scopes/constructor', { description: 'Restart your bots' })
    const description = 'The scope constructor does not exist. The scopes are listed in the OpenAPI description.'
    const gone = { error: 'invalid_scope', error_description: description, state: 'the-state' }
    await declare()
    const ask = () => browser.visit(consentUrl(world, client, { scope }), world)
    const consent = await ask()
    assert.match(consent.text, /Restart your bots/)
    const decide = (decision: string) => browser.submit(consent, { decision }, '/auth/consent')
    assert.equal((await remove('scopes/constructor')).status, 204)
    const allowed = await decide('allow')
    assert.deepEqual([allowed.status, queryOf(allowed.location)], [303, gone])
    assert.equal(queryOf((await decide('deny')).location).error, 'access_denied')
    const reloaded = await browser.get(consent.url)
    assert.deepEqual([reloaded.status, queryOf(reloaded.location)], [302, gone])
    assert.deepEqual(queryOf((await ask()).location), gone)
    const metadata = await (await fetch(`${world.baseUrl}/.well-known/oauth-authorization-server`)).text()
    assert.doesNotMatch(metadata, /constructor/)

    await declare()
    assert.match(queryOf((await decide('allow')).location).code ?? '', /^svc_ac_/)
    const stranger = new Browser()
    const signIn = await stranger.visit(consentUrl(world, client, { scope, consent: 'skip' }), world)
    await remove('scopes/constructor')
    const answer = await stranger.submit(signIn, ada, '/sign-in')
    assert.deepEqual(queryOf((await stranger.onward(answer, world)).location), gone)
    const logs = await browser.visit(`${world.portalUrl}/apps/acme/logs`, world)
    assert.match(logs.text, /The scope constructor does not exist/)
    assert.match((await browser.get(`${world.baseUrl}/account/applications`)).text, />constructor</)
  })
})
