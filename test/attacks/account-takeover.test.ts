import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type BotId, parseBotId, parseChatPlatformId, type UserId } from '../../src/domain/ids-and-secrets.ts'
import { BotRuntime } from '../support/bot-runtime.ts'
import { type MailSink, openAdaWithMail, openWorldWithMail, send } from '../support/mail-sink.ts'
import { notKnown, PasskeyPage } from '../support/passkeys.ts'
import {
  aClient,
  ada,
  Browser,
  call,
  codeFor,
  formTokenOf,
  makeToken,
  redeem,
  refresh,
  signedIn,
  testOrigin,
  titleOf,
  userinfo,
} from '../support/people.ts'
import type { SoftwareAuthenticator } from '../support/software-authenticator.ts'
import type { World } from '../support/world.ts'
import { inDatabase } from '../support/world-database.ts'

const newPassword = 'another fine horse'
const attackersEmail = 'mallory@evil.example'

describe('Only a session of the account can confirm an email change', () => {
  test('an email change can’t be confirmed without a session or in another account’s session, and its link stays valid', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    const eve = { name: 'Eve', email: 'eve@example.com', password: 'eve likes apples' }
    const ofEve = new Browser()
    await send(world, ofEve, '/sign-up', eve)
    await sink.next()
    const browser = await signedIn(world)
    const link = await requestEmail(world, sink, browser)
    const form = await browser.get(link)
    const account = await browser.get(`${world.baseUrl}/account`)
    assert.match(account.text, /Open the link sent to <strong>mallory@evil\.example<\/strong>/)

    const signedOut = new Browser()
    const asked = await signedOut.get(link)
    assert.deepEqual([asked.status, titleOf(asked)], [403, 'Sign in to confirm this address · Gatehouse'])
    const again = new URL(link)
    const signInAddress = `/sign-in?return_to=${encodeURIComponent(again.pathname + again.search)}`
    assert.ok(asked.text.includes(`href="${signInAddress}"`), asked.text)
    assert.equal((await ofEve.get(link)).status, 403)

    // The server must reject the form as well: a page opened earlier could still submit it.
    const token = again.searchParams.get('token') as string
    for (const other of [signedOut, ofEve]) {
      const formToken = formTokenOf(await other.get(`${world.baseUrl}${other === ofEve ? '/account' : '/sign-in'}`))
      const fields = new URLSearchParams({ form_token: formToken, token })
      const refused = await other.post(`${world.baseUrl}/verify-email`, fields)
      assert.equal(refused.status, 403)
    }
    assert.equal((await browser.submit(form, {}, '/verify-email')).location?.search, '')
    await signedIn(world, { ...ada, email: attackersEmail })
    const { email, password } = ada
    assert.equal((await send(world, new Browser(), '/sign-in', { email, password })).status, 422)
  })
})

