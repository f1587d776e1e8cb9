import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMailSink } from '../support/mail-sink.ts'
import { adaOnPasskeysPage, optionsFor, post, register, statusAndJson } from '../support/passkeys.ts'
import {
  type Answer,
  ada,
  adaWithClient,
  Browser,
  consentUrl,
  formTokenOf,
  provision,
  signedIn,
} from '../support/people.ts'
import { asPlatform, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld, type World } from '../support/world.ts'

const { email, password } = ada
/** A page that requires sign-in, with a query that must be encoded. */
const wanted = '/bots/bot-1/deliveries?state=dead&since=day'

async function openScene(t: Parameters<typeof openWorld>[0], env: Record<string, string> = {}) {
  const world = await openWorld(t, env)
  const client = await adaWithClient(world)
  const bot = { ownerId: ada.id, name: 'Weather', chatPlatformId: '123456789012345678' }
  await provision(world, 'PUT', '/v1/bots/bot-1', bot)
  return { world, client }
}

/** Opens a page while signed out. Returns the sign-in page that it redirects to. */
async function signInPage(world: World, browser: Browser, path = wanted): Promise<Answer> {
  const page = await browser.visit(world.baseUrl + path, world)
  const { pathname, searchParams } = new URL(page.url)
  assert.deepEqual([pathname, searchParams.get('return_to')], ['/sign-in', path])
  return page
}

