import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseUserId } from '../../src/domain/ids.ts'
import { browserWords } from '../../src/http/words/browser.ts'
import { eventually } from '../support/eventually.ts'
import { fieldErrorOf, noticeOf, titleOf } from '../support/page-words.ts'
import {
  ada,
  adaWithClient,
  allow,
  Browser,
  codeFor,
  consentUrl,
  here,
  provision,
  redeem,
  refresh,
  signedIn,
  userinfo,
} from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const minutes = 60_000

/** What the account page says of the part with this id, without markup. */
async function card(world: World, browser: Browser, id: string): Promise<string> {
  const { text } = await browser.get(`${world.baseUrl}/account`)
  const [, inside = ''] = new RegExp(`<section class="card" id="${id}"[^>]*>([\\s\\S]*?)<section class="card"`).exec(
    `${text}<section class="card"`,
  ) ?? ['', '']
  return inside
    .replace(/<svg[\s\S]*?<\/svg>|<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

async function send(world: World, browser: Browser, path: string, fields: Record<string, string>) {
  return browser.submit(await browser.get(`${world.baseUrl}${path}`), fields, path)
}

async function isSignedIn(world: World, browser: Browser): Promise<boolean> {
  return (await browser.get(`${world.baseUrl}/account`)).status === 200
}

describe('Account: its pages', () => {
  test('each has the header of the account and a way back to it', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    for (const page of ['name', 'email', 'password', 'pin', 'activity', 'passkeys', 'linked']) {
      const { status, text } = await browser.get(`${world.baseUrl}/account/${page}`)
      assert.equal(status, 200)
      assert.match(text, /<nav class="places"[^>]*><a href="\/account" aria-current="page">/, page)
      assert.match(text, /<a class="back" href="\/account">/, page)
    }
  })
})

describe('Account: profile', () => {
  test('the name is changed, and applications see the new one', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const { access_token } = (await redeem(world, client, await codeFor(world, browser, client))).json
    const empty = await send(world, browser, '/account/name', { name: ' ' })
    assert.deepEqual([empty.status, fieldErrorOf(empty, 'name')], [422, 'Enter your name.'])
    const answer = await send(world, browser, '/account/name', { name: 'Ada  Lovelace' })
    assert.deepEqual([answer.status, answer.location?.pathname], [303, '/account'])
    assert.equal((await userinfo(world, access_token)).json.name, 'Ada Lovelace')
  })

  test('our choice: without a mail server the e-mail address is changed at once, with the password', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', email: 'bob@example.com' })
    const browser = await signedIn(world)
    const wrong = await send(world, browser, '/account/email', { email: 'new@example.com', password: 'wrong-wrong' })
    assert.deepEqual(
      [wrong.status, fieldErrorOf(wrong, 'password')],
      [422, 'This is not your password. Check it and try again.'],
    )
    const taken = await send(world, browser, '/account/email', { email: 'BOB@example.com', password: ada.password })
    assert.deepEqual(
      [taken.status, fieldErrorOf(taken, 'email')],
      [422, 'This address already has an account. Sign in with it, or use another address.'],
    )
    const answer = await send(world, browser, '/account/email', { email: 'new@example.com', password: ada.password })
    assert.equal(answer.location?.search, '')
    await signedIn(world, { ...ada, email: 'new@example.com' })
    const old = await send(world, new Browser(), '/sign-in', { email: ada.email, password: ada.password })
    assert.equal(old.status, 422)
  })

  test('our choice: a change of the password takes the current one and ends all other sessions', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    const password = 'another fine horse'
    const wrong = await send(world, browser, '/account/password', { current_password: 'not this', password })
    assert.deepEqual(
      [wrong.status, fieldErrorOf(wrong, 'current_password')],
      [422, 'This is not your password as it is now. Check it and try again.'],
    )
    const short = await send(world, browser, '/account/password', { current_password: ada.password, password: 'short' })
    assert.equal(short.status, 422)
    assert.match(fieldErrorOf(short, 'password'), /at least 8 characters/)
    assert.equal(await isSignedIn(world, other), true)

    const answer = await send(world, browser, '/account/password', { current_password: ada.password, password })
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    assert.deepEqual([await isSignedIn(world, browser), await isSignedIn(world, other)], [true, false])
    await signedIn(world, { ...ada, password })
  })

  test('our choice: guesses at the current password slow down like sign-ins, and the page says for how long', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const guess = () =>
      send(world, browser, '/account/password', { current_password: 'guess', password: 'another fine horse' })
    for (let guesses = 0; guesses < 10; guesses += 1) assert.equal((await guess()).status, 422)
    const slowed = await guess()
    assert.deepEqual(
      [slowed.status, slowed.headers.get('retry-after'), noticeOf(slowed)],
      [429, '900', 'There were too many failed attempts. Try again in 15 minutes.'],
    )
    await world.clock.advance(14 * minutes)
    assert.equal(noticeOf(await guess()), 'There were too many failed attempts. Try again in 1 minute.')
    await world.clock.advance(1 * minutes)
    assert.equal((await guess()).status, 422)
  })

  test('our choice: whoever has no password sets one, after unlocking the PIN where one is set', async (t) => {
    const world = await openWorld(t)
    await provision(world, 'PUT', '/v1/users/eve', { name: 'Eve', pin: '4711' })
    const eve = parseUserId('eve')!
    const started = await world.service.accounts.startSession(eve, 'identity', here, 'passkey')
    const form = { clearTextCurrentPassword: '', clearTextPassword: 'another fine horse' }
    const { settings } = world.service.accounts
    await assert.rejects(settings.changePassword(started.session, form), { reason: 'unlock-first' })
    await settings.changePassword({ ...started.session, pinUnlocked: true }, form)
    assert.equal((await world.service.accounts.user(eve))?.hasPassword, true)
  })
})

