import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertShows, Browser, openClient } from '../support/people.ts'
import { atPortal, atPortalAgain } from '../support/portal-people.ts'
import { bob, signedUp } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

describe('Sign-in to the portal', () => {
  test('the portal signs users in at the identity service, as a first-party application with implied consent', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const wanted = `${world.portalUrl}/apps/new?state=x`
    const toConsent = await browser.get(wanted)
    assert.equal(toConsent.status, 302)
    const { state, code_challenge, ...request } = Object.fromEntries(toConsent.location?.searchParams ?? [])
    assert.equal(toConsent.location?.pathname, '/auth/consent')
    assert.deepEqual(request, {
      client_id: 'svc_ci_portal',
      redirect_uri: `${world.portalUrl}/callback`,
      response_type: 'code',
      scope: 'user.identify',
      code_challenge_method: 'S256',
    })
    const toCallback = await browser.get(toConsent.location as URL)
    const callback = toCallback.location as URL
    assert.deepEqual([callback.pathname, callback.searchParams.get('state')], ['/callback', state])
    const toPage = await browser.get(callback)
    assert.deepEqual([toPage.status, String(toPage.location)], [303, wanted])
    assert.equal((await browser.get(toPage.location as URL)).status, 200)

    const again = await browser.get(callback)
    assert.equal(String(again.location), wanted, 'opening the callback again is harmless')
  })

  test('only the browser that started a portal sign-in can finish it; a callback without a code, or with an invalid code, shows a page with a link to start again', async (t) => {
    const world = await openWorld(t)
    const mallory = await signedUp(world, bob)
    const begun = await mallory.get(world.portalUrl)
    const callback = (await mallory.get(begun.location as URL)).location as URL
    for (const victim of [new Browser(), await atPortal(world)]) {
      const page = await victim.get(callback)
      assertShows(page, 400, /This sign-in wasn’t started in this browser/)
      assert.match(page.text, /<a class="button primary" href="\/">Start again<\/a>/)
    }
    const tampered = new URL(callback)
    tampered.searchParams.set('state', `${callback.searchParams.get('state')}x`)
    assert.equal((await mallory.get(tampered)).status, 400)

    const browser = new Browser()
    const state = (await browser.get(world.portalUrl)).location?.searchParams.get('state') ?? ''
    for (const query of [{ error: 'access_denied' }, { code: 'svc_ac_none' }]) {
      const page = await browser.get(`${world.portalUrl}/callback?${new URLSearchParams({ ...query, state })}`)
      assertShows(page, 400, /Start again/)
      const [, errorId = 'none'] = /Error ID <code>([A-Z2-9]{4}-[A-Z2-9]{4})<\/code>/.exec(page.text) ?? []
      assert.ok(world.logs().includes(errorId), 'the log has the error ID')
    }
  })

  test('a HEAD request or a prefetch of the callback redeems no code', async (t) => {
    const { world, browser } = await openClient(t)
    const authorization = await browser.get(`${world.portalUrl}/`)
    const callback = (await browser.get(authorization.location as URL)).location as URL
    assert.equal(callback.pathname, '/callback')
    const cookie = browser.cookieHeader()
    assert.equal((await fetch(callback, { method: 'HEAD', headers: { cookie }, redirect: 'manual' })).status, 404)
    const prefetch = { cookie, 'sec-purpose': 'prefetch' }
    assert.equal((await fetch(callback, { headers: prefetch, redirect: 'manual' })).status, 425)
    const answer = await browser.get(callback)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/'])
    assert.equal((await browser.get(world.portalUrl)).status, 200)
  })

  test('portal sign-ins in two tabs both succeed', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const one = await browser.get(`${world.portalUrl}/apps/new`)
    const other = await browser.get(`${world.portalUrl}/`)
    assert.equal((await browser.visit(one.location as URL, world)).url, `${world.portalUrl}/apps/new`)
    assert.equal((await browser.visit(other.location as URL, world)).url, `${world.portalUrl}/`)
  })

  test('signing out of the portal ends its session and says that the account’s may continue; our choice: signing out of the account ends the portal’s session in that browser, and in no other (0111)', async (t) => {
    const world = await openWorld(t)
    const [browser, elsewhere] = [await atPortal(world), await atPortalAgain(world)]
    await browser.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    assert.equal((await browser.get(`${world.portalUrl}/apps/new`)).status, 302)
    assert.equal(new URL((await browser.visit(world.portalUrl, world)).url).pathname, '/sign-in')
    assert.equal((await elsewhere.get(world.portalUrl)).status, 200)

    const answer = await elsewhere.submitAt(world.portalUrl, {}, '/sign-out')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/sign-out'])
    const page = await elsewhere.get(answer.location as URL)
    assert.match(page.text, /You may still be signed in to your account\. On/)
    assert.equal((await elsewhere.get(world.portalUrl)).status, 302)
  })

  test('our choice: a portal sign-in whose account is signed out before the callback leads to sign-in again', async (t) => {
    const { world, browser } = await openClient(t)
    const callback = (await browser.get((await browser.get(`${world.portalUrl}/apps/new`)).location as URL)).location
    await browser.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
    assert.equal(String((await browser.get(callback as URL)).location), `${world.portalUrl}/apps/new`)
    assert.equal(new URL((await browser.visit(`${world.portalUrl}/apps/new`, world)).url).pathname, '/sign-in')
  })
})