describe('Recovery that verifies an address for the first time removes earlier passkeys, linked accounts, PIN, sessions and grants', () => {
  test('an attacker who signed up with someone else’s address loses all access when the owner resets the password, also that of runtimes, subscriptions, personal tokens and client secrets', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    const client = await aClient(world, 'other')
    const [squatter] = await squat(world, sink)
    const passkey = await addPasskey(world, squatter)
    await send(world, squatter, '/account/pin', { pin: '1234', pin_again: '1234', password: victim.password })
    const tokens = (await redeem(world, client, await codeFor(world, squatter, client))).json
    const pendingCode = await codeFor(world, squatter, client)
    const pendingLink = await requestEmail(world, sink, squatter, victim.password)
    const user = await userOf(world, squatter)
    const chatPlatformId = parseChatPlatformId('123456789012345678')!
    await world.service.accounts.users.put(user, { name: victim.name, chatPlatformId, codeHostingId: 'squatter' })
    const page = await linkPage(world, sink, victim.email)
    // Last, because waiting for an email can advance the clock, and a silent runtime is closed after a while.
    const made = await makeKeysBeforeMail(t, world, squatter, user)

    assert.match(page.text, /never confirmed\. .* runtimes, subscriptions and client secrets will be removed\./)
    const recovered = new Browser()
    const answer = await recovered.submitAt(page.url, { password: newPassword }, '/reset-password')
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    const next = await recovered.onward(answer, world)
    assert.match(next.text, /Passkeys, linked accounts, .* runtimes, subscriptions and client secrets from before were/)
    const [, applicationsLink = ''] = /href="([^"]*)">Your applications</.exec(next.text) ?? []

    assert.equal((await squatter.get(`${world.baseUrl}/account`)).location?.pathname, '/sign-in')
    assert.deepEqual(await (await PasskeyPage.open(world)).signIn(passkey), notKnown)
    assert.deepEqual((await refresh(world, client, tokens.refresh_token)).json.error, 'invalid_grant')
    assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    assert.equal((await redeem(world, client, pendingCode)).json.error, 'invalid_grant')
    assert.equal((await made.runtime.closed).code, 4001)
    const { bots, events } = world.service
    assert.equal(await bots.runtimes.authenticate(made.runtimeKey), undefined)
    assert.deepEqual(await events.subscriptions.listOwned(user), [])
    assert.equal((await call(world, made.token, 'GET', 'bots')).status, 401)
    assert.equal((await refresh(world, made.client, 'svc_rt_unknown')).json.error, 'invalid_client')
    const owner = await signedIn(world, { ...victim, password: newPassword })
    assert.equal((await owner.get(pendingLink)).status, 404)
    assert.equal(titleOf(await owner.visit(applicationsLink, world)), 'Applications · Developer portal')
    const account = await world.service.accounts.users.find(user)
    const nothingLeft = { pendingEmail: null, chatPlatformId: null, codeHostingId: null, hasPin: false }
    assert.deepEqual(account, { ...account, ...nothingLeft, email: victim.email, emailVerified: true })
    const applications = await owner.get(`${world.baseUrl}/account/applications`)
    assert.doesNotMatch(applications.text, /Acme Dashboard/)
    const { text } = await owner.get(`${world.baseUrl}/account/activity`)
    const removed =
      'Passkeys, linked accounts, PIN, sessions and application access were removed. So were runtimes, subscriptions and client secrets.'
    assert.ok(text.includes(removed), text)
  })

  test('an address confirmed by its link, without a password reset, keeps runtimes, subscriptions, personal tokens and client secrets', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const [browser, link] = await squat(world, sink)
    const userId = await userOf(world, browser)
    const made = await makeKeysBeforeMail(t, world, browser, userId)
    assert.equal((await browser.submitAt(link, {}, '/verify-email')).status, 303)
    const { bots, events } = world.service
    assert.notEqual(await bots.runtimes.authenticate(made.runtimeKey), undefined)
    assert.equal((await events.subscriptions.listOwned(userId)).length, 1)
    assert.equal((await call(world, made.token, 'GET', 'bots')).status, 200)
    assert.equal((await refresh(world, made.client, 'svc_rt_unknown')).json.error, 'invalid_grant')
  })

  test('where mail is configured, an account with an unconfirmed address can’t create personal tokens, runtime keys or subscriptions; its pages say so', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const [browser, link] = await squat(world, sink)
    const userId = await userOf(world, browser)
    const { runtimeId, token } = await makeKeysBeforeMail(t, world, browser, userId)
    const confirmFirst = /Confirm your email address first\./
    const forms: [page: string, action: string, fields: Record<string, string>][] = [
      ['/account/tokens', '/account/tokens', { name: 'a', scope: 'bots.read', days: '30', password: victim.password }],
      ['/account/subscriptions/new', '/account/subscriptions', { url: 'https://a.example/', types: 'bot.offline' }],
      ['/bots/trap/runtimes', '/bots/trap/runtimes', { name: 'a', hosts: 'all' }],
      [`/bots/trap/runtimes/${runtimeId}/key`, `/bots/trap/runtimes/${runtimeId}/key`, {}],
    ]
    for (const [path, action, fields] of forms) {
      const page = await browser.get(`${world.baseUrl}${path}`)
      if (!path.endsWith('/key')) assert.match(page.text, confirmFirst, path)
      const refused = await browser.submit(page, fields, action)
      assert.ok([403, 422].includes(refused.status), `${path}: ${refused.status}`)
      assert.match(refused.text, confirmFirst, path)
    }
    for (const path of ['runtimes', `runtimes/${runtimeId}/keys`]) {
      const body = path === 'runtimes' ? { name: 'a', botIds: '*' } : {}
      const refused = await call(world, token, 'POST', path, body)
      assert.equal(refused.status, 403, path)
      assert.match(refused.json.detail, /Confirm your email address/)
    }

    await browser.submitAt(link, {}, '/verify-email')
    for (const [path, action, fields] of forms) {
      const page = await browser.get(`${world.baseUrl}${path}`)
      assert.doesNotMatch(page.text, confirmFirst)
      const answer = await browser.submit(page, fields, action)
      assert.ok([200, 201].includes(answer.status), `${path}: ${answer.status} ${answer.text}`)
    }
  })

  test('a password reset for a confirmed address asks whether to remove existing access', async (t) => {
    for (const removes of [false, true]) {
      const { world, sink, client } = await openAdaWithMail(t)
      const browser = await signedIn(world)
      const passkey = await addPasskey(world, browser)
      const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
      const page = await linkPage(world, sink, ada.email)
      assert.match(page.text, /type="checkbox" name="remove_access"/)
      const fields = { password: newPassword, ...(removes ? { remove_access: 'yes' } : {}) }
      const fresh = new Browser()
      const done = await fresh.submitAt(page.url, fields, '/reset-password')
      const said = /Passkeys, linked accounts/.test((await fresh.onward(done, world)).text)
      assert.deepEqual([done.status, said], [303, removes])
      const [status] = await (await PasskeyPage.open(world)).signIn(passkey)
      assert.equal(status, removes ? 422 : 200)
      assert.equal((await refresh(world, client, tokens.refresh_token)).status, removes ? 400 : 200)
      const user = await world.service.accounts.users.findByVerifiedEmail(ada.email)
      assert.equal(user?.hasPin, !removes)
    }
  })

  test('a recovery link created by the operator offers to remove existing access and does not confirm the address', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const [squatter] = await squat(world, sink)
    const user = await userOf(world, squatter)
    const { clearTextToken } = await world.service.accounts.recovery.makeLink(user, 'reset-password')
    const passkey = await addPasskey(world, squatter)
    const browser = new Browser()
    const page = await browser.get(`${world.baseUrl}/reset-password?token=${clearTextToken}`)
    assert.match(page.text, /name="remove_access"/)
    const done = await browser.submit(page, { password: newPassword, remove_access: 'yes' }, '/reset-password')
    assert.match((await browser.onward(done, world)).text, /Passkeys, linked accounts/)
    assert.deepEqual(await (await PasskeyPage.open(world)).signIn(passkey), notKnown)
    assert.equal((await world.service.accounts.users.find(user))?.emailVerified, false)
  })
})

