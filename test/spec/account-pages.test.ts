import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { html } from '../../src/pages/html.ts'
import { browserWords } from '../../src/pages/words/browser.ts'
import { openWorldWithMail, requestResetLink, send } from '../support/mail-sink.ts'
import {
  ada,
  allow,
  assertOAuthError,
  type Browser,
  codeFor,
  consentUrl,
  fieldErrorOf,
  openAda,
  openClient,
  provision,
  queryOf,
  redeem,
  refresh,
  signedIn,
  signIn,
  testOrigin,
  userinfo,
  visibleWordsIn,
} from '../support/people.ts'
import { isSignedIn, sessionCookie, signedUp } from '../support/sign-in-forms.ts'
import { pluck } from '../support/together.ts'
import type { World } from '../support/world.ts'

test('the account has five tabs; the page of each tab links to all five and marks its own; the breadcrumbs of the pages below name their tab', async (t) => {
  const { world, browser } = await openClient(t)
  const tabs = ['', '/security', '/sessions', '/applications', '/activity'].map((tab) => `/account${tab}`)
  for (const tab of tabs) {
    const { status, text } = await browser.get(`${world.baseUrl}${tab}`)
    assert.equal(status, 200)
    assert.match(text, /<h1>Your account<\/h1>/, tab)
    const [, links = ''] = /<nav class="tabs"[^>]*>([\s\S]*?)<\/nav>/.exec(text) ?? []
    assert.deepEqual(pluck([...links.matchAll(/href="([^"]*)"/g)], 1), tabs)
    assert.deepEqual(pluck([...links.matchAll(/href="([^"]*)" aria-current/g)], 1), [tab])
  }
  const tabOf = { password: 'security', pin: 'security', linked: 'security', subscriptions: 'applications' }
  for (const [page, tab] of Object.entries({ ...tabOf, passkeys: 'security', tokens: 'security' })) {
    const { text } = await browser.get(`${world.baseUrl}/account/${page}`)
    assert.match(text, new RegExp(`<ol><li><a href="/account">Account</a></li><li><a href="/account/${tab}">`), page)
  }
})

const minutes = 60_000

describe('Account: applications with access', () => {
  test('the Applications tab lists each application with its website, its scopes in plain words, and when it was allowed and last used', async (t) => {
    const { world, browser, tokens } = await openClient(t)
    assert.match(await tabText(world, browser, 'applications'), /No applications yet Applications with access/)
    const { access_token } = await tokens()
    const scopes =
      'See your name, your linked chat-platform ID and your number of bots Keep this access while you are away, until you revoke it'
    const start = `Acme Dashboard client.example 2 permissions ${scopes}`
    const unused = await tabText(world, browser, 'applications')
    assert.ok(unused.includes(`${start} just now Never Revoke access`), unused)
    assert.match(unused, /Last-used times are updated every minute\./)

    await world.clock.advance(5 * minutes)
    await userinfo(world, access_token)
    await world.clock.advance(2 * minutes)
    const used = `${start} 7 minutes ago 2 minutes ago Revoke access`
    assert.ok((await tabText(world, browser, 'applications')).includes(used))
    await world.restart()
    assert.ok((await tabText(world, browser, 'applications')).includes(used))
  })

  test('revoking access invalidates every token and code that the application holds for the user; consent=skip then redirects with error=consent_required until the user consents again', async (t) => {
    const { world, client, browser, tokens } = await openClient(t)
    const one = await tokens()
    const two = await tokens()
    const code = await codeFor(world, browser, client)
    const skipped = async () => queryOf((await browser.get(consentUrl(world, client, { consent: 'skip' }))).location)
    assert.ok((await skipped()).code)
    const applications = `${world.baseUrl}/account/applications`
    assert.equal((await browser.submitAt(applications, {}, '/account/applications/withdrawal')).location?.search, '')
    for (const { access_token, refresh_token } of [one, two]) {
      assert.equal((await userinfo(world, access_token)).status, 401)
      assertOAuthError(await refresh(world, client, refresh_token), 400, 'invalid_grant', /revoked/)
    }
    assertOAuthError(await redeem(world, client, code), 400, 'invalid_grant', /revoked/)
    assert.match(await tabText(world, browser, 'applications'), /No applications yet Applications with access/)
    assert.deepEqual(await skipped(), { error: 'consent_required', state: 'the-state' })
    await allow(world, browser, consentUrl(world, client))
    assert.ok((await skipped()).code)
  })
})

async function sessionOf(world: World, browser: Browser) {
  return world.service.accounts.sessions.authenticate(sessionCookie(browser), 'identity', testOrigin)
}

describe('Account: sessions', () => {
  test('the session list shows this session first, with IP addresses and times; a user can end one session or all others, but no other user’s', async (t) => {
    const { world } = await openAda(t)
    const bob = { email: 'bob@example.com', password: 'bob likes bridges' }
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', ...bob })
    const his = await signedIn(world, bob)
    const [browser, second, third] = [await signedIn(world), await signedIn(world), await signedIn(world)]
    await world.clock.advance(10 * minutes)
    const page = await browser.get(`${world.baseUrl}/account/sessions`)
    const [first = '', ...others] = (/<tbody[^>]*>([\s\S]*?)<\/tbody>/.exec(page.text)?.[1] ?? '')
      .split('</tr>')
      .filter((row) => row.includes('<tr'))
    assert.match(first, /This session/)
    assert.match(first, /127\.0\.0\.1/)
    assert.equal(others.length, 2)
    for (const row of others) assert.match(row, /10 minutes ago/)

    for (const session of [his, second]) {
      const number = (await sessionOf(world, session))?.number
      const ended = await browser.submit(page, { session: String(number) }, '/account/sessions/end')
      assert.equal(ended.location?.search, '')
    }
    assert.deepEqual([await isSignedIn(world, second), await isSignedIn(world, third)], [false, true])
    assert.equal((await browser.submit(page, {}, '/account/sessions/others/end')).location?.search, '')
    assert.deepEqual([await isSignedIn(world, third), await isSignedIn(world, browser)], [false, true])
    assert.equal(await isSignedIn(world, his), true)
  })

  test('our choice: the account page does not write a session’s last-seen time itself; a periodic flush writes it, accurate to a few minutes', async (t) => {
    const { world } = await openAda(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    await world.clock.advance(30 * minutes)
    await other.get(`${world.baseUrl}/account`)
    assert.match(await tabText(world, browser, 'sessions'), /30 minutes ago 30 minutes ago/)
    await world.clock.advance(1 * minutes)
    assert.match(await tabText(world, browser, 'sessions'), /31 minutes ago 1 minute ago/)
  })

  test('our choice: a user agent is shown as browser and operating system', () => {
    const agents = {
      'Firefox on Windows': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Edge on a Mac':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'A browser on Linux': 'Something/1.0 (Linux)',
      'Unknown browser': 'curl/8.0',
    }
    for (const [words, agent] of Object.entries(agents)) assert.equal(html`${browserWords(agent)}`.in('en'), words)
    assert.equal(html`${browserWords(null)}`.in('en'), 'Unknown browser')
  })
})

describe('Account: profile', () => {
  test('an empty name is refused, and userinfo returns a changed name', async (t) => {
    const { world, browser, tokens } = await openClient(t)
    const { access_token } = await tokens()
    const empty = await send(world, browser, '/account/name', { name: ' ' })
    assert.deepEqual([empty.status, fieldErrorOf(empty, 'name')], [422, 'Enter your name.'])
    const answer = await send(world, browser, '/account/name', { name: 'Ada  Lovelace' })
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal((await userinfo(world, access_token)).json.name, 'Ada Lovelace')
  })

  test('our choice: without a mail server, an email change needs the password and applies immediately', async (t) => {
    const { world } = await openAda(t)
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com' })
    const browser = await signedIn(world)
    const { password } = ada
    const taken = 'An account with this email address already exists. Sign in, or use another address.'
    for (const [form, field, error] of [
      [{ email: 'new@example.com', password: 'wrong-wrong' }, 'password', 'Wrong password. Check it and try again.'],
      [{ email: 'BOB@example.com', password }, 'email', taken],
    ] as const) {
      const refused = await send(world, browser, '/account/email', form)
      assert.deepEqual([refused.status, fieldErrorOf(refused, field)], [422, error])
    }
    const answer = await send(world, browser, '/account/email', { email: 'new@example.com', password })
    assert.equal(answer.location?.search, '')
    await signedIn(world, { ...ada, email: 'new@example.com' })
    assert.equal((await signIn(world, ada)).status, 422)
  })

  test('our choice: changing the password needs the current one and ends all other sessions', async (t) => {
    const { world } = await openAda(t)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    const password = 'another fine horse'
    const wrong = await send(world, browser, '/account/password', { current_password: 'not this', password })
    const error = 'The current password is wrong. Check it and try again.'
    assert.deepEqual([wrong.status, fieldErrorOf(wrong, 'current_password')], [422, error])
    const short = await send(world, browser, '/account/password', { current_password: ada.password, password: 'short' })
    assert.equal(short.status, 422)
    assert.match(fieldErrorOf(short, 'password'), /at least 8 characters/)
    assert.equal(await isSignedIn(world, other), true)

    const answer = await send(world, browser, '/account/password', { current_password: ada.password, password })
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    assert.deepEqual([await isSignedIn(world, browser), await isSignedIn(world, other)], [true, false])
    await signedIn(world, { ...ada, password })
  })

  test('our choice: forms that set a password name the account for password managers, and don’t send the name', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const browser = await signedUp(world, ada)
    await sink.next()
    await requestResetLink(world, ada.email)
    for (const url of [`${world.baseUrl}/account/password`, await sink.nextLink()]) {
      const page = await browser.get(url)
      assert.match(page.text, /<input type="email" value="ada@example.com" autocomplete="username" hidden>/, page.url)
    }
  })

  test('our choice: fields for PINs tell browsers that a PIN is not the account’s password, which they would offer to replace', async (t) => {
    const { world, browser } = await openClient(t)
    for (const path of ['/unlock', '/account/pin']) {
      const { text } = await browser.get(`${world.baseUrl}${path}`)
      const inputs = text.match(/<input[^>]* name="pin[^>]*>/g) ?? []
      assert.ok(inputs.length > 0, path)
      for (const input of inputs) assert.match(input, / autocomplete="one-time-code"/)
    }
  })
})

async function tabText(world: World, browser: Browser, tab: 'sessions' | 'applications'): Promise<string> {
  return visibleWordsIn(await browser.get(`${world.baseUrl}/account/${tab}`))
}
