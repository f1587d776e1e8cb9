import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids-and-secrets.ts'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { notKnown, notVerified, openScene, PasskeyPage, refusal, signedInAt, usedUp } from '../support/passkeys.ts'
import {
  type Answer,
  ada,
  Browser,
  consentUrl,
  fieldErrorOf,
  formTokenOf,
  noticeOf,
  provision,
  send,
  signedIn,
  unescapeHtml,
} from '../support/people.ts'
import { bob, isSignedIn } from '../support/sign-in-forms.ts'
import { type Deviations, SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

const minute = 60_000
const tooLong = 'Use a name of at most 60 characters.'

async function bobOnPasskeysPage(world: World): Promise<PasskeyPage> {
  await provision(world, 'PUT', '/v1/users/bob', bob)
  return PasskeyPage.open(world, await signedIn(world, bob), '/account/passkeys')
}

describe('our choice: adding a passkey', () => {
  test('registration asks for a discoverable passkey with user verification, and excludes devices that already have a passkey; a passkey that any user has registered can’t be added again', async (t) => {
    const { world, home, device } = await openScene(t)
    const options = await home.options('/account/passkeys/challenge')
    const { residentKey, userVerification } = options.authenticatorSelection
    assert.deepEqual([residentKey, userVerification, options.attestation], ['required', 'required', 'none'])
    assert.deepEqual(options.rp, { name: 'Gatehouse', id: 'localhost' })
    const id = Buffer.from(ada.id).toString('base64url')
    assert.deepEqual(options.user, { id, name: ada.email, displayName: ada.name })
    assert.deepEqual(pluck(options.excludeCredentials as { id: string }[], 'id'), [device.credentialId])
    const taken = refusal('passkey-taken', 'This passkey is already registered.')
    assert.deepEqual(await (await bobOnPasskeysPage(world)).add(device), taken)
  })

  test('a passkey created at another origin, for another host or without user verification, one whose name has more than 60 characters, and a 21st passkey are refused', async (t) => {
    const { home } = await openScene(t)
    for (const lies of [{ origin: 'http://localhost:1' }, { rpId: 'evil.example' }, { unverified: true }]) {
      assert.deepEqual(await home.add(home.newDevice(), lies), notVerified)
    }
    assert.deepEqual(await home.add(home.newDevice(), {}, 'x'.repeat(61)), refusal('name-too-long', tooLong))
    for (let count = 1; count < 20; count += 1) await home.register()
    const most = 'You have the maximum of 20 passkeys. Remove one that you no longer use.'
    assert.deepEqual(await home.post('/account/passkeys/challenge'), refusal('too-many-passkeys', most))
  })

  test('a user signInPage is signed out, or whose last sign-in was 15 minutes ago, is asked to sign in before adding a passkey', async (t) => {
    const { world, home, signInPage } = await openScene(t)
    const signedOut = refusal('signed-out', 'You are signed out. Sign in and try again.', 401)
    assert.deepEqual(await signInPage.post('/account/passkeys/challenge'), signedOut)
    await world.clock.advance(15 * minute)
    const old = 'You signed in more than 15 minutes ago. Sign in again to add or remove passkeys.'
    assert.deepEqual(await home.post('/account/passkeys/challenge'), refusal('sign-in-again', old, 403))
  })
})

describe('our choice: {base_url}/account/passkeys', () => {
  test('a passkey can be renamed and removed without scripts; a removed passkey can’t sign in', async (t) => {
    useOwnWorld(t)
    const { world, home, device, signInPage } = await openScene(t)
    const [list, one] = [`${world.baseUrl}/account/passkeys`, `${world.baseUrl}/account/passkeys/1`]
    const rename = (name: string) => home.browser.submitAt(one, { name }, '/account/passkeys/1')
    const renamed = await rename(' The  desk ')
    assert.deepEqual([renamed.status, renamed.location?.href], [303, list])
    assert.match((await home.browser.get(list)).text, />The desk<\/a>/)
    const long = await rename('x'.repeat(61))
    assert.deepEqual([long.status, noticeOf(long)], [422, tooLong])
    const removed = await home.browser.submitAt(one, {}, '/removal')
    assert.deepEqual([removed.status, removed.location?.href], [303, list])
    assert.equal((await home.browser.get(one)).status, 404)
    assert.deepEqual(await signInPage.signIn(device), notKnown)
  })

  test('a user can’t see, rename or remove another user’s passkey', async (t) => {
    useOwnWorld(t)
    const { world, device, signInPage } = await openScene(t)
    const { browser } = await bobOnPasskeysPage(world)
    assert.equal((await browser.get(`${world.baseUrl}/account/passkeys/1`)).status, 404)
    assert.equal((await send(browser, world, '/account/passkeys/1', { name: 'Mine' })).status, 404)
    assert.equal((await send(browser, world, '/account/passkeys/1/removal', {})).status, 404)
    assert.deepEqual(await signInPage.signIn(device), signedInAt('/account'))
  })

  test('a passkey that is the only way to sign in can’t be removed', async (t) => {
    useOwnWorld(t)
    const { world, device, signInPage } = await openScene(t)
    await world.service.accounts.users.put(parseUserId(ada.id)!, { name: ada.name, clearTextPassword: null })
    await signInPage.signIn(device)
    const refused = await signInPage.browser.submitAt(`${world.baseUrl}/account/passkeys/1`, {}, '/removal')
    const why =
      'You can’t remove your only way to sign in. First add another passkey, set a password, or link an account.'
    assert.deepEqual([refused.status, noticeOf(refused)], [422, why])
    assert.deepEqual(await (await PasskeyPage.open(world)).signIn(device), signedInAt('/account'))
  })

  test('removing a passkey needs a sign-in within the last 15 minutes', async (t) => {
    useOwnWorld(t)
    const { world, home } = await openScene(t)
    const { browser } = home
    await world.clock.advance(15 * minute)
    const remove = () => send(browser, world, '/account/passkeys/1/removal', {})
    const refused = await remove()
    assert.deepEqual([refused.status, refused.location?.pathname], [303, '/account/passkeys'])
    const page = await browser.get(String(refused.location))
    assert.doesNotMatch(page.text, /Add a passkey/)
    const wrong = await browser.submit(page, { password: 'not mine at all' }, '/account/passkeys/sign-in')
    assert.deepEqual([wrong.status, fieldErrorOf(wrong, 'password')], [422, 'Wrong password. Check it and try again.'])
    await browser.submit(page, { password: ada.password }, '/account/passkeys/sign-in')
    assert.equal((await remove()).location?.search, '')
    assert.equal((await browser.get(`${world.baseUrl}/account/passkeys/1`)).status, 404)
  })
})

describe('our choice: setting a PIN with a passkey', () => {
  async function setPin({ world, browser }: PasskeyPage, passkey: string, password = ''): Promise<Answer> {
    return browser.submitAt(`${world.baseUrl}/account/pin`, { pin: '1618', pin_again: '1618', passkey, password })
  }

  test('a user can set a PIN with a passkey signature instead of the password; each signature works once; without a passkey the error is no-passkey; another user’s passkey and a signature made for sign-in are refused', async (t) => {
    const { world, home, device } = await openScene(t)
    const none = refusal('no-passkey', 'You don’t have a passkey. Add one on your account page first.')
    const bob = await bobOnPasskeysPage(world)
    assert.deepEqual(await bob.post('/account/pin/challenge'), none)
    const signature = device.get(await home.options('/account/pin/challenge'))
    const set = await setPin(home, signature)
    assert.deepEqual([set.status, set.location?.pathname], [303, '/account/security'])
    const again = await setPin(home, signature)
    assert.deepEqual([again.status, noticeOf(again)], [422, usedUp[1].message])
    assert.equal((await setPin(home, signature, ada.password)).status, 303, 'with the password')

    await bob.register()
    for (const [signInPage, path, [status, { message }]] of [
      [bob, '/account/pin/challenge', notKnown],
      [home, '/sign-in/passkey/challenge', usedUp],
    ] as const) {
      const refused = await setPin(signInPage, device.get(await signInPage.options(path)))
      assert.deepEqual([refused.status, noticeOf(refused)], [status, message])
    }
  })
})

describe('our choice: signing in with a passkey', () => {
  test('a passkey starts a session for its user, as a password does; the challenge allows any passkey for this host and requires user verification', async (t) => {
    const { world, device, signInPage } = await openScene(t)
    const { challenge, ...options } = await signInPage.options('/sign-in/passkey/challenge')
    assert.match(challenge, /^[\w-]{43}$/)
    const anyVerified = { userVerification: 'required', allowCredentials: [] }
    assert.deepEqual(options, { rpId: 'localhost', timeout: 5 * minute, ...anyVerified })
    assert.deepEqual(await signInPage.signIn(device), signedInAt('/account'))
    const account = await signInPage.browser.get(`${world.baseUrl}/account`)
    assert.equal(account.status, 200)
    assert.match(account.text, /<span class="name">Ada<\/span>/)
  })

  test('a passkey sign-in continues the authorization attempt, or returns to the requested page of this host', async (t) => {
    const { world, client, device, signInPage } = await openScene(t)
    const wanted = '/bots/bot-1/deliveries?state=dead&since=day'
    for (const address of [consentUrl(world, client), world.baseUrl + wanted]) {
      const browser = new Browser()
      const page = await browser.visit(address, world)
      const [, path = ''] = /data-response="([^"]*)"/.exec(page.text) ?? []
      const sent = new PasskeyPage(world, browser, formTokenOf(page))
      const target = address.endsWith(wanted) ? wanted : `/auth/consent${new URL(page.url).search}`
      assert.deepEqual(await sent.signIn(device, {}, unescapeHtml(path)), signedInAt(target))
    }
    const elsewhere = '/sign-in/passkey?attempt=https://evil.example'
    assert.deepEqual(await signInPage.signIn(device, {}, elsewhere), signedInAt('/account'))
  })

  test('a passkey response for another origin, host or user, with another key or without user verification is refused, and so is a disabled user’s, until they are enabled', async (t) => {
    const { world, device, signInPage } = await openScene(t)
    for (const lies of [
      { origin: 'https://gatehouse.example.evil' },
      { rpId: 'evil.example' },
      { forged: true },
      { unverified: true },
      { userHandle: Buffer.from('bob').toString('base64url') },
    ] satisfies Deviations[]) {
      assert.deepEqual(await signInPage.signIn(device, lies), notVerified)
    }
    assert.equal(await isSignedIn(world, signInPage.browser), false)

    await provision(world, 'POST', '/v1/users/ada/disable')
    const disabled = refusal('user-disabled', 'This account is disabled. Contact the operator.', 403)
    assert.deepEqual(await signInPage.signIn(device), disabled)
    assert.equal(await isSignedIn(world, signInPage.browser), false)
    await provision(world, 'POST', '/v1/users/ada/enable')
    assert.deepEqual(await signInPage.signIn(device), signedInAt('/account'))
  })

  test('a passkey challenge works for 5 minutes, once, only in its own browser and for its own purpose; a failed attempt does not use it up; no challenge or signature is logged', async (t) => {
    const { world, home, device, signInPage } = await openScene(t)
    const expired = await signInPage.options('/sign-in/passkey/challenge')
    await world.clock.advance(5 * minute)
    const options = await signInPage.options('/sign-in/passkey/challenge')
    const response = device.get(options)
    const made = { challenge: Buffer.alloc(32).toString('base64url') }
    for (const [page, path, wrong] of [
      [signInPage, '/sign-in/passkey', device.get(expired)],
      [await PasskeyPage.open(world), '/sign-in/passkey', response],
      [home, '/account/passkeys', device.create(options)],
      [signInPage, '/sign-in/passkey', device.get(made)],
    ] as const) {
      assert.deepEqual(await page.post(path, { response: wrong }), usedUp)
    }
    await world.clock.advance(5 * minute - 1)
    assert.deepEqual(await signInPage.post('/sign-in/passkey', { response }), signedInAt('/account'))
    assert.deepEqual(await signInPage.post('/sign-in/passkey', { response }), usedUp)

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
    const { world, home, device } = await openScene(t)
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

  test('a malformed passkey response is refused; a request without its page’s form token, or that is no form, gets JSON that says so', async (t) => {
    const { world, signInPage } = await openScene(t)
    const invalid = 'The browser sent an invalid response. Try again, or use another browser.'
    const malformed = refusal('response-malformed', invalid)
    for (const response of ['', 'null', '[]', '{"id":1}', '{"id":"a","response":{"clientDataJSON":"AAAA"}}', '{{']) {
      assert.deepEqual(await signInPage.post('/sign-in/passkey', { response }), malformed, response)
    }
    const outdated = refusal('form-token-invalid', 'This page is out of date. Reload it and try again.', 403)
    assert.deepEqual(await signInPage.post('/sign-in/passkey/challenge', { form_token: 'other' }), outdated)
    const headers = { 'content-type': 'application/json' }
    const json = await fetch(`${world.baseUrl}/sign-in/passkey`, { method: 'POST', headers, body: '{}' })
    const unreadable = 'The browser sent an unreadable request. Reload the page and try again.'
    assert.deepEqual([json.status, await json.json()], refusal('request-malformed', unreadable, 400))
  })
})
