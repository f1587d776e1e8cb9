import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids-and-secrets.ts'
import { openMailSink } from '../support/mail-sink.ts'
import {
  type Answer,
  ada,
  adaWithClient,
  Browser,
  type Client,
  consentUrl,
  redirectUri,
  signedIn,
} from '../support/people.ts'
import { asPlatform, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'
import { disconnectDatabase } from '../support/world-database.ts'
import { redirectTargetOf } from './linked-accounts-scene.ts'

const commonRules =
  "default-src 'none'; style-src 'self'; img-src 'self' https: data:; script-src 'self'; connect-src 'self';"

/** Asserts that the page's callbacks may redirect onwards and that a popup keeps its opener. */
function assertInAttempt(page: Answer, status: number, about: string): void {
  assert.equal(page.status, status, `${about}: ${page.text}`)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/, about)
  assert.deepEqual(
    [page.headers.get('content-security-policy'), page.headers.get('cross-origin-opener-policy')],
    [`${commonRules} frame-ancestors 'none'; base-uri 'none'`, 'unsafe-none'],
    about,
  )
}

function assertOutside(page: Answer, status: number, about: string): void {
  assert.equal(page.status, status, `${about}: ${page.text}`)
  assert.deepEqual(
    [page.headers.get('content-security-policy'), page.headers.get('cross-origin-opener-policy')],
    [`${commonRules} form-action 'self'; frame-ancestors 'none'; base-uri 'none'`, 'same-origin'],
    about,
  )
}

/** Begins an authorization. Returns the query with the attempt that all its pages carry. */
async function attemptOf(world: World, client: Client): Promise<string> {
  const { location } = await new Browser().get(consentUrl(world, client))
  return location?.search ?? ''
}

