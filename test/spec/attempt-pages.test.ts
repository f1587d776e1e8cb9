import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { openAdaWithMail } from '../support/mail-sink.ts'
import { type Answer, ada, adaWithClient, Browser, type Client, consentUrl, openClient } from '../support/people.ts'
import { json, openWithProvider, redirectTargetOf } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'
import { disconnectDatabase } from '../support/world-database.ts'

/** Asserts the page’s status, and the two headers that depend on whether it belongs to an attempt. */
function assertPage(page: Answer, status: number, formAction: string, openerPolicy: string): void {
  const sent = ['content-type', 'content-security-policy', 'cross-origin-opener-policy']
  const contentPolicy = `default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self';${formAction} frame-ancestors 'none'; base-uri 'none'`
  const expected = [status, 'text/html; charset=utf-8', contentPolicy, openerPolicy]
  assert.deepEqual([page.status, ...sent.map((name) => page.headers.get(name))], expected, `${page.url}: ${page.text}`)
}

const assertInAttempt = (page: Answer, status: number) => assertPage(page, status, '', 'unsafe-none')

/** Begins an authorization. Returns a function that adds the attempt to a path, as the URLs of all its pages have it. */
async function beginAttempt(world: World, client: Client): Promise<(path: string) => string> {
  const { location } = await new Browser().get(consentUrl(world, client))
  return (path) => `${world.baseUrl}${path}${location?.search}`
}

describe('Pages of an authorization attempt send no form-action and keep the opener of a popup', () => {
  test('sign-in, sign-up, PIN and consent pages, also with errors; pages that reject the request, and pages of an attempt that is unknown or has expired; the same sign-in and sign-up pages outside an attempt send form-action', async (t) => {
    const { world, client, browser } = await openClient(t)
    const at = await beginAttempt(world, client)
    const stranger = new Browser()
    for (const [who, path, wrong] of [
      [stranger, '/sign-in', { email: ada.email, password: 'wrong' }],
      [stranger, '/sign-up', { name: 'Bob', email: 'bob@example.com', password: 'short' }],
      [browser, '/unlock', { pin: '0000' }],
      [browser, '/account/pin', { pin: '1234', pin_again: '4321' }],
    ] as const) {
      const page = await who.get(at(path))
      assertInAttempt(page, 200)
      assertInAttempt(await who.submit(page, wrong, path), 422)
      assertInAttempt(await who.post(at(path), new URLSearchParams()), 403)
    }
    assertInAttempt(await stranger.get(at('/forgot-password')), 200)
    const unlock = await browser.get(at('/unlock'))
    for (let wrong = 0; wrong < 4; wrong += 1) await browser.submit(unlock, { pin: '0000' }, '/unlock')
    assertInAttempt(await browser.submit(unlock, { pin: '0000' }, '/unlock'), 429)

    const url = consentUrl(world, client)
    assertInAttempt(await browser.get(at('/auth/consent')), 200)
    assertInAttempt(await browser.get(consentUrl(world, { ...client, clientId: 'svc_ci_none' })), 400)
    assertInAttempt(await browser.get(consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` })), 400)
    assertInAttempt(await browser.get(at('/auth/consent').replace(/attempt=.*/, 'attempt=none')), 400)
    assertInAttempt(await browser.get(`${url}&request_uri=none`), 400)
    assertInAttempt(await browser.post(url, new URLSearchParams({ decision: 'allow' })), 403)
    for (const path of ['/sign-in', '/sign-up']) {
      const outside = await new Browser().get(world.baseUrl + path)
      assertPage(outside, 200, " form-action 'self';", 'same-origin')
      assert.equal(outside.headers.get('cache-control'), 'no-store')
    }
    await world.clock.advance(31 * 60_000)
    assertInAttempt(await browser.get(at('/auth/consent')), 400)
    assertInAttempt(await new Browser().get(at('/sign-in')), 200)
  })

  test('pages for the first account and for closed sign-up', async (t) => {
    const world = await openWorld(t, { SIGN_UP: 'closed' })
    const redirectUri = 'https://client.example/callback'
    const body = { ownerId: null, name: 'Platform', websiteUrl: 'https://client.example', redirectUris: [redirectUri] }
    const platform = await world.service.applications.provisioned.put(parseApplicationId('platform')!, body)
    assert.equal(platform.outcome, 'created')
    const at = await beginAttempt(world, { ...platform, ...platform.application, redirectUri })
    assertInAttempt(await new Browser().get(at('/welcome')), 200)
    assertInAttempt(await new Browser().get(at('/sign-up')), 403)
  })

  test('pages on the way to a provider and back, also if the provider fails', async (t) => {
    const { world, provider, leave } = await openWithProvider(t, 'chat-platform')
    provider.profile = { id: '223456789012345678', username: 'ada' }
    const at = await beginAttempt(world, await adaWithClient(world))
    for (const status of [200, 503]) {
      const browser = new Browser()
      const left = await leave(browser, at('/sign-in'))
      assertInAttempt(left, 200)
      if (status === 503) provider.instead.set('/token', (response) => json(response, 500, {}))
      const back = await browser.get(await provider.allow(redirectTargetOf(left)))
      assertInAttempt(back, status)
      if (status === 200) assertInAttempt(await browser.get(redirectTargetOf(back)), 200)
    }
  })

  test('pages of a forgotten password, in the browser that requested the email', async (t) => {
    const { world, sink, client } = await openAdaWithMail(t)
    const at = await beginAttempt(world, client)
    const browser = new Browser()
    const form = await browser.get(at('/forgot-password'))
    assertInAttempt(form, 200)
    assertInAttempt(await browser.submit(form, { email: 'no address' }, '/forgot-password'), 422)
    const mailed = await browser.submit(form, { email: ada.email }, '/forgot-password')
    assertInAttempt(await browser.onward(mailed, world), 200)
    const link = await sink.nextLink()
    const reset = await browser.get(link)
    assertInAttempt(reset, 200)
    assertInAttempt(await browser.submit(reset, { password: 'short' }, '/reset-password'), 422)
    const used = await browser.submit(reset, { password: 'another fine horse' }, '/reset-password')
    assertInAttempt(await browser.onward(used, world), 200)
    // Another browser knows nothing about the attempt.
    assertPage(await new Browser().get(link), 404, " form-action 'self';", 'same-origin')
  })

  test('error pages while the database is unreachable', async (t) => {
    const { world, client } = await openClient(t)
    const at = await beginAttempt(world, client)
    const browser = new Browser()
    const page = await browser.get(at('/sign-in'))
    const giveBack = await disconnectDatabase(world, 'identity')
    assertInAttempt(await browser.submit(page, ada, '/sign-in'), 503)
    assertInAttempt(await browser.get(consentUrl(world, client)), 503)
    await giveBack()
  })
})
