import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { queryOf } from '../support/oauth-addresses.ts'
import { ada, allow, Browser, consentUrl, provision } from '../support/people.ts'

describe('Authorization attempts', () => {
  test('two authorization attempts in tabs of one browser have separate state', async (t) => {
    const { world, client, browser } = await openScene(t)
    const one = await browser.visit(consentUrl(world, client, { state: 'one' }), world)
    const other = await browser.visit(consentUrl(world, client, { state: 'other' }), world)
    const first = await browser.submit(one, { decision: 'allow' }, '/auth/consent')
    const second = await browser.submit(other, { decision: 'allow' }, '/auth/consent')
    assert.equal(queryOf(first.location).state, 'one')
    assert.equal(queryOf(second.location).state, 'other')
  })

  test('submitting one attempt’s form with another attempt’s ID does not skip the PIN that the other attempt requires', async (t) => {
    const { world, client, browser } = await openScene(t)
    const unlock = await browser.visit(consentUrl(world, client, { scope: 'user.email' }), world)
    assert.equal(new URL(unlock.url).pathname, '/unlock')
    const attempt = new URL(unlock.url).searchParams.get('attempt') ?? ''
    const harmless = await browser.visit(consentUrl(world, client), world)
    const answer = await browser.submit(harmless, { decision: 'allow', attempt }, '/auth/consent')
    assert.equal((await browser.onward(answer, world)).url, unlock.url)
  })

  test('our choice: a decision other than allow or deny grants nothing and shows the consent page again', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    for (const fields of [{}, { decision: '' }, { decision: 'ALLOW' }, { decision: 'allow,deny' }]) {
      const answer = await browser.submit(page, fields as Record<string, string>, '/auth/consent')
      assert.deepEqual([answer.status, String(answer.location)], [303, page.url])
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required')
  })

  test('after a sign-in in one tab, an attempt waiting in another tab continues', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const waiting = await browser.visit(consentUrl(world, client, { state: 'waiting' }), world)
    assert.equal(new URL(waiting.url).pathname, '/sign-in')
    const elsewhere = await browser.visit(`${world.baseUrl}/sign-in`, world)
    await browser.submit(elsewhere, { email: ada.email, password: ada.password }, '/sign-in')

    const reloaded = await browser.visit(waiting.url, world)
    assert.equal(new URL(reloaded.url).pathname, '/auth/consent')
    const answer = await browser.submit(reloaded, { decision: 'deny' }, '/auth/consent')
    assert.equal(queryOf(answer.location).state, 'waiting')
    // The outdated sign-in form also leads to the consent page.
    const sent = await browser.submit(waiting, { email: ada.email, password: ada.password }, '/sign-in')
    assert.equal(new URL((await browser.onward(sent, world)).url).pathname, '/auth/consent')
  })

  test('our choice: a decision counts only for the user named on the page; a user who has signed in since is asked instead (decision 0011)', async (t) => {
    const { world, client, browser } = await openScene(t)
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'another long password' }
    assert.equal((await provision(world, 'PUT', '/v1/users/bob', bob)).status, 201)
    const forAda = await browser.visit(consentUrl(world, client), world)
    assert.match(forAda.text, /ada@example\.com/)
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/sign-out')
    const signIn = await browser.get(`${world.baseUrl}/sign-in`)
    assert.equal((await browser.submit(signIn, bob, '/sign-in')).status, 303)

    for (const decision of ['allow', 'deny']) {
      const answer = await browser.submit(forAda, { decision }, '/auth/consent')
      assert.equal(answer.location?.origin, world.baseUrl, 'nothing is decided')
      const forBob = await browser.onward(answer, world)
      assert.match(forBob.text, /bob@example\.com/)
    }
    const skip = await browser.get(consentUrl(world, client, { consent: 'skip' }))
    assert.equal(queryOf(skip.location).error, 'consent_required')
  })

  test('an expired authorization attempt shows a page with a working link to start again', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(31 * 60_000)
    const expired = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    assert.equal(expired.status, 400)
    const again = /href="([^"]*\/auth\/consent\?[^"]*)"/.exec(expired.text)?.[1]?.replaceAll('&amp;', '&')
    assert.ok(again, expired.text)
    const location = await allow(world, browser, String(new URL(again, world.baseUrl)))
    assert.equal(queryOf(location).state, 'the-state')
  })

  test('our choice: if the owner removes the redirect URI during an attempt, no code is sent to it (decision 0011)', async (t) => {
    const { world, client, browser } = await openScene(t)
    const page = await browser.visit(consentUrl(world, client), world)
    const acme = {
      ownerId: ada.id,
      name: 'Acme Dashboard',
      websiteUrl: 'https://client.example',
      redirectUris: ['https://client.example/elsewhere'],
    }
    assert.equal((await provision(world, 'PUT', '/v1/applications/acme', acme)).status, 200)
    for (const answer of [
      await browser.get(page.url),
      await browser.submit(page, { decision: 'allow' }, '/auth/consent'),
    ]) {
      assert.deepEqual([answer.status, answer.location], [400, undefined])
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    }
  })
})
