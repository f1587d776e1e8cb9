import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import * as limits from '../../src/domain/limits/limits.ts'
import { send } from '../support/bot-people.ts'
import { makeToken } from '../support/owner-api.ts'
import { formTokenOf } from '../support/page-words.ts'
import { ada, adaWithClient, Browser, consentUrl, provision, signedIn } from '../support/people.ts'
import { acme, atPortal, bob } from '../support/portal-people.ts'
import { SoftwareAuthenticator } from '../support/software-authenticator.ts'
import { openWorld } from '../support/world.ts'

/**
 * The attacker's requests come through a proxy that forwards the attacker's address. All other requests come from this
 * machine.
 */
const attacker = { 'x-forwarded-for': '203.0.113.7' }

async function openScene(t: TestContext) {
  const world = await openWorld(t, { TRUST_PROXY: '1' })
  const client = await adaWithClient(world)
  return { world, client }
}

/** Makes a call `times` times, 16 at a time. */
async function often(times: number, call: () => Promise<void>): Promise<void> {
  let left = times
  const row = async () => {
    while (left > 0) {
      left -= 1
      await call()
    }
  }
  await Promise.all(Array.from({ length: 16 }, row))
}

describe('The number of rows that one stranger can store is limited, and other people’s rows are never displaced', () => {
  test('our choice: an IP address that starts too many authorization attempts loses its oldest attempts; other addresses lose none', async (t) => {
    const { world, client } = await openScene(t)
    const browser = new Browser()
    const signIn = await browser.visit(consentUrl(world, client), world)
    const request = consentUrl(world, client, { state: 'x'.repeat(4_000) })
    const begin = async () => {
      const answer = await fetch(request, { headers: attacker, redirect: 'manual' })
      assert.equal(answer.status, 302)
      return new URL(answer.headers.get('location') ?? '', world.baseUrl).searchParams.get('attempt') ?? ''
    }
    const status = async (attempt: string) => {
      const address = `${world.baseUrl}/auth/consent?attempt=${attempt}`
      return (await fetch(address, { headers: attacker, redirect: 'manual' })).status
    }
    const first = await begin()
    await world.clock.advance(1)
    await often(limits.attemptsPerAddress.long - 1, async () => void (await begin()))
    assert.equal(await status(first), 302, 'as many as its bound are kept')
    const last = await begin()
    assert.deepEqual([await status(first), await status(last)], [400, 302])

    const { email, password } = ada
    const page = await browser.onward(await browser.submit(signIn, { email, password }, '/sign-in'), world)
    const allowed = await browser.submit(page, { decision: 'allow' }, '/auth/consent')
    assert.equal(allowed.location?.searchParams.get('state'), 'the-state', allowed.text)
  })

  test('our choice: an IP address that creates too many accounts gets 429; other addresses can still create accounts', async (t) => {
    const { world } = await openScene(t)
    const browser = new Browser({}, attacker)
    const page = await browser.get(`${world.baseUrl}/sign-up`)
    let number = 0
    const signUp = (by = browser, from = page) => {
      number += 1
      const form = { name: 'Eve', email: `eve-${number}@example.com`, password: 'the engine weaves' }
      return by.submit(from, form, '/sign-up')
    }
    for (let left = limits.signUpsPerAddress - 4; left > 0; left -= 1) assert.equal((await signUp()).status, 303)
    const atOnce = await Promise.all(Array.from({ length: 8 }, () => signUp()))
    assert.deepEqual(
      atOnce.map(({ status }) => status).sort(),
      [303, 303, 303, 303, 429, 429, 429, 429],
      'those at once don’t outrun the bound',
    )
    const refused = await signUp()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
    assert.match(refused.text, /Too many accounts were created from your network\. Try again in 60 minutes\./)
    assert.match(refused.text, /value="Eve"/, 'what was typed stays')
    const german = new Browser({}, { ...attacker, 'accept-language': 'de' })
    const said = (await signUp(german, await german.get(`${world.baseUrl}/sign-up`))).text
    assert.match(said, /Aus Ihrem Netzwerk wurden zu viele Konten erstellt\. Versuchen Sie es in 60 Minuten erneut\./)

    const other = new Browser()
    assert.equal((await signUp(other, await other.get(`${world.baseUrl}/sign-up`))).status, 303)
    await signedIn(world)
    await world.clock.advance(limits.signUpWindowMs)
    const later = new Browser({}, attacker)
    assert.equal((await signUp(later, await later.get(`${world.baseUrl}/sign-up`))).status, 303)
  })

  test('our choice: a user who starts too many authorization attempts loses the oldest of them', async (t) => {
    const { world, client } = await openScene(t)
    const browser = await signedIn(world)
    const first = (await browser.get(consentUrl(world, client))).location
    assert.ok(first)
    await world.clock.advance(1)
    await often(limits.attemptsPerUser.short, async () => void (await browser.get(consentUrl(world, client))))
    assert.equal((await browser.get(first)).status, 400)
    const stranger = await fetch(consentUrl(world, client), { redirect: 'manual' })
    assert.equal(stranger.status, 302)
  })

  test('our choice: a user who makes too many audited changes gets 429; the user at another IP address and other users don’t', async (t) => {
    const { world } = await openScene(t)
    await provision(world, 'PUT', '/v1/users/eve', { name: 'Eve', email: 'eve@example.com', password: ada.password })
    for (const [owner, number] of [
      ['ada', '1'],
      ['eve', '2'],
    ]) {
      const bot = { ownerId: owner, name: 'Bot', chatPlatformId: `21521521521521521${number}`, hostingEnabled: true }
      await provision(world, 'PUT', `/v1/bots/of-${owner}`, bot)
    }
    const theirs = { email: 'eve@example.com', password: ada.password }
    const [away, home, other] = [new Browser({}, attacker), new Browser(), new Browser({}, attacker)]
    for (const [browser, credentials] of [
      [away, ada],
      [home, ada],
      [other, theirs],
    ] as const) {
      const page = await browser.get(`${world.baseUrl}/sign-in`)
      const { email, password } = credentials
      assert.equal((await browser.submit(page, { email, password }, '/sign-in')).status, 303)
    }
    await away.submit(await away.get(`${world.baseUrl}/unlock?return_to=/account`), { pin: ada.pin }, '/unlock')
    const token = await makeToken(away, world)
    for (let act = 0; act < limits.auditedActsPerUser.burst; act += 1) {
      world.service.audit.shares.count('ada', attacker['x-forwarded-for'], world.clock.nowMs())
    }

    const hide = (browser: Browser, bot: string) => send(browser, world, `/bots/${bot}/public-status`, { public: 'no' })
    const refused = await hide(away, 'of-ada')
    assert.equal(refused.status, 429)
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
    assert.match(refused.text, /Too many changes/)
    const byToken = await fetch(`${world.baseUrl}/api/v1/bots/of-ada/public-status`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...attacker },
      body: JSON.stringify({ enabled: true }),
    })
    assert.equal(byToken.status, 429, await byToken.text())
    assert.equal((await hide(home, 'of-ada')).status, 303)
    assert.equal((await hide(other, 'of-eve')).status, 303)
    await world.clock.advance(Number(refused.headers.get('retry-after')) * 1_000)
    assert.equal((await hide(away, 'of-ada')).status, 303)
  })

  test('our choice: a user who registers too many applications is refused; other users can still register some', async (t) => {
    const world = await openWorld(t)
    const [browser, other] = [await atPortal(world), await atPortal(world, bob)]
    const [page, page2] = [
      await browser.get(`${world.portalUrl}/apps/new`),
      await other.get(`${world.portalUrl}/apps/new`),
    ]
    for (let left = limits.applicationsPerOwner; left > 0; left -= 1) {
      assert.equal((await browser.submit(page, acme, '/apps/new')).status, 201)
    }
    const refused = await browser.submit(page, acme, '/apps/new')
    assert.equal(refused.status, 422)
    assert.match(refused.text, /You have 100 applications, the maximum\. Delete one first\./)
    assert.equal((await other.submit(page2, acme, '/apps/new')).status, 201)
  })

  test('our choice: an IP address that requests too many passkey challenges loses its oldest challenges; other addresses lose none', async (t) => {
    const { world } = await openScene(t)
    const formToken = async (browser: Browser, path: string) =>
      formTokenOf(await browser.get(`${world.baseUrl}${path}`))
    const home = await signedIn(world)
    const device = new SoftwareAuthenticator({ origin: world.baseUrl })
    const token = await formToken(home, '/account/passkeys')
    const post = (browser: Browser, path: string, fields: Record<string, string>) =>
      browser.post(world.baseUrl + path, new URLSearchParams(fields))
    const options = await post(home, '/account/passkeys/challenge', { form_token: token })
    const response = device.create(JSON.parse(options.text))
    const added = await post(home, '/account/passkeys', { form_token: token, name: '', response })
    assert.equal(added.status, 200, added.text)

    const sessions = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const browser = new Browser()
        return { browser, form_token: await formToken(browser, '/sign-in') }
      }),
    )
    const [ours, theirs] = sessions as [(typeof sessions)[0], (typeof sessions)[0]]
    const challenge = async ({ browser, form_token }: typeof ours, headers: Record<string, string>) => {
      const answer = await fetch(`${world.baseUrl}/sign-in/passkey/challenge`, {
        method: 'POST',
        body: new URLSearchParams({ form_token }),
        headers: { origin: world.baseUrl, cookie: browser.cookieHeader(), ...headers },
      })
      assert.equal(answer.status, 200)
      return await answer.json()
    }
    const ourOptions = await challenge(ours, {})
    const theirOptions = await challenge(theirs, attacker)
    await often(limits.passkeyChallengesPerAddress, async () => {
      const browser = new Browser()
      await challenge({ browser, form_token: await formToken(browser, '/sign-in') }, attacker)
    })
    const answered = ({ browser, form_token }: typeof ours, of: { challenge: string }) =>
      post(browser, '/sign-in/passkey', { form_token, response: device.get(of) })
    assert.match((await answered(theirs, theirOptions)).text, /"challenge-unknown"/)
    assert.deepEqual(JSON.parse((await answered(ours, ourOptions)).text), { location: '/account' })
  })
})
