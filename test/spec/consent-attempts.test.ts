import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../support/client-scene.ts'
import { queryOf } from '../support/oauth-addresses.ts'
import { ada, allow, consentUrl, provision } from '../support/people.ts'

describe('Authorization attempts', () => {
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