describe('our choice: after sign-in a user returns to the requested page (decision 0082)', () => {
  test('a user returns to the requested page after signing in with a password, even after a wrong password, and after signing up', async (t) => {
    const { world } = await openScene(t)
    const browser = new Browser()
    const page = await signInPage(world, browser)
    const wrong = await browser.submit(page, { email, password: 'wrong' }, '/sign-in')
    assert.equal(wrong.status, 422)
    const right = await browser.submit(wrong, { email, password }, '/sign-in')
    assert.deepEqual([right.status, right.headers.get('location')], [303, wanted])
    assert.equal((await browser.onward(right, world)).status, 200)

    const other = new Browser()
    const [, signUp = ''] =
      /href="(\/sign-up\?[^"]*)"/.exec((await signInPage(world, other, '/account/name')).text) ?? []
    const form = await other.get(world.baseUrl + signUp)
    const made = await other.submit(
      form,
      { name: 'Bob', email: 'bob@example.com', password: 'a bridge of stone' },
      '/sign-up',
    )
    assert.deepEqual([made.status, made.headers.get('location')], [303, '/account/name'])
  })

  test('a user returns to the requested page after signing in with a passkey', async (t) => {
    const { world } = await openScene(t)
    const { device } = await register(world, await adaOnPasskeysPage(world))
    const browser = new Browser()
    const page = await signInPage(world, browser)
    const [, action = ''] = /data-response="([^"]*)"/.exec(page.text) ?? []
    const visitor = { browser, formToken: formTokenOf(page) }
    const response = device.get(await optionsFor(world, visitor, '/sign-in/passkey/challenge'))
    const answer = await post(world, visitor, action.replaceAll('&amp;', '&'), { response })
    assert.deepEqual(statusAndJson(answer), [200, { location: wanted }])
  })

  test('a user returns to the requested page after signing in with a provider, even if the provider refused at first', async (t) => {
    const provider = await openStandInProvider(t)
    const { world } = await openScene(t, asPlatform('CHAT_PLATFORM', provider, 'Chat'))
    await provision(world, 'PUT', `/v1/users/${ada.id}`, { name: ada.name, chatPlatformId: '212121212121212121' })
    provider.profile = { id: '212121212121212121', username: 'ada' }
    const browser = new Browser()
    const leave = async (page: Answer) => {
      const left = await browser.submit(page, {}, '/sign-in/with/chat-platform')
      return new URL(/url=(.*)$/.exec(left.headers.get('refresh') ?? '')?.[1] ?? '')
    }
    const denial = await provider.allow(await leave(await signInPage(world, browser)))
    denial.searchParams.delete('code')
    denial.searchParams.set('error', 'access_denied')
    const denied = await browser.get(denial)
    const [, again = ''] = /href="(\/sign-in\?[^"]*)"/.exec(denied.text) ?? []
    assert.equal(new URL(again, world.baseUrl).searchParams.get('return_to'), wanted)
    const arrived = await browser.get(await provider.allow(await leave(await browser.get(world.baseUrl + again))))
    assert.equal(arrived.headers.get('refresh'), `0; url=${wanted}`)
  })

  test('all account and bot pages, and the search, pass the requested URL to the sign-in page', async (t) => {
    const { world } = await openScene(t)
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
    const sink = await openMailSink(t)
    const { world, client } = await openScene(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
    const linkOf = (page: Answer, path: string) => {
      const [, address = ''] = new RegExp(`href="(${path}[^"]*)"`).exec(page.text) ?? []
      return world.baseUrl + address
    }
    for (const path of [wanted, consentUrl(world, client).replace(world.baseUrl, '')]) {
      const browser = new Browser()
      const signIn = await browser.visit(world.baseUrl + path, world)
      const form = await browser.get(linkOf(signIn, '/forgot-password'))
      assert.equal(linkOf(form, '/sign-in'), signIn.url)
      const mailed = await browser.onward(await browser.submit(form, { email }, '/forgot-password'), world)
      assert.deepEqual([linkOf(mailed, '/sign-in'), linkOf(mailed, '/forgot-password')], [signIn.url, form.url])
      const lost = await browser.get(`${world.baseUrl}/reset-password?token=none`)
      assert.deepEqual([linkOf(lost, '/sign-in'), linkOf(lost, '/forgot-password')], [signIn.url, form.url])
      const reset = await browser.submitAt(await sink.nextLink(), { password }, '/reset-password')
      assert.equal(linkOf(await browser.onward(reset, world), '/sign-in'), signIn.url)

      // Opened without a link from the sign-in page, the form doesn't know where to return to.
      const freshForm = await browser.get(`${world.baseUrl}/forgot-password`)
      assert.equal(linkOf(freshForm, '/sign-in'), `${world.baseUrl}/sign-in`)
    }
  })

  test('an authorization continues to consent, whatever return_to is', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const page = await browser.visit(consentUrl(world, client), world)
    const signIn = await browser.get(`${page.url}&return_to=${encodeURIComponent(wanted)}`)
    const answer = await browser.submit(signIn, { email, password }, '/sign-in')
    assert.equal(answer.location?.pathname, '/auth/consent')
  })
})

describe('our choice: return_to accepts only our own pages (decision 0082)', () => {
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
  ]

  test('a return_to that is not a path on this host is ignored', async (t) => {
    const { world } = await openScene(t)
    for (const address of elsewhere) {
      const browser = new Browser()
      const signIn = `${world.baseUrl}/sign-in?${new URLSearchParams({ return_to: address })}`
      const page = await browser.get(signIn)
      assert.doesNotMatch(page.text, /evil|return_to/, address)
      const answer = await browser.submit(page, { email, password }, '/sign-in')
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/account'], address)
      const again = await browser.get(signIn)
      assert.deepEqual([again.status, again.headers.get('location')], [302, '/account'], address)
    }
  })

  test('a return_to that is too long redirects to its path without the query; a repeated return_to is ignored', async (t) => {
    const { world } = await openScene(t)
    const browser = await signedIn(world)
    const long = await browser.get(
      `${world.baseUrl}/sign-in?return_to=${encodeURIComponent(`/bots?x=${'y'.repeat(2_000)}`)}`,
    )
    assert.equal(long.headers.get('location'), '/bots')
    const twice = await browser.get(`${world.baseUrl}/sign-in?return_to=/bots&return_to=/bots`)
    assert.equal(twice.headers.get('location'), '/account')
  })
})
