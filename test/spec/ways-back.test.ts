import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openAdaWithMail, openWorldWithMail } from '../support/mail-sink.ts'
import {
  type Answer,
  ada,
  adaWithClient,
  Browser,
  consentUrl,
  openAda,
  openBot,
  signedIn,
  titleOf,
  unescapeHtml,
} from '../support/people.ts'
import { bob } from '../support/sign-in-forms.ts'
import { openWithProvider, redirectTargetOf } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'

const { email, password } = ada
/** A page that requires sign-in, with a query that must be encoded. */
const wanted = '/bots/bot-1/deliveries?state=dead&since=day'

/** Opens a page while signed out. Returns the sign-in page that it redirects to. */
async function signInPage(world: World, browser: Browser, path = wanted): Promise<Answer> {
  const page = await browser.visit(world.baseUrl + path, world)
  const { pathname, searchParams } = new URL(page.url)
  assert.deepEqual([pathname, searchParams.get('return_to')], ['/sign-in', path])
  return page
}

/** Returns the target of the page's link to this path. */
function linkOf(page: Answer, path: string): string {
  const [, address] = new RegExp(`href="(${path}[^"]*)"`).exec(page.text) ?? []
  assert.ok(address, `the page at ${page.url} has no link to ${path}: ${page.text}`)
  return new URL(unescapeHtml(address), page.url).href
}

describe('our choice: after sign-in a user returns to the requested page (decision 0082)', () => {
  test('a user returns to the requested page after signing in with a password, even after a wrong password, and after signing up', async (t) => {
    const { world } = await openBot(t)
    const browser = new Browser()
    const wrong = await browser.submit(await signInPage(world, browser), { email, password: 'wrong' }, '/sign-in')
    assert.equal(wrong.status, 422)
    const right = await browser.submit(wrong, { email, password }, '/sign-in')
    assert.deepEqual([right.status, right.headers.get('location')], [303, wanted])
    assert.equal((await browser.onward(right, world)).status, 200)

    const other = new Browser()
    const signUp = linkOf(await signInPage(world, other, '/account/name'), '/sign-up')
    const made = await other.submitAt(signUp, bob)
    assert.deepEqual([made.status, made.headers.get('location')], [303, '/account/name'])
  })

  test('a user returns to the requested page after signing in with a provider, even if the provider refused at first', async (t) => {
    const { world, provider, leave } = await openWithProvider(t, 'chat-platform')
    provider.profile = { id: '212121212121212121', username: 'ada' }
    const browser = new Browser()
    const page = await signInPage(world, browser)
    const denial = await provider.allow(redirectTargetOf(await leave(browser, page.url)))
    denial.searchParams.delete('code')
    const denied = await browser.get(`${denial}&error=access_denied`)
    assert.equal(linkOf(denied, '/sign-in'), page.url)
    const arrived = await browser.get(await provider.allow(redirectTargetOf(await leave(browser, page.url))))
    assert.equal(arrived.headers.get('refresh'), `0; url=${wanted}`)
  })

  test('all account and bot pages, and the search, pass the requested URL to the sign-in page', async (t) => {
    const world = await openWorld(t)
    const account = 'name email password pin passkeys passkeys/1 linked tokens security sessions applications activity'
    const bot = ['', '/flows', '/coworkers', '/deliveries', '/logs', '/runtimes', '/dead-letters/replay?flow=x']
    for (const path of [
      ...account.split(' ').map((page) => `/account/${page}`),
      ...['/unlock', '/bots', '/search?q=a'],
      ...bot.map((part) => `/bots/bot-1${part}`),
    ]) {
      await signInPage(world, new Browser(), path)
    }
    const home = await new Browser().get(`${world.baseUrl}/account`)
    assert.equal(home.headers.get('location'), '/sign-in', 'sign-in returns to /account by default')
  })

  test('a user returns to the requested page after resetting a forgotten password, in the browser that requested the email', async (t) => {
    const { world, sink, client } = await openAdaWithMail(t)
    for (const path of [wanted, consentUrl(world, client).replace(world.baseUrl, '')]) {
      const browser = new Browser()
      const signIn = await browser.visit(world.baseUrl + path, world)
      const form = await browser.get(linkOf(signIn, '/forgot-password'))
      const mailed = await browser.onward(await browser.submit(form, { email }, '/forgot-password'), world)
      const lost = await browser.get(`${world.baseUrl}/reset-password?token=none`)
      const reset = await browser.submitAt(await sink.nextLink(), { password }, '/reset-password')
      const done = await browser.onward(reset, world)
      for (const page of [form, mailed, lost, done]) assert.equal(linkOf(page, '/sign-in'), signIn.url, page.url)
      for (const page of [mailed, lost]) assert.equal(linkOf(page, '/forgot-password'), form.url, page.url)

      // Opened without a link from the sign-in page, the form doesn't know where to return to.
      const freshForm = await browser.get(`${world.baseUrl}/forgot-password`)
      assert.equal(linkOf(freshForm, '/sign-in'), `${world.baseUrl}/sign-in`)
    }
  })

  test('pages of the account with a destination keep it if the user signs out', async (t) => {
    const { world, ada } = await openBot(t)
    for (const page of ['/account', '/account/pin']) {
      const { text } = await ada.get(`${world.baseUrl}${page}?return_to=%2Fbots`)
      assert.match(text, /<form method="post" action="\/sign-out\?return_to=%2Fbots"/, page)
    }
  })

  test('an authorization continues to consent, whatever return_to is', async (t) => {
    const world = await openWorld(t)
    const browser = new Browser()
    const page = await browser.visit(consentUrl(world, await adaWithClient(world)), world)
    const signIn = `${page.url}&return_to=${encodeURIComponent(wanted)}`
    const answer = await browser.submitAt(signIn, { email, password })
    assert.equal(answer.location?.pathname, '/auth/consent')
  })
})

