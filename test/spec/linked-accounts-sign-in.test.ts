import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, adaWithClient, Browser, consentUrl, formTokenOf, provision, signedIn } from '../support/people.ts'
import { asPlatform, openStandInProvider } from '../support/stand-in-provider.ts'
import { atOnce } from '../support/together.ts'
import { openWorld } from '../support/world.ts'
import { openChat, redirectTargetOf, signInWith, startSignIn } from './linked-accounts-scene.ts'

const minutesMs = 60_000

describe('our choice: finding or creating the user for a sign-in with a provider (decision 0015)', () => {
  const discord = {
    id: '223456789012345678',
    username: 'ada_l',
    global_name: 'Ada L.',
    email: ada.email,
    verified: true,
  }

  test('a disabled user can’t sign in with a linked account; the page says why; once enabled, they can', async (t) => {
    const { world, provider } = await openChat(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    await provision(world, 'POST', '/v1/users/ada/disable')
    provider.profile = discord
    const refused = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(refused.page.status, 403)
    assert.match(refused.page.text, /<h1>Your account is disabled<\/h1>/)
    assert.match(refused.page.text, /The operator disabled it\./)
    assert.equal(new URL((await refused.browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    assert.equal((await provision(world, 'GET', '/v1/users')).json.items.length, 1)
    await provision(world, 'POST', '/v1/users/ada/enable')
    const { browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await browser.visit(`${world.baseUrl}/account`, world)).text, /<code>ada<\/code>/)
  })

  test('a provider account with an existing user’s verified email does not sign that user in; the page says how to link the account', async (t) => {
    const { world, provider } = await openChat(t)
    await adaWithClient(world)
    provider.profile = discord
    const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 409)
    assert.match(page.text, /<h1>Your email address already has an account<\/h1>/)
    assert.match(page.text, /Sign in another way, then link the account on your account page\./)
    assert.match(page.text, /href="\/sign-in"/)
    assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
  })

  test('an unknown provider account creates a user, with the provider’s email only if that is verified', async (t) => {
    const { world, provider } = await openChat(t)
    for (const [at, verified] of [false, undefined, 'true', true].entries()) {
      provider.profile = { ...discord, id: `22345678901234567${at}`, verified }
      const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
      assert.equal(page.status, 200)
      const { text } = await browser.visit(`${world.baseUrl}/account`, world)
      assert.match(text, /Ada L\./)
      assert.equal(/ada@example\.com/.test(text), verified === true, String(verified))
    }
  })

  test('a GitHub profile with a numeric ID and no name creates a user, with the login as the name', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, asPlatform('CODE_HOSTING', provider, 'Code'))
    provider.profile = { id: 583231, login: 'octocat', name: null, email: 'octocat@example.com' }
    const { browser } = await signInWith(world, new Browser(), 'code-hosting', provider.allow)
    const { text } = await browser.visit(`${world.baseUrl}/account/linked`, world)
    assert.match(text, /<dt>Name at the provider<\/dt><dd>octocat<\/dd>/)
    assert.match(text, /<code>583231<\/code>/)
  })

  test('a missing name from a provider is replaced and a long name is truncated', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = { id: discord.id, global_name: '  \u202e ' }
    const nameless = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await nameless.browser.visit(`${world.baseUrl}/account`, world)).text, /Chat user/)
    provider.profile = { id: '323456789012345678', global_name: 'x'.repeat(500) }
    const long = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await long.browser.visit(`${world.baseUrl}/account`, world)).text, /\bx{100}\b/)
  })

  test('if sign-up is closed, unknown provider accounts are refused and linked accounts sign in', async (t) => {
    const { world, provider } = await openChat(t, { SIGN_UP: 'closed' })
    provider.profile = discord
    const refused = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(refused.page.status, 403)
    assert.match(refused.page.text, /<h1>Your account at Chat isn’t linked to an account here<\/h1>/)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    const linked = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(linked.page.status, 200)
  })

  test('concurrent first sign-ins with the same provider account create one user', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = discord
    const arrivals = await atOnce(8, () => signInWith(world, new Browser(), 'chat-platform', provider.allow))
    const ids = await Promise.all(
      arrivals.map(async ({ browser, page }) => {
        assert.equal(page.status, 200)
        const { text } = await browser.visit(`${world.baseUrl}/account`, world)
        return /<dt>User ID<\/dt><dd><code>([^<]*)</.exec(text)?.[1]
      }),
    )
    assert.equal(new Set(ids).size, 1)
  })
})

