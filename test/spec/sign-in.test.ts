import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids.ts'
import { fieldErrorOf, formTokenOf, noticeOf, titleOf } from '../support/page-words.ts'
import { type Answer, Browser } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const minute = 60_000
const day = 24 * 60 * minute
const ada = { name: 'Ada', email: 'ada@example.com', password: 'the engine weaves' }
const bob = { name: 'Bob', email: 'bob@example.com', password: 'a bridge of stone' }

/** A browser that has just signed this person up. */
async function signedUp(world: World, person = ada): Promise<Browser> {
  const browser = new Browser()
  const answer = await signUp(world, browser, person)
  assert.equal(answer.status, 303, answer.text)
  return browser
}

async function signUp(world: World, browser: Browser, form: Record<string, string>): Promise<Answer> {
  return browser.submit(await browser.get(`${world.baseUrl}/sign-up`), form, '/sign-up')
}

async function signIn(world: World, form: { email: string; password: string }, browser = new Browser()) {
  const { email, password } = form
  return browser.submit(await browser.get(`${world.baseUrl}/sign-in`), { email, password }, '/sign-in')
}

/** Whether the browser is signed in, by what its account page answers. */
async function isSignedIn(world: World, browser: Browser): Promise<boolean> {
  const page = await browser.get(`${world.baseUrl}/account`)
  if (page.status === 200) return true
  assert.deepEqual([page.status, page.location?.pathname], [302, '/sign-in'])
  return false
}

/** A page without what differs from one answer to the next. */
function withoutTokens(page: Answer): string {
  return page.text.replace(/name="form_token" value="[^"]*"/g, '').replaceAll(/value="[^"]*@[^"]*"/g, '')
}

