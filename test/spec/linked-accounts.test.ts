import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ada, adaWithClient, assertShows, Browser, consentUrl, provision, send, signedIn } from '../support/people.ts'
import { isSignedIn, sessionCookie, withCookie } from '../support/sign-in-forms.ts'
import { asPlatform, openStandInProvider, openWithProvider, redirectTargetOf } from '../support/stand-in-provider.ts'
import { atOnce } from '../support/together.ts'

const minutesMs = 60_000
const discord = { id: '223456789012345678', username: 'ada_l', global_name: 'Ada L.', email: ada.email, verified: true }

async function openChat(t: TestContext, env: Record<string, string> = {}) {
  const scene = await openWithProvider(t, 'chat-platform', env)
  scene.provider.profile = discord
  const put = (id: string, user: object) => provision(scene.world, 'PUT', `/v1/users/${id}`, user)
  const linkedId = async (id = 'ada') => (await provision(scene.world, 'GET', `/v1/users/${id}`)).json.chatPlatformId
  return { ...scene, put, linkedId }
}

describe('our choice: finding or creating the user for a sign-in with a provider (decision 0015)', () => {
  test('a disabled user can’t sign in with a linked account; the page says why; once enabled, they can', async (t) => {
    const { world, put, signIn, textOf } = await openChat(t)
    await put('ada', { name: 'Ada', chatPlatformId: discord.id })
    await provision(world, 'POST', '/v1/users/ada/disable')
    const { browser, page } = await signIn()
    assertShows(page, 403, /<h1>Your account is disabled<\/h1>/)
    assert.match(page.text, /The operator disabled it\./)
    assert.equal(await isSignedIn(world, browser), false)
    assert.equal((await provision(world, 'GET', '/v1/users')).json.items.length, 1)
    await provision(world, 'POST', '/v1/users/ada/enable')
    await signIn(browser)
    assert.match(await textOf(browser), /<code>ada<\/code>/)
  })

  test('a provider account with an existing user’s verified email does not sign that user in; the page says how to link the account', async (t) => {
    const { world, signIn, linkedId } = await openChat(t)
    await adaWithClient(world)
    const { browser, page } = await signIn()
    assertShows(page, 409, /<h1>Your email address already has an account<\/h1>/)
    assert.match(page.text, /Sign in another way, then link the account on your account page\./)
    assert.match(page.text, /href="\/sign-in"/)
    assert.equal(await isSignedIn(world, browser), false)
    assert.equal(await linkedId(), null)
  })

  test('an unknown provider account creates a user, with the provider’s email only if that is verified', async (t) => {
    const { provider, signIn, textOf } = await openChat(t)
    for (const [at, verified] of [false, undefined, 'true', true].entries()) {
      provider.profile = { ...discord, id: `22345678901234567${at}`, verified }
      const { browser, page } = await signIn()
      assert.equal(page.status, 200)
      const text = await textOf(browser)
      assert.match(text, /Ada L\./)
      assert.equal(/ada@example\.com/.test(text), verified === true, String(verified))
    }
  })

  test('a GitHub profile with a numeric ID and no name creates a user, with the login as the name', async (t) => {
    const { provider, signIn, textOf } = await openWithProvider(t, 'code-hosting')
    provider.profile = { id: 583231, login: 'octocat', name: null, email: 'octocat@example.com' }
    const text = await textOf((await signIn()).browser, '/account/linked')
    assert.match(text, /<dt>Name at the provider<\/dt><dd>octocat<\/dd>/)
    assert.match(text, /<code>583231<\/code>/)
  })

  test('a missing name from a provider is replaced and a long name is truncated', async (t) => {
    const { provider, signIn, textOf } = await openChat(t)
    for (const [id, global_name, shown] of [
      ['223456789012345678', '  \u202e ', /Chat user/],
      ['323456789012345678', 'x'.repeat(500), /\bx{100}\b/],
    ] as const) {
      provider.profile = { id, global_name }
      assert.match(await textOf((await signIn()).browser), shown)
    }
  })

  test('if sign-up is closed, unknown provider accounts are refused and linked accounts sign in', async (t) => {
    const { put, signIn } = await openChat(t, { SIGN_UP: 'closed' })
    const unknown = /<h1>Your account at Chat isn’t linked to an account here<\/h1>/
    assertShows((await signIn()).page, 403, unknown)
    await put('ada', { name: 'Ada', chatPlatformId: discord.id })
    assert.equal((await signIn()).page.status, 200)
  })

  test('concurrent first sign-ins with the same provider account create one user', async (t) => {
    const { signIn, textOf } = await openChat(t)
    const ids = await atOnce(8, async () => {
      const { browser, page } = await signIn()
      assert.equal(page.status, 200)
      return /<dt>User ID<\/dt><dd><code>([^<]+)</.exec(await textOf(browser))?.[1] ?? assert.fail('no user ID')
    })
    assert.equal(new Set(ids).size, 1)
  })
})

