import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  adaOnPasskeysPage,
  notVerified,
  openScene,
  optionsFor,
  post,
  register,
  signIn,
  statusAndJson,
  usedUp,
  visitor,
} from '../support/passkeys.ts'
import { adaWithClient, Browser, consentUrl, formTokenOf, provision } from '../support/people.ts'
import { isSignedIn } from '../support/sign-in-forms.ts'
import { type Deviations, SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { openWorld } from '../support/world.ts'

const minute = 60_000

test('our choice: a passkey starts a session for its user, as a password does; the challenge allows any passkey for this host and requires user verification', async (t) => {
  const world = await openScene(t)
  const { device, answer } = await register(world, await adaOnPasskeysPage(world))
  assert.deepEqual(statusAndJson(answer), [200, { location: '/account/passkeys' }])
  const who = await visitor(world)
  const { challenge, ...options } = await optionsFor(world, who, '/sign-in/passkey/challenge')
  assert.match(challenge, /^[\w-]{43}$/)
  const anyVerified = { userVerification: 'required', allowCredentials: [] }
  assert.deepEqual(options, { rpId: 'localhost', timeout: 5 * minute, ...anyVerified })
  assert.deepEqual(statusAndJson(await signIn(world, who, device)), [200, { location: '/account' }])
  const account = await who.browser.get(`${world.baseUrl}/account`)
  assert.equal(account.status, 200)
  assert.match(account.text, /<span class="name">Ada<\/span>/)
})

test('our choice: a passkey sign-in continues the authorization attempt', async (t) => {
  const world = await openWorld(t)
  const client = await adaWithClient(world)
  const { device } = await register(world, await adaOnPasskeysPage(world))
  const browser = new Browser()
  const page = await browser.visit(consentUrl(world, client), world)
  const attempt = new URL(page.url).searchParams.get('attempt')
  const who = { browser, formToken: formTokenOf(page) }
  const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
  const answer = await post(world, who, `/sign-in/passkey?attempt=${attempt}`, { response: device.get(options) })
  assert.deepEqual(statusAndJson(answer), [200, { location: `/auth/consent?attempt=${attempt}` }])
  const elsewhere = await post(world, who, '/sign-in/passkey?attempt=https://evil.example', {
    response: device.get(await optionsFor(world, who, '/sign-in/passkey/challenge')),
  })
  assert.deepEqual(statusAndJson(elsewhere), [200, { location: '/account' }])
})

test('our choice: a passkey response for another origin, host or user, with another key or without user verification is refused', async (t) => {
  const world = await openScene(t)
  const { device } = await register(world, await adaOnPasskeysPage(world))
  const who = await visitor(world)
  for (const lies of [
    { origin: 'https://gatehouse.example.evil' },
    { rpId: 'evil.example' },
    { forged: true },
    { unverified: true },
    { userHandle: Buffer.from('bob').toString('base64url') },
  ] satisfies Deviations[]) {
    assert.deepEqual(statusAndJson(await signIn(world, who, device, lies)), notVerified)
  }
  assert.equal(await isSignedIn(world, who.browser), false)
})

test('our choice: a disabled user can’t sign in with a passkey; once enabled, they can', async (t) => {
  const world = await openScene(t)
  const { device } = await register(world, await adaOnPasskeysPage(world))
  await provision(world, 'POST', '/v1/users/ada/disable')
  const who = await visitor(world)
  assert.deepEqual(statusAndJson(await signIn(world, who, device)), [
    403,
    { error: 'user-disabled', message: 'This account is disabled. Contact the operator.' },
  ])
  assert.equal(await isSignedIn(world, who.browser), false)
  await provision(world, 'POST', '/v1/users/ada/enable')
  assert.deepEqual(statusAndJson(await signIn(world, who, device)), [200, { location: '/account' }])
})

test('our choice: a passkey challenge expires after 5 minutes', async (t) => {
  const world = await openScene(t)
  const { device } = await register(world, await adaOnPasskeysPage(world))
  const who = await visitor(world)
  const first = await optionsFor(world, who, '/sign-in/passkey/challenge')
  await world.clock.advance(5 * minute)
  assert.deepEqual(statusAndJson(await post(world, who, '/sign-in/passkey', { response: device.get(first) })), usedUp)
  const second = await optionsFor(world, who, '/sign-in/passkey/challenge')
  await world.clock.advance(5 * minute - 1)
  assert.equal((await post(world, who, '/sign-in/passkey', { response: device.get(second) })).status, 200)
})

test('our choice: a passkey challenge works once, only in its own browser and for its own purpose; a failed attempt does not use it up; no challenge or signature is logged', async (t) => {
  const world = await openScene(t)
  const home = await adaOnPasskeysPage(world)
  const { device } = await register(world, home)
  const who = await visitor(world)
  const options = await optionsFor(world, who, '/sign-in/passkey/challenge')
  const response = device.get(options)
  assert.deepEqual(statusAndJson(await post(world, await visitor(world), '/sign-in/passkey', { response })), usedUp)
  assert.deepEqual(
    statusAndJson(await post(world, home, '/account/passkeys', { response: device.create(options) })),
    usedUp,
  )
  const made = device.get({ challenge: Buffer.alloc(32).toString('base64url') })
  assert.deepEqual(statusAndJson(await post(world, who, '/sign-in/passkey', { response: made })), usedUp)
  assert.equal((await post(world, who, '/sign-in/passkey', { response })).status, 200)
  assert.deepEqual(statusAndJson(await post(world, who, '/sign-in/passkey', { response })), usedUp)

  const other = await visitor(world)
  const { challenge } = await optionsFor(world, other, '/sign-in/passkey/challenge')
  const forged = device.get({ challenge }, { origin: 'https://evil.example' })
  assert.deepEqual(statusAndJson(await post(world, other, '/sign-in/passkey', { response: forged })), notVerified)
  const logs = world.logs()
  assert.match(logs, /verification-failed/)
  for (const secret of [challenge, JSON.parse(forged).response.signature, other.formToken]) {
    assert.equal(logs.includes(secret), false)
  }
})

test('our choice: a passkey counter that went backwards is refused, as the key may have been copied; a passkey without a counter works', async (t) => {
  const world = await openScene(t)
  const home = await adaOnPasskeysPage(world)
  const { device } = await register(world, home)
  const who = await visitor(world)
  assert.equal((await signIn(world, who, device)).status, 200)
  assert.deepEqual(statusAndJson(await signIn(world, await visitor(world), device, { counter: 1 })), [
    422,
    {
      error: 'counter-behind',
      message:
        'This passkey may have been copied: its signature counter didn’t increase. Sign in another way, remove it, and add a new one.',
    },
  ])
  const synced = new SoftwareAuthenticator({ origin: world.baseUrl, counts: false })
  await register(world, home, synced)
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await signIn(world, await visitor(world), synced)).status, 200)
  }
})

test('our choice: a malformed passkey response is refused', async (t) => {
  const world = await openScene(t)
  const who = await visitor(world)
  for (const response of ['', 'null', '[]', '{"id":1}', '{"id":"a","response":{"clientDataJSON":"AAAA"}}', '{{']) {
    assert.deepEqual(
      statusAndJson(await post(world, who, '/sign-in/passkey', { response })),
      [
        422,
        {
          error: 'response-malformed',
          message: 'The browser sent an invalid response. Try again, or use another browser.',
        },
      ],
      response,
    )
  }
})

test('our choice: a passkey request without its page’s form token, or that is no form, gets JSON that says so', async (t) => {
  const world = await openScene(t)
  const who = await visitor(world)
  assert.deepEqual(statusAndJson(await post(world, { ...who, formToken: 'other' }, '/sign-in/passkey/challenge')), [
    403,
    { error: 'form-token-invalid', message: 'This page is out of date. Reload it and try again.' },
  ])
  const json = await fetch(`${world.baseUrl}/sign-in/passkey`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  assert.deepEqual(
    [json.status, await json.json()],
    [
      400,
      {
        error: 'request-malformed',
        message: 'The browser sent an unreadable request. Reload the page and try again.',
      },
    ],
  )
})