const victim = { name: 'Vera', email: 'vera@example.com', password: 'not veras password' }

/** Requests a change of email address in this session and returns the link mailed to the new address. */
async function requestEmail(world: World, sink: MailSink, browser: Browser, password = ada.password): Promise<string> {
  const answer = await send(world, browser, '/account/email', { email: attackersEmail, password })
  assert.deepEqual([answer.status, answer.location?.search], [303, ''])
  return sink.nextLink()
}

async function linkPage(world: World, sink: MailSink, email: string) {
  assert.equal((await send(world, new Browser(), '/forgot-password', { email })).status, 303)
  return new Browser().get(await sink.nextLink())
}

/** Signs up with the victim's address. Returns the session and the link that the victim receives. */
async function squat(world: World, sink: MailSink): Promise<[browser: Browser, link: string]> {
  const browser = new Browser()
  assert.equal((await send(world, browser, '/sign-up', victim)).status, 303)
  const link = await sink.nextLink()
  assert.equal(sink.mails.at(-1)?.to, victim.email)
  return [browser, link]
}

async function userOf(world: World, browser: Browser) {
  const cookie = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
  const session = await world.service.accounts.sessions.authenticate(cookie, 'identity', testOrigin)
  assert.ok(session)
  return session.userId
}

async function addPasskey(world: World, browser: Browser): Promise<SoftwareAuthenticator> {
  return (await PasskeyPage.open(world, browser, '/account/passkeys')).register()
}

/**
 * Makes a bot, an application, a runtime, a subscription and a token as if mail had not been configured yet. Meanwhile
 * the address counts as confirmed, so an email to confirm it must have arrived before: the service drops it otherwise.
 */
async function makeKeysBeforeMail(t: TestContext, world: World, browser: Browser, userId: UserId) {
  const origin = { address: '127.0.0.1', userAgent: 'a test' }
  const by = { userId, origin }
  const { applications, bots, events } = world.service
  await inDatabase(world, 'identity', `UPDATE users SET email_verified_at_ms = 1 WHERE id = '${userId}'`)
  const chatPlatformId = parseChatPlatformId('123456789012345678')!
  await bots.records.put(parseBotId('trap') as BotId, { ownerId: userId, name: 'Trap', chatPlatformId })
  const redirectUri = 'https://trap.example/callback'
  const form = { name: 'Trap', websiteUrl: 'https://trap.example/', redirectUris: [redirectUri] }
  const registered = await applications.owned.register(userId, { ...form, environment: 'production' }, origin)
  const { runtime: record, clearTextKey: runtimeKey } = await bots.runtimes.make({ name: 'Trap', botIds: null }, by)
  const { runtime } = await BotRuntime.ready(t, world, runtimeKey)
  await events.subscriptions.create(by, { url: 'https://trap.example/', types: ['bot.offline'] })
  const token = await makeToken(browser, world, { password: victim.password })
  await inDatabase(world, 'identity', `UPDATE users SET email_verified_at_ms = NULL WHERE id = '${userId}'`)
  const { clientId } = registered.application
  const client = { clientId, clientSecret: registered.clearTextSecret, redirectUri }
  return { runtimeId: record.id, runtimeKey, runtime, token, client }
}