describe('our choice: a sign-in with a provider works once, in the browser that started it (decision 0015)', () => {
  test('a provider’s callback in another browser, with another state, at another provider or too late does not sign anyone in', async (t) => {
    const other = asPlatform('CODE_HOSTING', await openStandInProvider(t), 'Code')
    const { world, provider, callbackFor, leave } = await openChat(t, other)
    const [browser, stranger] = [new Browser(), new Browser()]
    const callback = await callbackFor(browser)
    await leave(stranger)
    const state = callback.searchParams.get('state') ?? ''
    const changed = (from: string, to: string) => callback.href.replace(from, to)
    for (const [who, address] of [
      [new Browser(), callback.href],
      [stranger, callback.href],
      [browser, changed('chat-platform', 'code-hosting')],
      [browser, changed(`state=${state}`, 'state=another')],
      [browser, `${callback}&state=another`],
      [browser, changed(`state=${state}`, '')],
    ] as const) {
      assertShows(await who.get(address), 400, /href="\/sign-in"/, String(address))
    }
    await world.clock.advance(15 * minutesMs)
    assert.equal((await browser.get(callback)).status, 400)
    assert.equal(provider.secrets.length, 2, 'no code was exchanged')
  })

  test('a HEAD request to the callback doesn’t consume the state of the sign-in; a callback that is used again does not sign anyone in', async (t) => {
    const { callbackFor } = await openChat(t)
    const browser = new Browser()
    const callback = await callbackFor(browser)
    assert.equal((await fetch(callback, { method: 'HEAD' })).status, 404)
    assert.equal((await browser.get(callback)).status, 200)
    const again = await browser.get(callback)
    assertShows(again, 400, /<h1>This sign-in was already used or has expired<\/h1>/)
    assert.match(again.text, /href="\/account\/linked"/)
  })

  test('a signed-in user who signs in with a provider gets a new session, and sign-ins in two tabs both work', async (t) => {
    const { world, provider, put, textOf } = await openChat(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const before = sessionCookie(browser)
    await put('grace', { name: 'Grace', chatPlatformId: discord.id })
    const press = () => send(browser, world, '/sign-in/with/chat-platform', {})
    for (const tab of [await press(), await press()]) {
      assert.equal((await browser.get(await provider.allow(redirectTargetOf(tab)))).status, 200)
    }
    assert.match(await textOf(browser), /<code>grace<\/code>/)
    assert.equal((await withCookie(world, before)).headers.get('location'), '/sign-in')
  })

  test('callback parameters never redirect to another site, and an authorization attempt that has since expired gets a 400 page', async (t) => {
    const { world, provider, leave } = await openChat(t)
    provider.profile = { id: discord.id, username: 'ada_l' }
    const client = await adaWithClient(world)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(29 * minutesMs)
    const left = await leave(browser, signIn.url)
    await world.clock.advance(2 * minutesMs)
    const callback = `${await provider.allow(redirectTargetOf(left))}&attempt=https://evil.example`
    const target = redirectTargetOf(await browser.get(`${callback}&return_to=https://evil.example`))
    assert.equal(target.origin + target.pathname, `${world.baseUrl}/auth/consent`)
    const late = await browser.get(target)
    assert.deepEqual([late.status, late.location], [400, undefined])
  })
})

describe('our choice: linking and unlinking at /account/linked (decision 0015)', () => {
  /** Opens a world in which Ada, who is signed in, has opened the page of her linked accounts. */
  async function openLinked(t: TestContext) {
    const scene = await openChat(t)
    await adaWithClient(scene.world)
    const browser = await signedIn(scene.world)
    const listed = () => browser.get(`${scene.world.baseUrl}/account/linked`)
    const callback = async () =>
      scene.provider.allow(redirectTargetOf(await browser.submit(page, {}, '/account/linked/chat-platform')))
    const page = await listed()
    return { ...scene, browser, page, listed, callback }
  }

  test('a user links an account, signs in with it, sees it listed and unlinks it', async (t) => {
    const { world, provider, browser, callback, signIn, textOf, linkedId } = await openLinked(t)
    provider.profile = { id: discord.id, username: 'ada_l' }
    const arrived = await browser.get(await callback())
    assert.equal(arrived.status, 200)
    const listed = await browser.visit(redirectTargetOf(arrived), world)
    assert.match(listed.text, /Account linked\./)
    assert.match(listed.text, /<dt>Name at the provider<\/dt><dd>ada_l<\/dd>/)
    assert.equal(await linkedId(), discord.id)
    assert.match(await textOf((await signIn()).browser), /<code>ada<\/code>/)

    const removed = await browser.submit(listed, {}, '/account/linked/chat-platform/removal')
    assert.equal(removed.status, 303)
    assertShows(await browser.onward(removed, world), 200, /Account unlinked/)
    assert.equal(await linkedId(), null)
    assert.equal((await browser.submit(listed, {}, '/account/linked/chat-platform/removal')).status, 404)
  })

  test('an account that is the only way to sign in can’t be unlinked', async (t) => {
    const { world, signIn, textOf } = await openChat(t)
    const { browser } = await signIn()
    const linked = await browser.get(`${world.baseUrl}/account/linked`)
    const refused = await browser.submit(linked, {}, '/account/linked/chat-platform/removal')
    assertShows(refused, 409, /<h1>You would lock yourself out<\/h1>/)
    assert.match(refused.text, /<a [^>]*href="\/account\/linked">Your linked accounts</)
    assert.match(await textOf(browser, '/account/linked'), /<dd>Ada L\.<\/dd>/)
  })

  test('an account linked to another user can’t be linked, nor can a second account at the same provider', async (t) => {
    const { provider, browser, callback, put, linkedId } = await openLinked(t)
    await put('grace', { name: 'Grace', chatPlatformId: discord.id })
    assertShows(await browser.get(await callback()), 409, /is linked to another user of this service/)

    provider.profile = { id: '323456789012345678' }
    const address = await callback()
    await put('ada', { name: 'Ada', chatPlatformId: '423456789012345678' })
    assertShows(await browser.get(address), 409, /Unlink that account first\./)
    assert.equal(await linkedId(), '423456789012345678')
  })

  for (const when of ['after the user signed out', 'during which the user signs out'])
    test(`a provider’s callback ${when} links nothing`, async (t) => {
      const { provider, browser, page, callback, linkedId } = await openLinked(t)
      const address = await callback()
      if (when.startsWith('after')) await browser.submit(page, {}, '/sign-out')
      else
        provider.instead.set('/profile', async (response) => {
          await browser.submit(page, {}, '/sign-out')
          response.setHeader('content-type', 'application/json').end(JSON.stringify(provider.profile))
        })
      assertShows(await browser.get(address), 403, /<h1>The account was not linked<\/h1>/)
      assert.equal(await linkedId(), null)
    })

  test('a sign-in older than 15 minutes must be repeated before linking or unlinking', async (t) => {
    const { world, provider, browser, callback, listed } = await openLinked(t)
    await browser.get(await callback())
    await world.clock.advance(15 * minutesMs)
    const old = await listed()
    assert.match(old.text, /Sign in again to make changes/)
    assert.doesNotMatch(old.text, /action="\/account\/linked/)
    for (const path of ['/account/linked/chat-platform', '/account/linked/chat-platform/removal']) {
      assertShows(await send(browser, world, path, {}), 403, /<h1>Sign in again first<\/h1>/)
    }
    const left = await browser.submit(old, {}, '/sign-in/with/chat-platform')
    const back = await browser.get(await provider.allow(redirectTargetOf(left)))
    assert.equal(back.headers.get('refresh'), '0; url=/account/linked')
  })
})