describe('our choice: sign-in redirects only to our own pages (decision 0082)', () => {
  const elsewhere = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '\\/evil.example/',
    '/\t/evil.example/',
    '/\n/evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'bots',
    '',
    '/ä',
    '/bots\r\nset-cookie: a=b',
  ].map((address) => String(new URLSearchParams({ return_to: address })))

  test('a return_to that is not a path on this host, an invalid attempt and other parameters are ignored', async (t) => {
    const { world } = await openAda(t)
    const attempts = ['attempt=unknown', 'attempt=a&attempt=b', 'attempt=//evil.example', 'next=https://evil.example']
    for (const query of [...elsewhere, ...attempts, 'return_to=/bots&return_to=/bots']) {
      const browser = new Browser()
      const signIn = `${world.baseUrl}/sign-in?${query}`
      const page = await browser.get(signIn)
      assert.doesNotMatch(page.text, /evil|return_to/, query)
      const answer = await browser.submit(page, { email, password }, '/sign-in')
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/account'], query)
      const again = await browser.get(signIn)
      assert.deepEqual([again.status, again.headers.get('location')], [302, '/account'], query)
    }
  })

  test('a return_to that is too long redirects to its path without the query', async (t) => {
    const { world } = await openAda(t)
    const long = encodeURIComponent(`/bots?x=${'y'.repeat(2_000)}`)
    const answer = await (await signedIn(world)).get(`${world.baseUrl}/sign-in?return_to=${long}`)
    assert.equal(answer.headers.get('location'), '/bots')
  })
})