describe('{base_url}/sign-up', () => {
  test('the page has the fields name, email, password and the button Create account', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-up`)
    assert.equal(page.status, 200)
    for (const [name, label] of Object.entries({ name: 'Name', email: 'E-mail address', password: 'Password' })) {
      assert.match(page.text, new RegExp(`<label for="${name}">${label}</label>`))
      assert.match(page.text, new RegExp(`<input [^>]*name="${name}"`))
    }
    assert.match(page.text, /<button type="submit"[^>]*>Create account<\/button>/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self';/)
  })

  test('sign-up signs the user in', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const answer = await signUp(world, browser, ada)
    assert.deepEqual([answer.status, answer.location?.pathname, answer.location?.search], [303, '/welcome', ''])
    const page = await browser.get(`${world.baseUrl}/account`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<dt>Name<\/dt><dd>Ada<\/dd>/)
    assert.match(page.text, /<dt>E-mail address<\/dt><dd>ada@example\.com<\/dd>/)
  })

  const passwords: [password: string, says: string | undefined][] = [
    ['1234567', 'Use a password of at least 8 characters. A few words in a row are easy to remember.'],
    ['', 'Use a password of at least 8 characters. A few words in a row are easy to remember.'],
    ['🦊'.repeat(7), 'Use a password of at least 8 characters. A few words in a row are easy to remember.'],
    ['w 7 cats', undefined],
    ['🦊🐻🐼🐨🐯🦁🐮🐷', undefined],
    ['ab'.repeat(128), undefined],
    [`${'ab'.repeat(128)}c`, 'Use a password of at most 256 characters.'],
    ['password', 'This password is among those that are tried first. Choose one that nobody else would.'],
    ['QWERTYUIOP', 'This password is among those that are tried first. Choose one that nobody else would.'],
    ['zzzzzzzzzzzz', 'This password is among those that are tried first. Choose one that nobody else would.'],
  ]
  for (const [password, says] of passwords) {
    const shown = password.length > 20 ? `${password.slice(0, 8)}… (${[...password].length})` : password
    test(`a password has 8 to 256 characters and is not a well-known one: ${shown}`, async (t) => {
      const world = await openWorld(t)
      const answer = await signUp(world, new Browser(), { ...ada, password })
      assert.equal(answer.status, says === undefined ? 303 : 422)
      if (says !== undefined) assert.equal(fieldErrorOf(answer, 'password'), says)
    })
  }

  test('every fault is told beside its field, the input is kept, never the password', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const form = { name: ' ', email: 'ada<at>example.com', password: 'ünique' }
    const answer = await signUp(world, browser, form)
    assert.equal(answer.status, 422)
    assert.equal(titleOf(answer), 'Account not created · Gatehouse')
    assert.equal(fieldErrorOf(answer, 'name'), 'Enter your name.')
    assert.equal(fieldErrorOf(answer, 'email'), 'This is not an e-mail address. It looks like name@example.com.')
    assert.match(fieldErrorOf(answer, 'password'), /^Use a password of at least 8 characters\./)
    assert.match(answer.text, /<input [^>]*name="email"[^>]*aria-describedby="email-error" aria-invalid="true"/)
    assert.match(answer.text, /value="ada&lt;at&gt;example.com"/)
    assert.doesNotMatch(answer.text, /ünique/)
    assert.equal(await isSignedIn(world, browser), false)
  })

  test('an address that is taken is refused, also in other letters and with spaces around it', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const answer = await signUp(world, new Browser(), { ...bob, email: '  ADA@Example.COM ' })
    assert.equal(answer.status, 422)
    assert.equal(
      fieldErrorOf(answer, 'email'),
      'This address already has an account. Sign in with it, or use another address.',
    )
    assert.equal((await signIn(world, ada)).status, 303)
  })

  test('SIGN_UP=closed hides sign-up and refuses it', async (t) => {
    const world = await openWorld(t, { SIGN_UP: 'closed' })
    const browser = new Browser()
    const signInPage = await browser.get(`${world.baseUrl}/sign-in`)
    assert.doesNotMatch(signInPage.text, /sign-up/)
    const page = await browser.get(`${world.baseUrl}/sign-up`)
    assert.deepEqual([page.status, titleOf(page)], [403, 'Sign-up is closed · Gatehouse'])
    const form = new URLSearchParams({ ...ada, form_token: formTokenOf(signInPage) })
    const answer = await browser.post(`${world.baseUrl}/sign-up`, form)
    assert.deepEqual([answer.status, titleOf(answer)], [403, 'Sign-up is closed · Gatehouse'])
    assert.equal((await signIn(world, ada)).status, 422)
  })
})

describe('{base_url}/sign-in', () => {
  test('the page has the fields email, password and the button Sign in', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/sign-in`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<label for="email">E-mail address<\/label>/)
    assert.match(page.text, /<input type="email" name="email"/)
    assert.match(page.text, /<label for="password">Password<\/label>/)
    assert.match(page.text, /<input type="password" name="password"/)
    assert.match(page.text, /<button type="submit"[^>]*>Sign in<\/button>/)
    assert.match(page.text, /<a href="\/sign-up">Create one<\/a>/)
  })

  test('signs in, whatever the letters of the address and the spaces around it', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const browser = new Browser()
    const answer = await signIn(world, { ...ada, email: ' Ada@EXAMPLE.com' }, browser)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal(await isSignedIn(world, browser), true)
  })

  test('our choice: a wrong password and an unknown address get the same answer', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const wrong = await signIn(world, { ...ada, password: 'not this one' })
    const unknown = await signIn(world, { email: 'nobody@example.com', password: 'not this one' })
    assert.deepEqual([wrong.status, unknown.status], [422, 422])
    assert.equal(
      noticeOf(wrong),
      'The e-mail address and the password do not match an account. Check both and try again.',
    )
    assert.equal(withoutTokens(wrong), withoutTokens(unknown))
    assert.match(wrong.text, /value="ada@example.com"/)
    assert.doesNotMatch(wrong.text, /not this one/)
  })

  test('each sign-in starts a new session and ends the one the browser had', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const before = sessionCookie(browser)
    // A form that was opened before the browser was signed in, in another tab.
    const token = formTokenOf(await browser.get(`${world.baseUrl}/account`))
    const form = new URLSearchParams({ email: ada.email, password: ada.password, form_token: token })
    assert.equal((await browser.post(`${world.baseUrl}/sign-in`, form)).status, 303)
    assert.notEqual(sessionCookie(browser), before)
    assert.equal(await isSignedIn(world, browser), true)
    assert.equal((await withCookie(world, before)).status, 302)
  })

  test('whoever is signed in is not asked again', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    for (const path of ['/sign-in', '/sign-up']) {
      const answer = await browser.get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/account'])
    }
  })

  test('the session cookie is out of reach of scripts and other sites, and bound to the host on https', async (t) => {
    const world = await openWorld(t)
    const plain = (await signUp(world, new Browser(), ada)).headers.getSetCookie().join('\n')
    assert.match(plain, /^gatehouse-session=svc_se_[A-Za-z0-9]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/m)

    const port = await freePort()
    const secure = await openWorld(t, { BASE_URL: 'https://id.example', BASE_PORT: port, LISTEN_HOST: '127.0.0.1' })
    const browser = new Browser()
    const page = await browser.get(`http://127.0.0.1:${port}/sign-up`)
    assert.match(
      page.headers.getSetCookie().join('\n'),
      /^__Host-gatehouse-browser=\S+; Path=\/; HttpOnly; Secure; SameSite=Lax$/m,
    )
    const answer = await fetch(`http://127.0.0.1:${port}/sign-up`, {
      method: 'POST',
      body: new URLSearchParams({ ...ada, form_token: formTokenOf(page) }),
      headers: { cookie: `__Host-gatehouse-browser=${browser.cookieValues()[0]}`, origin: secure.baseUrl },
      redirect: 'manual',
    })
    assert.match(
      answer.headers.getSetCookie().join('\n'),
      /^__Host-gatehouse-session=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/m,
    )
  })

  test('a session lasts 30 days, also over a restart', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    await world.clock.advance(30 * day - 1)
    await world.restart()
    assert.equal(await isSignedIn(world, browser), true)
    await world.clock.advance(1)
    assert.equal(await isSignedIn(world, browser), false)
  })

  test('sign-in slows down per account after 10 failures in 15 minutes', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    await signedUp(world, bob)
    for (let failures = 0; failures < 10; failures += 1) {
      assert.equal((await signIn(world, { ...ada, password: `guess ${failures}` })).status, 422)
      await world.clock.advance(minute)
    }
    const answer = await signIn(world, ada)
    assert.equal(answer.status, 429)
    assert.equal(answer.headers.get('retry-after'), '300')
    assert.equal(noticeOf(answer), 'There were too many failed attempts. Try again in 5 minutes.')
    assert.equal((await signIn(world, bob)).status, 303)
    await world.clock.advance(5 * minute)
    assert.equal((await signIn(world, ada)).status, 303)
  })

  test('our choice: an address without an account slows down alike, so that the answer does not tell', async (t) => {
    const world = await openWorld(t)
    const nobody = { email: 'nobody@example.com', password: 'not this one' }
    for (let failures = 0; failures < 10; failures += 1) assert.equal((await signIn(world, nobody)).status, 422)
    assert.equal((await signIn(world, nobody)).status, 429)
  })

  test('our choice: a sign-in forgets the failures of its account', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    for (let round = 0; round < 2; round += 1) {
      for (let failures = 0; failures < 9; failures += 1) {
        assert.equal((await signIn(world, { ...ada, password: 'not this one' })).status, 422)
      }
      assert.equal((await signIn(world, ada)).status, 303)
    }
  })

  test('guesses made at once are never more than the tries there are', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => signIn(world, { ...ada, password: `guess ${index}` })),
    )
    assert.equal(answers.filter((answer) => answer.status === 422).length, 10)
    assert.equal(answers.filter((answer) => answer.status === 429).length, 20)
  })

  test('sign-in slows down per address after 50', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    for (let failures = 0; failures < 50; failures += 1) {
      assert.equal(
        (await signIn(world, { email: `user-${failures}@example.com`, password: 'not this one' })).status,
        422,
      )
    }
    const answer = await signIn(world, ada)
    assert.equal(answer.status, 429)
    assert.equal(answer.headers.get('retry-after'), '900')
    await world.clock.advance(15 * minute)
    assert.equal((await signIn(world, ada)).status, 303)
  })

  test('our choice: a form without its anti-forgery field, or sent by another site, is refused', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const { email, password } = ada
    for (const path of ['/sign-in', '/sign-up', '/sign-out', '/unlock', '/account/pin']) {
      const answer = await new Browser().post(`${world.baseUrl}${path}`, new URLSearchParams({ email, password }))
      assert.deepEqual([answer.status, titleOf(answer)], [403, 'This form is out of date · Gatehouse'], path)
    }
    const response = await fetch(`${world.baseUrl}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email, password }),
      headers: { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(response.status, 403)
  })

  test('our choice: only forms are taken', async (t) => {
    const world = await openWorld(t)
    for (const [type, status] of [
      ['application/json', 415],
      ['text/plain', 415],
    ] as const) {
      const response = await fetch(`${world.baseUrl}/sign-in`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': type },
      })
      assert.equal(response.status, status)
      assert.match(await response.text(), /<title>This request can not be read · Gatehouse<\/title>/)
    }
  })
})

describe('Pages reached inside consent carry the attempt', () => {
  test('sign-in and sign-up carry it through each other, and lead on to consent', async (t) => {
    const world = await openWorld(t)
    const attempt = await anAttempt(world)
    const browser = new Browser()
    const signInPage = await browser.get(`${world.baseUrl}/sign-in?attempt=${attempt}`)
    assert.match(signInPage.text, /You go on to <strong>Acme &amp; Sons<\/strong> afterwards/)
    assert.match(signInPage.text, new RegExp(`<a href="/sign-up\\?attempt=${attempt}">`))
    assert.match(
      signInPage.headers.get('content-security-policy') ?? '',
      /form-action 'self' https:\/\/client\.example;/,
    )
    const signUpPage = await browser.get(`${world.baseUrl}/sign-up?attempt=${attempt}`)
    assert.match(signUpPage.text, new RegExp(`<a href="/sign-in\\?attempt=${attempt}">`))

    const refused = await browser.submit(signUpPage, { ...ada, password: 'short' }, '/sign-up')
    assert.equal(refused.status, 422)
    const answer = await browser.submit(refused, ada, '/sign-up')
    assert.equal(answer.status, 303)
    assert.equal(String(answer.location), `${world.baseUrl}/auth/consent?attempt=${attempt}`)
    const again = await browser.get(`${world.baseUrl}/sign-in?attempt=${attempt}`)
    assert.equal(String(again.location), `${world.baseUrl}/auth/consent?attempt=${attempt}`)
  })

  test('signing out inside consent leads back to sign-in with the attempt', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const attempt = await anAttempt(world)
    const page = await browser.get(`${world.baseUrl}/account/pin?attempt=${attempt}`)
    const answer = await browser.submit(page, {}, '/sign-out')
    assert.equal(String(answer.location), `${world.baseUrl}/sign-in?attempt=${attempt}`)
  })

  for (const query of [
    'attempt=unknown',
    'attempt=',
    'attempt=a&attempt=b',
    'attempt=//evil.example',
    'next=https://evil.example',
    'redirect_uri=https://evil.example',
  ]) {
    test(`our choice: nothing else in the address leads anywhere: ${query}`, async (t) => {
      const world = await openWorld(t)
      await signedUp(world)
      const browser = new Browser()
      const page = await browser.get(`${world.baseUrl}/sign-in?${query}`)
      assert.doesNotMatch(page.text, /evil/)
      const answer = await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
      assert.equal(String(answer.location), `${world.baseUrl}/account`)
    })
  }
})

describe('Sign-out', () => {
  test('is a POST that ends the session and takes the cookie back', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const before = sessionCookie(browser)
    assert.equal((await browser.get(`${world.baseUrl}/sign-out`)).status, 404)
    assert.equal(await isSignedIn(world, browser), true)
    const page = await browser.get(`${world.baseUrl}/account`)
    const answer = await browser.submit(page, {}, '/sign-out')
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/sign-in'])
    assert.match(answer.headers.getSetCookie().join('\n'), /^gatehouse-session=; .*Expires=Thu, 01 Jan 1970/m)
    assert.equal(await isSignedIn(world, browser), false)
    assert.equal((await withCookie(world, before)).status, 302)
  })

  test('ends this browser’s session and no other', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const other = new Browser()
    await signIn(world, ada, other)
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/sign-out')
    assert.equal(await isSignedIn(world, other), true)
  })
})

function sessionCookie(browser: Browser): string {
  return browser.cookieValues().find((value) => value.startsWith('svc_se_')) ?? ''
}

function withCookie(world: World, session: string): Promise<Response> {
  assert.match(session, /^svc_se_/)
  return fetch(`${world.baseUrl}/account`, {
    headers: { cookie: `gatehouse-session=${session}` },
    redirect: 'manual',
  })
}

/** The id of a fresh attempt of an application whose redirect URI is on https://client.example. */
async function anAttempt(world: World): Promise<string> {
  const acme = await world.service.applications.putApplication(parseApplicationId('acme')!, {
    ownerId: null,
    name: 'Acme & Sons',
    websiteUrl: 'https://client.example',
    redirectUris: ['https://client.example/callback'],
  })
  assert.equal(acme.outcome, 'created')
  const query = new URLSearchParams({
    client_id: acme.clientId,
    redirect_uri: 'https://client.example/callback',
    response_type: 'code',
    scope: 'user.identify',
  })
  const answer = await new Browser().get(`${world.baseUrl}/auth/consent?${query}`)
  return answer.location?.searchParams.get('attempt') ?? ''
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}
