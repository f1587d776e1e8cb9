import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import {
  ada,
  adaWithClient,
  allow,
  Browser,
  codeFor,
  consentUrl,
  provision,
  redeem,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { freePorts, openWorld, type World } from '../support/world.ts'
import { redirectTargetOf, signInFrom, signInWith } from './linked-accounts-scene.ts'

/** A user at the upstream Gatehouse. The user's ID has the form of a chat-platform ID. */
const grace = { id: '123456789012345678', name: 'Grace', email: 'grace@example.com', password: 'nanoseconds of wire' }

describe('our choice: sign-in with another Gatehouse as the chat-platform and code-hosting provider (decision 0015)', () => {
  test('the first sign-in with a provider creates a user with the provider’s name; later sign-ins find the same user', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    const first = await signInWith(world, new Browser(), 'chat-platform', (address) => allowAt(upstream, address))
    assert.equal(first.page.status, 200)
    assert.equal(redirectTargetOf(first.page).href, `${world.baseUrl}/account`)
    const account = await first.browser.visit(`${world.baseUrl}/account`, world)
    assert.match(account.text, /Grace/)

    const again = await signInWith(world, new Browser(), 'chat-platform', (address) => allowAt(upstream, address))
    const [one, other] = await Promise.all(
      [first.browser, again.browser].map(async (browser) => {
        const answer = await redeem(world, client, await codeFor(world, browser, client))
        return (await userinfo(world, answer.json.access_token)).json
      }),
    )
    assert.deepEqual(one, {
      sub: one.sub,
      serviceId: one.sub,
      name: 'Grace',
      chatPlatformId: grace.id,
      botCount: 0,
    })
    assert.deepEqual(other, one)
  })

  test('an authorization continues after the sign-in with a provider, and userinfo shows the linked account', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    await provision(world, 'PUT', '/v1/users/grace-here', { name: 'Grace H.', pin: ada.pin, codeHostingId: grace.id })
    const browser = new Browser()
    const url = consentUrl(world, client, { scope: 'user.identify user.connections.read' })
    const signIn = await browser.visit(url, world)
    assert.equal(new URL(signIn.url).pathname, '/sign-in')
    const arrived = await signInFrom(browser, signIn, 'code-hosting', (address) => allowAt(upstream, address))
    assert.equal(redirectTargetOf(arrived).pathname, '/auth/consent')

    const unlock = await browser.visit(redirectTargetOf(arrived), world)
    const consent = await browser.onward(await browser.submit(unlock, { pin: ada.pin }, '/unlock'), world)
    const code = (await browser.submit(consent, { decision: 'allow' }, '/auth/consent')).location?.searchParams
    const answer = await redeem(world, client, code?.get('code') ?? '')
    assert.deepEqual((await userinfo(world, answer.json.access_token)).json, {
      sub: 'grace-here',
      serviceId: 'grace-here',
      name: 'Grace H.',
      botCount: 0,
      connections: { chatPlatform: false, codeHosting: true, passkey: false },
    })
  })

  test('a user who denies access at the provider is not signed in and can choose another way to sign in', async (t) => {
    const { world, upstream, client } = await openTwoWorlds(t)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    const { status, text } = await signInFrom(browser, signIn, 'chat-platform', (address) =>
      answerAt(upstream, address, 'deny'),
    )
    assert.equal(status, 403)
    assert.match(text, /<h1>Other Gate did not confirm who you are<\/h1>/)
    assert.match(text, new RegExp(`href="/sign-in\\?attempt=${new URL(signIn.url).searchParams.get('attempt')}"`))
    assert.equal(new URL((await browser.visit(`${world.baseUrl}/account`, world)).url).pathname, '/sign-in')
  })
})

/** Opens a service whose chat platform and code-hosting platform are another Gatehouse, where Grace has an account. */
async function openTwoWorlds(t: TestContext) {
  // The upstream Gatehouse is not on localhost, because cookies are shared between ports.
  const [port = 0] = await freePorts(1)
  const upstream = await openWorld(t, { BASE_URL: `http://127.0.0.1:${port}`, SEND_ISS: 'true' })
  const { id, ...person } = grace
  await provision(upstream, 'PUT', `/v1/users/${id}`, person)
  const application = { name: 'Gatehouse', websiteUrl: 'https://gatehouse.example', environment: 'development' }
  const put = (redirectUris: string[]) =>
    provision(upstream, 'PUT', '/v1/applications/gatehouse', { ownerId: id, ...application, redirectUris })
  const { json } = await put(['http://localhost:1/'])
  const settings = (prefix: string) => ({
    [`${prefix}_NAME`]: 'Other Gate',
    [`${prefix}_CLIENT_ID`]: json.clientId,
    [`${prefix}_CLIENT_SECRET`]: json.clientSecret,
    [`${prefix}_AUTHORIZE_URL`]: `${upstream.baseUrl}/auth/consent`,
    [`${prefix}_TOKEN_URL`]: `${upstream.baseUrl}/api/oauth/token`,
    [`${prefix}_USERINFO_URL`]: `${upstream.baseUrl}/api/oauth/userinfo`,
    [`${prefix}_SCOPES`]: 'user.identify',
  })
  const world = await openWorld(t, { ...settings('CHAT_PLATFORM'), ...settings('CODE_HOSTING') })
  await put(['chat-platform', 'code-hosting'].map((key) => `${world.baseUrl}/linked/${key}/callback`))
  return { world, upstream, client: await adaWithClient(world) }
}

/** Signs Grace in at the upstream Gatehouse, allows the request and returns the redirect. */
async function allowAt(upstream: World, address: URL): Promise<URL> {
  return allow(upstream, await signedIn(upstream, grace), address.href)
}

async function answerAt(upstream: World, address: URL, decision: 'allow' | 'deny'): Promise<URL> {
  const browser = await signedIn(upstream, grace)
  const page = await browser.visit(address, upstream)
  return (await browser.submit(page, { decision }, '/auth/consent')).location as URL
}