describe('our choice: a page shows a result message once, from a signed cookie and never from its URL (decision 0082)', () => {
  test('a result message is shown once, only on its own page and never because of a query parameter; scripts can’t read its cookie', async (t) => {
    const { world, ada, at } = await openBot(t)
    const off = await ada.submitAt(at('/bots/bot-1'), { hosting: 'off' }, '/hosting')
    assert.deepEqual([off.status, off.location?.href], [303, at('/bots/bot-1')])
    const [cookie = ''] = off.headers.getSetCookie().filter((line) => line.startsWith('gatehouse-flash-'))
    assert.match(cookie, /; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/)
    const said = /Hosting is off\. New webhooks/
    for (const path of ['/account?done=name', '/account/security?done=password', '/bots?done=left']) {
      assert.doesNotMatch((await ada.get(at(path))).text, /role="status"/, 'another tab does not consume the message')
    }
    assert.match((await ada.onward(off, world)).text, said)
    assert.doesNotMatch((await ada.get(at('/bots/bot-1?done=hosting-off'))).text, said)
  })

  test('each of two tabs shows its own message; a forged message, or one for another page, is not shown', async (t) => {
    const { world, ada, at } = await openBot(t)
    const off = await ada.submitAt(at('/bots/bot-1'), { hosting: 'off' }, '/hosting')
    const renamed = await ada.submitAt(at('/account/name'), { name: 'Ada L.' })
    assert.match((await ada.onward(renamed, world)).text, /role="status"/)
    assert.match((await ada.onward(off, world)).text, /Hosting is off\./)

    const again = await ada.submitAt(at('/bots/bot-1'), { hosting: 'on' }, '/hosting')
    const cookieOf = ({ headers }: typeof again) => headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? []
    const [name = '', value = ''] = cookieOf(again)
    const rest = Object.entries(ada.cookies()).filter(([other]) => other !== name)
    const session = rest.map(([other, text]) => `${other}=${text}`).join('; ')
    const seen = async (path: string, cookie: string) =>
      (await fetch(at(path), { headers: { cookie: `${session}; ${cookie}` } })).text()
    assert.match(await seen('/bots/bot-1', `${name}=${value}`), /Hosting is on\. The bot goes online/)
    const [, other = ''] = cookieOf(off)
    const forged = `${other.split('.')[0]}.${value.split('.')[1]}`
    assert.notEqual(forged, value)
    assert.doesNotMatch(await seen('/bots/bot-1', `${name}=${forged}`), /role="status"/)
    assert.doesNotMatch(await seen('/bots', `${name}=${value}`), /role="status"/)
  })

  test('pages for emailed links and forgotten passwords show a result message once, and never because of a query parameter', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const stranger = new Browser()
    const opened: [path: string, leadsTo: string][] = [
      ['/reset-password?done=1', '/sign-in'],
      ['/reset-password?done=1&removed=1', '/sign-in'],
      ['/reset-password', '/sign-in'],
      ['/verify-email?done=1', '/account'],
      ['/recover-pin?done=1', '/account'],
    ]
    for (const [path, leadsTo] of opened) {
      const answer = await stranger.get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.href], [302, `${world.baseUrl}${leadsTo}`], path)
    }
    const form = await stranger.get(`${world.baseUrl}/forgot-password?sent=1`)
    assert.equal(titleOf(form), 'Set a new password · Gatehouse')

    const person = new Browser()
    const email = 'eve@example.com'
    await person.submitAt(`${world.baseUrl}/sign-up`, { name: 'Eve', email, password: 'the engine weaves' })
    const verify = await person.get(await sink.nextLink())
    const verified = await person.submit(verify, {}, '/verify-email')
    assert.deepEqual([verified.status, verified.location?.href], [303, `${world.baseUrl}/verify-email`])
    assert.match((await person.onward(verified, world)).text, /<h1>Address confirmed<\/h1>/)
    assert.equal((await person.get(`${world.baseUrl}/verify-email`)).location?.pathname, '/account', 'on reload')

    const asked = await stranger.submit(form, { email }, '/forgot-password')
    assert.deepEqual([asked.status, asked.location?.href], [303, `${world.baseUrl}/forgot-password`])
    assert.equal(titleOf(await stranger.onward(asked, world)), 'Check your email · Gatehouse')
    assert.equal(titleOf(await stranger.get(`${world.baseUrl}/forgot-password`)), 'Set a new password · Gatehouse')

    const reset = await stranger.get(await sink.nextLink())
    const fields = { password: 'the weaver engines', remove_access: 'yes' }
    const done = await stranger.submit(reset, fields, '/reset-password')
    assert.deepEqual([done.status, done.location?.href], [303, `${world.baseUrl}/reset-password`])
    assert.equal((await person.get(`${world.baseUrl}/reset-password`)).location?.pathname, '/sign-in', 'elsewhere')
    assert.match((await stranger.onward(done, world)).text, /Passkeys, linked accounts/)
    assert.equal((await stranger.get(`${world.baseUrl}/reset-password`)).location?.pathname, '/sign-in', 'on reload')
  })
})
