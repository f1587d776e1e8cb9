import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fieldErrorOf, formTokenOf } from '../support/page-words.ts'
import {
  acme,
  atPortal,
  atPortalAgain,
  authenticates,
  bob,
  hasButton,
  registered,
  shown,
} from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'

describe('{portal_url}/', () => {
  test("/ lists the user's applications", async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser)
    await world.clock.advance(1_000)
    await registered(world, browser, { ...acme, name: 'Bolt & <Nut>' })
    const page = await browser.get(world.portalUrl)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const names = [...page.text.matchAll(/<a class="row-link" href="\/apps\/\w+"[^>]*>([^<]*)<\/a>/g)].map(
      ([, name]) => name,
    )
    assert.deepEqual(names, ['Bolt &amp; &lt;Nut&gt;', 'Acme Dashboard'])
    assert.ok(page.text.includes(`href="${new URL(address).pathname}"`))
    assert.ok(page.text.includes(clientId))
  })

  test('our choice: without an application the page explains what an application is and links to the registration page', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const page = await browser.get(world.portalUrl)
    assert.match(page.text, /You have no applications yet/)
    assert.match(page.text, /href="\/apps\/new">Register an application</)
  })

  test('another user’s applications are not listed', async (t) => {
    const world = await openWorld(t)
    await registered(world, await atPortal(world))
    const page = await (await atPortal(world, bob)).get(world.portalUrl)
    assert.ok(!page.text.includes(acme.name))
  })
})

describe('{portal_url}/apps/{applicationId}', () => {
  test('the page shows credentials, an authorization URL generator and settings', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId } = await registered(world, browser)
    const page = await browser.get(address)
    assert.equal(page.status, 200)
    assert.equal(shown(page, 'client-id'), clientId)
    assert.ok(shown(page, 'authorization-url').startsWith(`${world.baseUrl}/auth/consent?client_id=${clientId}&`))
    for (const value of [acme.name, acme.website_url]) assert.ok(page.text.includes(`value="${value}"`))
    for (const name of ['Rotate secret', 'Save changes', 'Delete application']) assert.ok(hasButton(page, name), name)
  })

  test('the client secret is shown once at creation; afterwards only a masked value is displayed', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientSecret } = await registered(world, browser)
    for (const page of [await browser.get(address), await browser.get(address)]) {
      assert.equal(shown(page, 'client-secret'), `••••${clientSecret.slice(-4)}`)
      assert.ok(!page.text.includes(clientSecret))
    }
  })

  test('the client secret can be rotated, and rotation invalidates the old secret immediately', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    const question = await browser.get(`${address}/secret`)
    assert.match(
      question.text,
      new RegExp(`All current secrets stop working immediately: <code>••••${clientSecret.slice(-4)}</code>`),
    )
    assert.ok(hasButton(question, 'Rotate secret'))
    assert.ok(await authenticates(world, clientId, clientSecret), 'opening the confirmation page changes nothing')

    const answer = await browser.submit(question, {}, '/secret')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const rotated = shown(answer, 'client-secret')
    assert.match(rotated, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.deepEqual(
      [await authenticates(world, clientId, clientSecret), await authenticates(world, clientId, rotated)],
      [false, true],
    )
    assert.equal(shown(await browser.get(address), 'client-secret'), `••••${rotated.slice(-4)}`)
  })

  test('an application’s settings can be changed; an invalid change changes nothing and keeps the input', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    const path = new URL(address).pathname
    const wanted = { ...acme, name: 'Acme Console', redirect_uris: 'https://console.acme.example/callback' }
    const saved = await browser.submit(await browser.get(address), wanted, path)
    assert.deepEqual([saved.status, String(saved.location)], [303, address])
    assert.match((await browser.get(saved.location as URL)).text, /Changes saved/)

    const refusal = await browser.submit(
      await browser.get(address),
      { ...wanted, name: 'Other', redirect_uris: '' },
      path,
    )
    assert.equal(refusal.status, 422)
    assert.match(fieldErrorOf(refusal, 'redirect_uris'), /^Enter at least one redirect URI/)
    assert.ok(refusal.text.includes('value="Other"'), 'the input is kept')
    const page = await browser.get(address)
    assert.match(page.text, /<h1>Acme Console<\/h1>/)
    assert.ok(page.text.includes('https://console.acme.example/callback'))
    assert.ok(await authenticates(world, clientId, clientSecret))
  })

  test('deleting an application asks for confirmation, deletes the application and its credentials, and returns to the list', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const { address, clientId, clientSecret } = await registered(world, browser)
    const question = await browser.get(`${address}/deletion`)
    assert.match(question.text, /This can’t be undone/)
    assert.ok(hasButton(question, 'Delete application'))
    const answer = await browser.submit(question, {}, '/deletion')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/'])
    assert.match((await browser.get(answer.location as URL)).text, /Application deleted/)
    assert.equal(await authenticates(world, clientId, clientSecret), false)
    assert.equal((await browser.get(address)).status, 404)
  })

  test('our choice: an unknown application and another user’s application return the same 404', async (t) => {
    const world = await openWorld(t)
    const { address } = await registered(world, await atPortal(world))
    const browser = await atPortal(world, bob)
    const form = await browser.get(`${world.portalUrl}/apps/new`)
    const token = new URLSearchParams({ ...acme, form_token: formTokenOf(form) })
    const addresses = [address, `${world.portalUrl}/apps/none`, `${world.portalUrl}/apps/no%20id`]
    for (const part of ['', '/secret', '/deletion']) {
      const answers = await Promise.all(addresses.map((one) => browser.get(one + part)))
      const posted = await Promise.all(addresses.map((one) => browser.post(one + part, token)))
      for (const answer of [...answers, ...posted]) {
        assert.equal(answer.status, 404, answer.url)
        assert.equal(answer.text, answers[0]?.text, answer.url)
      }
    }
    assert.equal((await (await atPortalAgain(world)).get(address)).status, 200, 'the application still exists')
  })
})
