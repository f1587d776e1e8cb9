import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formTokenOf } from '../support/page-words.ts'
import { ada, adaWithClient, Browser, consentUrl, provision, signedIn } from '../support/people.ts'
import { asPlatform, openStandInProvider } from '../support/stand-in-provider.ts'
import { openWorld } from '../support/world.ts'
import { leave, onwardOf, openChat, signInWith } from './linked-accounts-scene.ts'

const minutesMs = 60_000

describe('our choice: who is signed in by an account elsewhere (decision 0015)', () => {
  const discord = {
    id: '223456789012345678',
    username: 'ada_l',
    global_name: 'Ada L.',
    email: ada.email,
    verified: true,
  }

  test('the user to whom the operator linked it', async (t) => {
    const { world, provider } = await openChat(t)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    provider.profile = discord
    const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 200)
    assert.match((await browser.visit(`${world.baseUrl}/account`, world)).text, /<code>ada<\/code>/)
  })

  test('nobody else, though the verified address is theirs: the page says how to link it', async (t) => {
    const { world, provider } = await openChat(t)
    await adaWithClient(world)
    provider.profile = discord
    const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(page.status, 409)
    assert.match(page.text, /<h1>Your email address already has an account<\/h1>/)
    assert.match(page.text, /Sign in with your password, then link the account on your account page\./)
    assert.match(page.text, /href="\/sign-in"/)
    assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.chatPlatformId, null)
  })

  test('a new user, with the address if it is verified and free', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = discord
    const { browser } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    const { text } = await browser.visit(`${world.baseUrl}/account`, world)
    assert.match(text, /Ada L\./)
    assert.match(text, /ada@example\.com/)
  })

  for (const verified of [false, undefined, 'true']) {
    test(`a new user without the address when verified is ${JSON.stringify(verified)}, whoever else has it`, async (t) => {
      const { world, provider } = await openChat(t)
      await adaWithClient(world)
      provider.profile = { ...discord, verified }
      const { browser, page } = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
      assert.equal(page.status, 200)
      assert.doesNotMatch((await browser.visit(`${world.baseUrl}/account`, world)).text, /ada@example\.com/)
    })
  }

  test('GitHub’s profile: a number as id, and the login where there is no name', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, asPlatform('CODE_HOSTING', provider, 'Code'))
    provider.profile = { id: 583231, login: 'octocat', name: null, email: 'octocat@example.com' }
    const { browser } = await signInWith(world, new Browser(), 'code-hosting', provider.allow)
    const { text } = await browser.visit(`${world.baseUrl}/account/linked`, world)
    assert.match(text, /<dt>Name at the provider<\/dt><dd>octocat<\/dd>/)
    assert.match(text, /<code>583231<\/code>/)
  })

  test('a name that is missing or long does not get in the way', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = { id: discord.id, global_name: '  \u202e ' }
    const nameless = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await nameless.browser.visit(`${world.baseUrl}/account`, world)).text, /Chat user/)
    provider.profile = { id: '323456789012345678', global_name: 'x'.repeat(500) }
    const long = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.match((await long.browser.visit(`${world.baseUrl}/account`, world)).text, /\bx{100}\b/)
  })

  test('nobody new where sign-up is closed; whoever is linked comes in', async (t) => {
    const { world, provider } = await openChat(t, { SIGN_UP: 'closed' })
    provider.profile = discord
    const refused = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(refused.page.status, 403)
    assert.match(refused.page.text, /<h1>Your account at Chat isn’t linked to an account here<\/h1>/)
    await provision(world, 'PUT', '/v1/users/ada', { name: 'Ada', chatPlatformId: discord.id })
    const linked = await signInWith(world, new Browser(), 'chat-platform', provider.allow)
    assert.equal(linked.page.status, 200)
  })

  test('of two who come with one new account at once one user comes to be', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = discord
    const arrivals = await Promise.all(
      Array.from({ length: 8 }, () => signInWith(world, new Browser(), 'chat-platform', provider.allow)),
    )
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

describe('our choice: a way in works once, in the browser it began in (decision 0015)', () => {
  const profile = { id: '223456789012345678', username: 'ada_l' }

  test('a callback that is used again signs nobody in', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    assert.equal((await browser.get(callback)).status, 200)
    const again = await browser.get(callback)
    assert.equal(again.status, 400)
    assert.match(again.text, /<h1>This sign-in was already used or has expired<\/h1>/)
    assert.match(again.text, /href="\/account\/linked"/)
  })

  test('a callback in another browser, with another state, at another provider or too late signs nobody in', async (t) => {
    const provider = await openStandInProvider(t)
    const world = await openWorld(t, {
      ...asPlatform('CHAT_PLATFORM', provider, 'Chat'),
      ...asPlatform('CODE_HOSTING', provider, 'Code'),
    })
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    const mixedUp = new URL(callback.href.replace('chat-platform', 'code-hosting'))
    const wrongState = new URL(callback)
    wrongState.searchParams.set('state', 'another')
    const twoStates = new URL(callback)
    twoStates.searchParams.append('state', 'another')
    const noState = new URL(callback)
    noState.searchParams.delete('state')
    const stranger = new Browser()
    await leave(world, stranger, 'chat-platform')
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

  test('programs that look at the address with HEAD do not use it up', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const browser = new Browser()
    const callback = await provider.allow(onwardOf(await leave(world, browser, 'chat-platform')))
    assert.equal((await fetch(callback, { method: 'HEAD' })).status, 404)
    assert.equal((await browser.get(callback)).status, 200)
  })

  test('whoever was signed in gets a new session, and two tabs do not disturb each other', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    await adaWithClient(world)
    const browser = await signedIn(world)
    const linked = await browser.visit(`${world.baseUrl}/account/linked`, world)
    const before = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
    await provision(world, 'PUT', '/v1/users/grace', { name: 'Grace', chatPlatformId: profile.id })
    const fields = new URLSearchParams({ form_token: formTokenOf(linked) })
    const [one, other] = [
      onwardOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
      onwardOf(await browser.post(`${world.baseUrl}/sign-in/with/chat-platform`, fields)),
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

  test('nothing in the address leads elsewhere, and an attempt that ran out meanwhile says so', async (t) => {
    const { world, provider } = await openChat(t)
    provider.profile = profile
    const client = await adaWithClient(world)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    await world.clock.advance(29 * minutesMs)
    const left = await browser.submit(signIn, {}, '/sign-in/with/chat-platform')
    await world.clock.advance(2 * minutesMs)
    const callback = await provider.allow(onwardOf(left))
    callback.searchParams.set('attempt', 'https://evil.example')
    callback.searchParams.set('return_to', 'https://evil.example')
    const arrived = await browser.get(callback)
    assert.equal(onwardOf(arrived).origin + onwardOf(arrived).pathname, `${world.baseUrl}/auth/consent`)
    const late = await browser.get(onwardOf(arrived))
    assert.equal(late.status, 400)
    assert.equal(late.location, undefined)
  })
})
