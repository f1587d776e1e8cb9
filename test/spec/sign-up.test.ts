import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useOwnWorld } from '../support/idle-worlds.ts'
import { Browser, fieldErrorOf, formTokenOf, signIn, titleOf } from '../support/people.ts'
import { ada, bob, isSignedIn, signedUp, signUp } from '../support/sign-in-forms.ts'
import { openWorld } from '../support/world.ts'

describe('{base_url}/sign-up', () => {
  test('sign-up signs the user in', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const form = await browser.get(`${world.baseUrl}/sign-up`)
    assert.equal(form.headers.get('cache-control'), 'no-store')
    assert.match(form.headers.get('content-security-policy') ?? '', /form-action 'self';/)
    const answer = await browser.submit(form, ada, '/sign-up')
    assert.deepEqual([answer.status, answer.location?.pathname, answer.location?.search], [303, '/welcome', ''])
    const page = await browser.get(`${world.baseUrl}/account`)
    assert.equal(page.status, 200)
    assert.match(page.text, /<dt>Name<\/dt><dd>Ada<\/dd>/)
    assert.match(page.text, /<dt>Email address<\/dt><dd>ada@example\.com<\/dd>/)
  })

  test('a password has 8 to 256 characters and is not a well-known one', async (t) => {
    const world = await openWorld(t)
    for (const [password, says] of [
      ['1234567', 'Use at least 8 characters. Several words in a row are easy to remember.'],
      [`${'ab'.repeat(128)}c`, 'Use at most 256 characters.'],
      ['QWERTYUIOP', 'This password is too common. Choose a different one.'],
    ] as const) {
      const answer = await signUp(world, new Browser(), { ...ada, password })
      assert.deepEqual([answer.status, fieldErrorOf(answer, 'password')], [422, says])
    }
    for (const password of ['w 7 cats', 'ab'.repeat(128)])
      await signedUp(world, { ...ada, email: `${password.length}@example.com`, password })
  })

  test('an error in the form of the start page is shown there; once the first account exists, the form continues on the sign-up page', async (t) => {
    useOwnWorld(t)
    const world = await openWorld(t)
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

  test('sign-up with an email that has an account is refused, regardless of case and surrounding spaces', async (t) => {
    const world = await openWorld(t)
    await signedUp(world)
    const answer = await signUp(world, new Browser(), { ...bob, email: '  ADA@Example.COM ' })
    assert.equal(answer.status, 422)
    assert.equal(
      fieldErrorOf(answer, 'email'),
      'An account with this email address already exists. Sign in, or use another address.',
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