async function sessionOf(world: World, browser: Browser) {
  const cookie = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
  return world.service.accounts.authenticateSession(cookie, 'identity', here)
}

describe('Account: sessions', () => {
  test('each session tells its browser, address and times, this one first; one or all others are ended', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, second, third] = [await signedIn(world), await signedIn(world), await signedIn(world)]
    await world.clock.advance(10 * minutes)
    const page = await browser.get(`${world.baseUrl}/account`)
    const [first = '', ...others] = (/id="sessions"[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tbody>/.exec(page.text)?.[1] ?? '')
      .split('</tr>')
      .filter((row) => row.includes('<tr'))
    assert.match(first, /This one/)
    assert.match(first, /127\.0\.0\.1/)
    assert.equal(others.length, 2)
    for (const row of others) assert.match(row, /10 minutes ago/)

    const number = (await sessionOf(world, second))?.number
    const ended = await browser.submit(page, { session: String(number) }, '/account/sessions/end')
    assert.equal(ended.location?.search, '')
    assert.deepEqual([await isSignedIn(world, second), await isSignedIn(world, third)], [false, true])
    const all = await browser.submit(page, {}, '/account/sessions/others/end')
    assert.equal(all.location?.search, '')
    assert.deepEqual([await isSignedIn(world, third), await isSignedIn(world, browser)], [false, true])
  })

  test('nobody ends the session of another user', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const bob = { email: 'bob@example.com', password: 'bob likes bridges' }
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', ...bob })
    const [browser, his] = [await signedIn(world), await signedIn(world, bob)]
    await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/account`)
    await browser.submit(page, { session: String((await sessionOf(world, his))?.number) }, '/account/sessions/end')
    await browser.submit(page, {}, '/account/sessions/others/end')
    assert.equal(await isSignedIn(world, his), true)
  })

  test('our choice: when a session was last seen is known to a few minutes and is never written by reading', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    await world.clock.advance(30 * minutes)
    await other.get(`${world.baseUrl}/account`)
    // On PostgreSQL the minute's storing may still be under way and take this along.
    const stored = world.databaseUrl === undefined ? '30 minutes ago' : '(30 minutes ago|just now)'
    assert.match(await card(world, browser, 'sessions'), new RegExp(`30 minutes ago ${stored}`))
    await world.clock.advance(1 * minutes)
    assert.match(await card(world, browser, 'sessions'), /31 minutes ago 1 minute ago/)
  })

  test('our choice: browsers are told in words', () => {
    const agents = {
      'Firefox on Windows': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Safari on an iPhone':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Edge on a Mac':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Chrome on Android':
        'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'A browser on Linux': 'Something/1.0 (Linux)',
      'An unknown browser': 'curl/8.0',
    }
    for (const [words, agent] of Object.entries(agents)) assert.equal(browserWords(agent).in('en'), words)
    assert.equal(browserWords(null).in('en'), 'An unknown browser')
  })
})

describe('Account: applications with access', () => {
  test('an application stands there with its website, scopes in words, since when and when it was last used', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    assert.match(await card(world, browser, 'applications'), /^Applications with access None\./)
    const { access_token } = (await redeem(world, client, await codeFor(world, browser, client))).json
    const scopes =
      'See your name, your linked chat-platform id and how many bots you have Keep this access when you are away, until you take it back'
    const start = `Applications with access Acme Dashboard client.example ${scopes}`
    assert.ok((await card(world, browser, 'applications')).startsWith(`${start} Allowed just now . Last used never.`))

    await world.clock.advance(5 * minutes)
    await userinfo(world, access_token)
    await world.clock.advance(2 * minutes)
    // Figures are stored behind the clock's back, one after the other, each on disk before the next.
    const used = `${start} Allowed 7 minutes ago . Last used 2 minutes ago .`
    await eventually(async () => (await card(world, browser, 'applications')).startsWith(used) || undefined)
    await world.restart()
    assert.match(await card(world, browser, 'applications'), /Last used 2 minutes ago/)
  })

  test('revoked access ends every token and code of that user with that application', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const one = (await redeem(world, client, await codeFor(world, browser, client))).json
    const two = (await redeem(world, client, await codeFor(world, browser, client))).json
    const code = await codeFor(world, browser, client)
    const page = await browser.get(`${world.baseUrl}/account`)
    const answer = await browser.submit(page, {}, '/account/applications/withdrawal')
    assert.equal(answer.location?.search, '')
    for (const tokens of [one, two]) {
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
      const again = await refresh(world, client, tokens.refresh_token)
      assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
    }
    const redeemed = await redeem(world, client, code)
    assert.deepEqual([redeemed.status, redeemed.json.error], [400, 'invalid_grant'])
    assert.match(await card(world, browser, 'applications'), /^Applications with access None\./)
  })

  test('after revoked access consent=skip carries error=consent_required, and the person is asked anew', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    await codeFor(world, browser, client)
    const skip = consentUrl(world, client, { consent: 'skip' })
    assert.equal((await browser.get(skip)).location?.searchParams.has('code'), true)
    const page = await browser.get(`${world.baseUrl}/account`)
    await browser.submit(page, {}, '/account/applications/withdrawal')
    const refused = (await browser.get(skip)).location?.searchParams
    assert.deepEqual([refused?.get('error'), refused?.get('state')], ['consent_required', 'the-state'])
    assert.ok((await allow(world, browser, consentUrl(world, client))).searchParams.has('code'))
    assert.equal((await browser.get(skip)).location?.searchParams.has('code'), true)
  })

  test('a refresh that races the withdrawal leaves nothing alive', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    for (let round = 0; round < 5; round += 1) {
      const { refresh_token } = (await redeem(world, client, await codeFor(world, browser, client))).json
      const page = await browser.get(`${world.baseUrl}/account`)
      const [answer] = await Promise.all([
        refresh(world, client, refresh_token),
        browser.submit(page, {}, '/account/applications/withdrawal'),
      ])
      if (answer.status !== 200) continue
      assert.equal((await userinfo(world, answer.json.access_token)).status, 401)
      assert.equal((await refresh(world, client, answer.json.refresh_token)).status, 400)
    }
  })

  test('the consent page says where it can be undone', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const page = await (await signedIn(world)).visit(consentUrl(world, client), world)
    assert.match(page.text, /You can take this back at any time: <a href="\/account#applications">/)
  })
})

describe('Account: its pages', () => {
  test('whoever is signed out signs in first, and a post from elsewhere changes nothing', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    for (const path of ['/account', '/account/name', '/account/email', '/account/password']) {
      const answer = await new Browser().get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.pathname], [302, '/sign-in'], path)
    }
    const browser = await signedIn(world)
    const other = await signedIn(world)
    const paths = ['name', 'email', 'email/link', 'email/keep', 'password', 'sessions/end', 'sessions/others/end']
    for (const path of [...paths, 'applications/withdrawal']) {
      const answer = await browser.post(`${world.baseUrl}/account/${path}`, new URLSearchParams({ name: 'Mallory' }))
      assert.equal(answer.status, 403, path)
      assert.equal(titleOf(answer), 'This form is out of date · Gatehouse')
    }
    assert.equal(await isSignedIn(world, other), true)
    assert.equal((await world.service.accounts.user(parseUserId('ada')!))?.name, 'Ada')
  })
})