describe('Pages of an authorization attempt send no form-action and keep the opener of a popup', () => {
  test('sign-in, sign-up, PIN and consent pages, also with errors; pages that reject the request, and pages of an attempt that is unknown or has expired', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const query = await attemptOf(world, client)
    const stranger = new Browser()
    const get = (path: string, browser = stranger) => browser.get(`${world.baseUrl}${path}${query}`)
    for (const [path, wrong] of Object.entries({
      '/sign-in': { email: ada.email, password: 'wrong' },
      '/sign-up': { name: 'Bob', email: 'bob@example.com', password: 'short' },
    })) {
      const page = await get(path)
      assertInAttempt(page, 200, path)
      assertInAttempt(await stranger.submit(page, wrong, path), 422, `refused ${path}`)
      const unsigned = await new Browser().post(`${world.baseUrl}${path}${query}`, new URLSearchParams())
      assertInAttempt(unsigned, 403, `${path} without a form token`)
    }
    assertInAttempt(await get('/forgot-password'), 200, 'forgotten password')

    const browser = await signedIn(world)
    const unlock = await get('/unlock', browser)
    assertInAttempt(unlock, 200, 'unlock')
    for (let wrong = 0; wrong < 5; wrong += 1) await browser.submit(unlock, { pin: '0000' }, '/unlock')
    assertInAttempt(await browser.submit(unlock, { pin: '0000' }, '/unlock'), 429, 'locked PIN')
    const pin = await get('/account/pin', browser)
    assertInAttempt(pin, 200, 'PIN')
    assertInAttempt(await browser.submit(pin, { pin: '1234', pin_again: '4321' }, '/account/pin'), 422, 'PINs differ')
    assertInAttempt(await get('/auth/consent', browser), 200, 'consent')

    const url = consentUrl(world, client)
    assertInAttempt(await browser.get(consentUrl(world, { ...client, clientId: 'svc_ci_none' })), 400, 'unknown client')
    const slashed = await browser.get(consentUrl(world, { ...client, redirectUri: `${client.redirectUri}/` }))
    assertInAttempt(slashed, 400, 'unregistered redirect URI')
    assertInAttempt(await browser.get(`${world.baseUrl}/auth/consent?attempt=none`), 400, 'unknown attempt')
    assertInAttempt(await browser.get(`${url}&request_uri=none`), 400, 'unknown request_uri')
    assertInAttempt(await browser.post(url, new URLSearchParams({ decision: 'allow' })), 403, 'forged decision')
    await world.clock.advance(31 * 60_000)
    assertInAttempt(await browser.get(`${world.baseUrl}/auth/consent${query}`), 400, 'expired attempt')
    assertInAttempt(await new Browser().get(`${world.baseUrl}/sign-in${query}`), 200, 'sign-in to an expired attempt')
  })

  test('pages for the first account and for closed sign-up', async (t) => {
    const world = await openWorld(t, { SIGN_UP: 'closed' })
    const platform = await world.service.applications.provisioned.put(parseApplicationId('platform')!, {
      ownerId: null,
      name: 'Platform',
      websiteUrl: 'https://client.example',
      redirectUris: [redirectUri],
    })
    assert.equal(platform.outcome, 'created')
    const query = await attemptOf(world, { ...platform, redirectUri })
    assertInAttempt(await new Browser().get(`${world.baseUrl}/welcome${query}`), 200, 'welcome')
    assertInAttempt(await new Browser().get(`${world.baseUrl}/sign-up${query}`), 403, 'closed')
  })

  test('pages on the way to a provider and back, also if the provider fails', async (t) => {
    const provider = await openStandInProvider(t)
    provider.profile = { id: '223456789012345678', username: 'ada' }
    const world = await openWorld(t, asPlatform('CHAT_PLATFORM', provider, 'Chat'))
    const client = await adaWithClient(world)
    const signInUrl = `${world.baseUrl}/sign-in${await attemptOf(world, client)}`
    const leave = async (browser: Browser) => {
      const left = await browser.submitAt(signInUrl, {}, '/sign-in/with/chat-platform')
      assertInAttempt(left, 200, 'on the way to the provider')
      return provider.allow(redirectTargetOf(left))
    }
    const browser = new Browser()
    const back = await browser.get(await leave(browser))
    assertInAttempt(back, 200, 'on the way back')
    assertInAttempt(await browser.get(redirectTargetOf(back)), 200, 'consent')
    const other = new Browser()
    const callback = await leave(other)
    provider.instead.set('/token', (response) => response.writeHead(500).end())
    assertInAttempt(await other.get(callback), 503, 'the provider fails')
  })

  test('pages of a forgotten password, in the browser that requested the email', async (t) => {
    const sink = await openMailSink(t)
    const world = await openWorld(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
    const client = await adaWithClient(world)
    const browser = new Browser()
    const form = await browser.get(`${world.baseUrl}/forgot-password${await attemptOf(world, client)}`)
    assertInAttempt(form, 200, 'form')
    assertInAttempt(await browser.submit(form, { email: 'no address' }, '/forgot-password'), 422, 'form with an error')
    const mailed = await browser.submit(form, { email: ada.email }, '/forgot-password')
    assertInAttempt(await browser.onward(mailed, world), 200, 'mailed')
    const link = await sink.nextLink()
    const reset = await browser.get(link)
    assertInAttempt(reset, 200, 'link')
    const password = 'another fine horse'
    assertInAttempt(await browser.submit(reset, { password: 'short' }, '/reset-password'), 422, 'link with an error')
    const used = await browser.submit(reset, { password }, '/reset-password')
    assertInAttempt(await browser.onward(used, world), 200, 'link used')
    // Another browser knows nothing about the attempt.
    assertOutside(await new Browser().get(link), 404, 'link in another browser')
  })

  test('error pages while the database is unreachable', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const query = await attemptOf(world, client)
    const browser = new Browser()
    const page = await browser.get(`${world.baseUrl}/sign-in${query}`)
    const giveBack = await disconnectDatabase(world, 'identity')
    assertInAttempt(await browser.submit(page, ada, '/sign-in'), 503, 'sign-in')
    assertInAttempt(await browser.get(consentUrl(world, client)), 503, 'consent')
    await giveBack()
  })
})
