import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { notVerified, openScene, PasskeyPage, refusal, signedInAt, usedUp } from '../support/passkeys.ts'
import { Browser, consentUrl, formTokenOf, provision, unescapeHtml } from '../support/people.ts'
import { isSignedIn } from '../support/sign-in-forms.ts'
import { type Deviations, SoftwareAuthenticator } from '../support/software-authenticator.ts'

const minute = 60_000

describe('our choice: signing in with a passkey', () => {
  test('a passkey starts a session for its user, as a password does; the challenge allows any passkey for this host and requires user verification', async (t) => {
    const { world, home } = await openScene(t)
    const device = await home.register()
    const who = await PasskeyPage.open(world)
    const { challenge, ...options } = await who.options('/sign-in/passkey/challenge')
    assert.match(challenge, /^[\w-]{43}$/)
    const anyVerified = { userVerification: 'required', allowCredentials: [] }
    assert.deepEqual(options, { rpId: 'localhost', timeout: 5 * minute, ...anyVerified })
    assert.deepEqual(await who.signIn(device), signedInAt('/account'))
    const account = await who.browser.get(`${world.baseUrl}/account`)
    assert.equal(account.status, 200)
    assert.match(account.text, /<span class="name">Ada<\/span>/)
  })

  test('a passkey sign-in continues the authorization attempt, or returns to the requested page of this host', async (t) => {
    const { world, client, home } = await openScene(t)
    const device = await home.register()
    const wanted = '/bots/bot-1/deliveries?state=dead&since=day'
    for (const [address, target] of [
      [consentUrl(world, client), /^\/auth\/consent\?attempt=\w+$/],
      [world.baseUrl + wanted, /^\/bots\/bot-1\/deliveries\?state=dead&since=day$/],
    ] as const) {
      const browser = new Browser()
      const page = await browser.visit(address, world)
      const [, path = ''] = /data-response="([^"]*)"/.exec(page.text) ?? []
      const who = new PasskeyPage(world, browser, formTokenOf(page))
      const [status, { location }] = await who.signIn(device, {}, unescapeHtml(path))
      assert.equal(status, 200)
      assert.match(location, target)
    }
    const who = await PasskeyPage.open(world)
    const elsewhere = '/sign-in/passkey?attempt=https://evil.example'
    assert.deepEqual(await who.signIn(device, {}, elsewhere), signedInAt('/account'))
  })

  test('a passkey response for another origin, host or user, with another key or without user verification is refused', async (t) => {
    const { world, home } = await openScene(t)
    const device = await home.register()
    const who = await PasskeyPage.open(world)
    for (const lies of [
      { origin: 'https://gatehouse.example.evil' },
      { rpId: 'evil.example' },
      { forged: true },
      { unverified: true },
      { userHandle: Buffer.from('bob').toString('base64url') },
    ] satisfies Deviations[]) {
      assert.deepEqual(await who.signIn(device, lies), notVerified)
    }
    assert.equal(await isSignedIn(world, who.browser), false)
  })

  test('a disabled user can’t sign in with a passkey; once enabled, they can', async (t) => {
    const { world, home } = await openScene(t)
    const device = await home.register()
    await provision(world, 'POST', '/v1/users/ada/disable')
    const who = await PasskeyPage.open(world)
    const disabled = refusal('user-disabled', 'This account is disabled. Contact the operator.', 403)
    assert.deepEqual(await who.signIn(device), disabled)
    assert.equal(await isSignedIn(world, who.browser), false)
    await provision(world, 'POST', '/v1/users/ada/enable')
    assert.deepEqual(await who.signIn(device), signedInAt('/account'))
  })

  test('a passkey challenge works for 5 minutes, once, only in its own browser and for its own purpose; a failed attempt does not use it up; no challenge or signature is logged', async (t) => {
    const { world, home } = await openScene(t)
    const device = await home.register()
    const who = await PasskeyPage.open(world)
    const expired = await who.options('/sign-in/passkey/challenge')
    await world.clock.advance(5 * minute)
    const options = await who.options('/sign-in/passkey/challenge')
    const response = device.get(options)
    const made = { challenge: Buffer.alloc(32).toString('base64url') }
    for (const [page, path, wrong] of [
      [who, '/sign-in/passkey', device.get(expired)],
      [await PasskeyPage.open(world), '/sign-in/passkey', response],
      [home, '/account/passkeys', device.create(options)],
      [who, '/sign-in/passkey', device.get(made)],
    ] as const) {
      assert.deepEqual(await page.post(path, { response: wrong }), usedUp)
    }
    await world.clock.advance(5 * minute - 1)
    assert.deepEqual(await who.post('/sign-in/passkey', { response }), signedInAt('/account'))
    assert.deepEqual(await who.post('/sign-in/passkey', { response }), usedUp)

    const other = await PasskeyPage.open(world)
    const { challenge } = await other.options('/sign-in/passkey/challenge')
    const forged = device.get({ challenge }, { origin: 'https://evil.example' })
    assert.deepEqual(await other.post('/sign-in/passkey', { response: forged }), notVerified)
    const logs = world.logs()
    assert.match(logs, /verification-failed/)
    for (const secret of [challenge, JSON.parse(forged).response.signature, other.formToken]) {
      assert.equal(logs.includes(secret), false)
    }
  })

  test('a passkey counter that went backwards is refused, as the key may have been copied; a passkey without a counter works', async (t) => {
    const { world, home } = await openScene(t)
    const device = await home.register()
    const signIn = async (by: SoftwareAuthenticator, lies: Deviations = {}) =>
      (await PasskeyPage.open(world)).signIn(by, lies)
    assert.deepEqual(await signIn(device), signedInAt('/account'))
    const copied =
      'This passkey may have been copied: its signature counter didn’t increase. Sign in another way, remove it, and add a new one.'
    assert.deepEqual(await signIn(device, { counter: 1 }), refusal('counter-behind', copied))
    const synced = new SoftwareAuthenticator({ origin: world.baseUrl, counts: false })
    await home.add(synced)
    for (let times = 0; times < 2; times += 1) assert.deepEqual(await signIn(synced), signedInAt('/account'))
  })

  test('a malformed passkey response is refused', async (t) => {
    const { world } = await openScene(t)
    const who = await PasskeyPage.open(world)
    const malformed = refusal(
      'response-malformed',
      'The browser sent an invalid response. Try again, or use another browser.',
    )
    for (const response of ['', 'null', '[]', '{"id":1}', '{"id":"a","response":{"clientDataJSON":"AAAA"}}', '{{']) {
      assert.deepEqual(await who.post('/sign-in/passkey', { response }), malformed, response)
    }
  })

  test('a passkey request without its page’s form token, or that is no form, gets JSON that says so', async (t) => {
    const { world } = await openScene(t)
    const who = await PasskeyPage.open(world)
    const outdated = refusal('form-token-invalid', 'This page is out of date. Reload it and try again.', 403)
    assert.deepEqual(await who.post('/sign-in/passkey/challenge', { form_token: 'other' }), outdated)
    const headers = { 'content-type': 'application/json' }
    const json = await fetch(`${world.baseUrl}/sign-in/passkey`, { method: 'POST', headers, body: '{}' })
    const unreadable = 'The browser sent an unreadable request. Reload the page and try again.'
    assert.deepEqual([json.status, await json.json()], refusal('request-malformed', unreadable, 400))
  })
})