describe('our choice: a sign-in with a provider works once, in the browser that started it (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }

  test('a provider’s callback in another browser, with another state, at another provider or too late does not sign anyone in', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, {
      ...asPlatform('CHAT_PLATFORM', provider, 'Chat'),
      ...asPlatform('CODE_HOSTING', provider, 'Code'),
    })
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(redirectTargetOf(await startSignIn(world, browser, 'chat-platform')))
    const mixedUp = new URL(callback.href.replace('chat-platform', 'code-hosting'))
    const wrongState = new URL(callback)
    wrongState.searchParams.set('state', 'another')
    const twoStates = new URL(callback)
    twoStates.searchParams.append('state', 'another')
    const noState = new URL(callback)
    noState.searchParams.delete('state')
    const stranger = new Browser()
    await startSignIn(world, stranger, 'chat-platform')
    const attempts: [Browser, URL][] = [
      [new Browser(), callback],
      [stranger, callback],
      [browser, mixedUp],
      [browser, wrongState],
      [browser, twoStates],
      [browser, noState],
    ]
    for (const [who, address] of attempts) {
      const answer = await who.get(address)
      assert.equal(answer.status, 400, String(address))
      assert.match(answer.text, /href="\/sign-in"/)
    }
    await world.clock.advance(15 * minutesMs)
    assert.equal((await browser.get(callback)).status, 400)
    assert.equal(provider.secrets.length, 2, 'no code was exchanged')
  })

  test('a HEAD request to the callback doesn’t consume the state of the sign-in; a callback that is used again does not sign anyone in', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(redirectTargetOf(await startSignIn(world, browser, 'chat-platform')))
    assert.equal((await fetch(callback, { method: 'HEAD' })).status, 404)
    assert.equal((await browser.get(callback)).status, 200)
    const again = await browser.get(callback)
    assert.equal(again.status, 400)
    assert.match(again.text, /<h1>This sign-in was already used or has expired<\/h1>/)
    assert.match(again.text, /href="\/account\/linked"/)
  })

  test('a signed-in user who signs in with a provider gets a new session, and sign-ins in two tabs both work', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    await adaWithClient(world)
    const browser = await signedIn(world)
    const linked = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const before = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', chatPlatformId: profile.id })
    const fields = new URLSearchParams({ form_token: formTokenOf(linked) })
    const [one, other] = [
      redirectTargetOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
      redirectTargetOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
    ]
    assert.equal((await browser.get(await provider.allow(one))).status, 200)
    assert.equal((await browser.get(await provider.allow(other))).status, 200)
    assert.match((await browser.visit(`${world.baseUrl}/account`, world)).text, /<code>grace<\/code>/)
    const old = await fetch(`${world.baseUrl}/account`, {
      headers: { cookie: `gatehouse-session=${before}` },
      redirect: 'manual',
    })
    assert.equal(old.headers.get('location'), '/sign-in')
  })

  test('callback parameters never redirect to another site, and an authorization attempt that has since expired gets a 400 page', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const client = await adaWithClient(world)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(29 * minutesMs)
    const left = await browser.submit(signIn, {}, '/sign-in/with/chat-platform')
    await world.clock.advance(2 * minutesMs)
    const callback = await provider.allow(redirectTargetOf(left))
    callback.searchParams.set('attempt', 'https://evil.example')
    callback.searchParams.set('return_to', 'https://evil.example')
    const arrived = await browser.get(callback)
    assert.equal(redirectTargetOf(arrived).origin + redirectTargetOf(arrived).pathname, `${world.baseUrl}/auth/consent`)
    const late = await browser.get(redirectTargetOf(arrived))
    assert.equal(late.status, 400)
    assert.equal(late.location, undefined)
  })
})
