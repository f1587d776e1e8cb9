import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freePorts } from '../support/free-ports.ts'
import {
  type Answer,
  aClient,
  Browser,
  consentUrl,
  fieldErrorOf,
  formTokenOf,
  noticeOf,
  provision,
  signIn,
  titleOf,
} from '../support/people.ts'
import { ada, bob, isSignedIn, sessionCookie, signedUp, signUp, withCookie } from '../support/sign-in-forms.ts'
import { atOnce } from '../support/together.ts'
import { openOwnWorld, openWorld } from '../support/world.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** Returns the page without form tokens and email addresses, which differ between responses. */
function withoutTokens(page: Answer): string {
  return page.text.replace(/name="form_token" value="[^"]*"/g, '').replaceAll(/value="[^"]*@[^"]*"/g, '')
}

describe('{base_url}/sign-in', () => {
  test('sign-in ignores the email’s case and surrounding spaces; our choice: a wrong password and an unknown email get the same response', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const browser = new Browser()
    const answer = await signIn(world, { ...ada, email: ' Ada@EXAMPLE.com' }, browser)
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal(await isSignedIn(world, browser), true)

    const wrong = await signIn(world, { ...ada, password: 'not this one' })
    const unknown = await signIn(world, { email: 'nobody@example.com', password: 'not this one' })
    assert.deepEqual([wrong.status, unknown.status], [422, 422])
    assert.equal(noticeOf(wrong), 'Wrong email address or password. Check both and try again.')
    assert.equal(withoutTokens(wrong), withoutTokens(unknown))
    assert.match(wrong.text, /value="ada@example.com"/)
    assert.doesNotMatch(wrong.text, /not this one/)
  })

  test('each sign-in starts a new session and ends the browser’s previous session; a signed-in user is redirected to the account', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const before = sessionCookie(browser)
    // Posts the form as another tab would if it had opened the sign-in page before the browser was signed in.
    const token = formTokenOf(await browser.get(`${world.baseUrl}/account`))
    const form = new URLSearchParams({ email: ada.email, password: ada.password, form_token: token })
    assert.equal((await browser.post(`${world.baseUrl}/sign-in`, form)).status, 303)
    assert.notEqual(sessionCookie(browser), before)
    assert.equal(await isSignedIn(world, browser), true)
    assert.equal((await withCookie(world, before)).status, 302)
    for (const path of ['/sign-in', '/sign-up']) {
      const answer = await browser.get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/account'])
    }
  })

  test('the session cookie is HttpOnly and SameSite=Lax, and on https it has the prefix __Host-', async (t) => {
    const world = await openWorld(t)
    const plain = (await signUp(world, new Browser(), ada)).headers.getSetCookie().join('\n')
    assert.match(plain, /^gatehouse-session=svc_se_[A-Za-z0-9]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/m)

    const [port] = await freePorts(1)
    const secure = await openWorld(t, {
      BASE_URL: 'https://id.example',
      BASE_PORT: String(port),
      LISTEN_HOST: '127.0.0.1',
    })
    const browser = new Browser()
    const page = await browser.get(`http://127.0.0.1:${port}/sign-up`)
    const browserCookie = /^__Host-gatehouse-browser=\S+; Path=\/; HttpOnly; Secure; SameSite=Lax$/m
    assert.match(page.headers.getSetCookie().join('\n'), browserCookie)
    const answer = await fetch(`http://127.0.0.1:${port}/sign-up`, {
      method: 'POST',
      body: new URLSearchParams({ ...ada, form_token: formTokenOf(page) }),
      headers: { cookie: `__Host-gatehouse-browser=${browser.cookieValues()[0]}`, origin: secure.baseUrl },
      redirect: 'manual',
    })
    const ofSession = /^__Host-gatehouse-session=\S+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/m
    assert.match(answer.headers.getSetCookie().join('\n'), ofSession)
  })

  test('a session lasts 30 days and survives a restart', async (t) => {
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
    assert.equal(noticeOf(answer), 'Too many failed attempts. Try again in 5 minutes.')
    assert.equal((await signIn(world, bob)).status, 303)
    await world.clock.advance(5 * minute)
    assert.equal((await signIn(world, ada)).status, 303)
  })

  test('concurrent password guesses get as many tries as sequential guesses; our choice: also with an email without an account, so that responses reveal nothing', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    for (const email of [ada.email, 'nobody@example.com']) {
      const answers = await atOnce(30, (index) => signIn(world, { email, password: `guess ${index}` }))
      assert.equal(answers.filter((answer) => answer.status === 422).length, 10)
      assert.equal(answers.filter((answer) => answer.status === 429).length, 20)
    }
  })
})

test('sign-out is a POST that ends only this browser’s session and clears the cookie', async (t) => {
  const world = await openWorld(t)
  const browser = await signedUp(world)
  const other = new Browser()
  await signIn(world, ada, other)
  const before = sessionCookie(browser)
  assert.equal((await browser.get(`${world.baseUrl}/sign-out`)).status, 404)
  assert.equal(await isSignedIn(world, browser), true)
  const answer = await browser.submitAt(`${world.baseUrl}/account`, {}, '/sign-out')
  assert.deepEqual([answer.status, answer.location?.pathname], [303, '/sign-in'])
  assert.match(answer.headers.getSetCookie().join('\n'), /^gatehouse-session=; .*Expires=Thu, 01 Jan 1970/m)
  assert.equal(await isSignedIn(world, browser), false)
  assert.equal((await withCookie(world, before)).status, 302)
  assert.equal(await isSignedIn(world, other), true)
})

describe('Sign-in, sign-up and PIN pages inside an authorization', () => {
  test('the sign-in and sign-up pages pass the authorization attempt to each other and continue to consent', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/owner', { name: 'Owner' })
    const client = await aClient(world, 'acme', { ownerId: 'owner', name: 'Acme & Sons' })
    const begun = await new Browser().get(consentUrl(world, client))
    const attempt = begun.location?.searchParams.get('attempt')
    const browser = new Browser()
    const signInPage = await browser.get(`${world.baseUrl}/sign-in?attempt=${attempt}`)
    assert.match(signInPage.text, /You’ll continue to <strong>Acme &amp; Sons<\/strong>\./)
    assert.match(signInPage.text, new RegExp(`<a href="/sign-up\\?attempt=${attempt}">`))
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
})

describe('{base_url}/sign-up', () => {
  test('sign-up signs the user in; only the first account sees the first steps', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    assert.match((await browser.get(`${world.baseUrl}/sign-in`)).text, /href="\/sign-up"/)
    for (const [who, person, path] of [
      [browser, ada, '/welcome'],
      [new Browser(), bob, '/account'],
    ] as const) {
      const answer = await signUp(world, who, person)
      assert.deepEqual([answer.status, answer.location?.pathname, answer.location?.search], [303, path, ''])
    }
    const page = await browser.get(`${world.baseUrl}/account`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<dt>Name<\/dt><dd>Ada<\/dd>/)
    assert.match(page.text, /<dt>Email address<\/dt><dd>ada@example\.com<\/dd>/)
  })

  test('a password has 8 to 256 characters and is not a well-known one; an email that has an account is refused, regardless of case and surrounding spaces', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const taken = 'An account with this email address already exists. Sign in, or use another address.'
    for (const [field, value, error] of [
      ['password', '1234567', 'Use at least 8 characters. Several words in a row are easy to remember.'],
      ['password', `${'ab'.repeat(128)}c`, 'Use at most 256 characters.'],
      ['password', 'QWERTYUIOP', 'This password is too common. Choose a different one.'],
      ['email', '  ADA@Example.COM ', taken],
    ] as const) {
      const answer = await signUp(world, new Browser(), { ...bob, [field]: value })
      assert.deepEqual([answer.status, fieldErrorOf(answer, field)], [422, error])
    }
    assert.equal((await signIn(world, ada)).status, 303)
    for (const password of ['w 7 cats', 'ab'.repeat(128)])
      await signedUp(world, { ...ada, email: `${password.length}@example.com`, password })
  })

  test('an error in the form of the start page is shown there; once the first account exists, the form continues on the sign-up page', async (t) => {
    const world = await openOwnWorld(t)
    const [browser, late] = [new Browser(), new Browser()]
    const page = await late.get(`${world.baseUrl}/welcome`)
    const start = await browser.visit(`${world.baseUrl}/`, world)
    assert.match(start.text, /<h1>Welcome/)
    const short = await browser.submit(start, { ...ada, password: 'short' })
    assert.deepEqual([short.status, new URL(short.url).pathname], [422, '/welcome'])
    assert.match(short.text, /<h1>Welcome[\s\S]*name="email"[^>]* value="ada@example\.com"/)
    assert.match(fieldErrorOf(short, 'password'), /^Use at least 8 characters\./)
    const first = await browser.submit(start, ada)
    assert.deepEqual([first.status, first.location?.pathname], [303, '/welcome'])
    const answer = await late.submit(page, { ...ada, password: 'short' })
    assert.equal(answer.status, 422)
    assert.match(answer.text, /<h1>Create an account<\/h1>/)
    const made = await late.submit(page, { ...ada, email: 'bob@example.com' })
    assert.deepEqual([made.status, made.location?.pathname], [303, '/account'])
  })

  test('each sign-up error is shown at its field and the input is kept, except for the password', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const form = { name: ' ', email: 'ada<at>example.com', password: 'ünique' }
    const answer = await signUp(world, browser, form)
    assert.equal(answer.status, 422)
    assert.equal(titleOf(answer), 'Account not created · Gatehouse')
    assert.equal(fieldErrorOf(answer, 'name'), 'Enter your name.')
    assert.equal(fieldErrorOf(answer, 'email'), 'Enter an email address like name@example.com.')
    assert.match(fieldErrorOf(answer, 'password'), /^Use at least 8 characters\./)
    assert.match(answer.text, /<input [^>]*name="email"[^>]*aria-describedby="email-error" aria-invalid="true"/)
    assert.match(answer.text, /value="ada&lt;at&gt;example.com"/)
    assert.doesNotMatch(answer.text, /ünique/)
    assert.equal(await isSignedIn(world, browser), false)
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
