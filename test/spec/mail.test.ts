import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type MailSink, openMailSink } from '../support/mail-sink.ts'
import { fieldErrorOf, noticeOf, titleOf } from '../support/page-words.ts'
import { ada, adaWithClient, Browser, codeFor, provision, redeem, signedIn, userinfo } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'
import { holds, inDatabase, storedBytes } from '../support/world-database.ts'

const minutes = 60_000
const hours = 60 * minutes
const newPassword = 'another fine horse'

async function openWorldWithMail(t: TestContext): Promise<{ world: World; sink: MailSink }> {
  const sink = await openMailSink(t)
  const world = await openWorld(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
  return { world, sink }
}

async function send(world: World, browser: Browser, path: string, fields: Record<string, string>) {
  return browser.submit(await browser.get(`${world.baseUrl}${path}`), fields, path)
}

/** Opens a link and sends the form on its page. */
async function follow(link: string, fields: Record<string, string> = {}, browser = new Browser()) {
  return browser.submit(await browser.get(link), fields, new URL(link).pathname)
}

async function signUp(world: World): Promise<Browser> {
  const browser = new Browser()
  const answer = await send(world, browser, '/sign-up', { name: ada.name, email: ada.email, password: ada.password })
  assert.equal(answer.status, 303, answer.text)
  return browser
}

/** The next mail, which is German in both of its forms. */
async function germanMail(sink: MailSink) {
  const mail = await sink.next()
  assert.match(mail.text, /<html lang="de">/)
  assert.equal([...mail.text.matchAll(/Guten Tag,/g)].length, 2)
  assert.doesNotMatch(mail.text, /Hello|\bif\b|\byour?\b/i)
  return { ...mail, link: /^http\S+$/m.exec(mail.text)?.[0] }
}

function askForLink(world: World, email: string, browser = new Browser()) {
  return send(world, browser, '/forgot-password', { email })
}

describe('Mail is verified where SMTP is configured', () => {
  test('sign-up mails a link, in plain text and HTML, that verifies the address once', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const browser = await signUp(world)
    const mail = await sink.next()
    assert.equal(mail.to, ada.email)
    assert.match(mail.text, /^From: Gatehouse <gate@example\.com>$/m)
    assert.match(mail.text, /^Subject: Confirm your e-mail address for localhost:\d+$/m)
    assert.match(mail.text, /^Auto-Submitted: auto-generated$/m)
    assert.match(mail.text, /Content-Type: text\/plain[\s\S]*Content-Type: text\/html/)
    assert.doesNotMatch(mail.text, /Ada/, 'whoever signed up chose the name, and may have given anybody’s address')
    const links = mail.text.match(/http:\/\/localhost:\d+\/verify-email\?token=svc_mt_\w+/g) ?? []
    assert.deepEqual([links.length, new Set(links).size], [3, 1], 'once as text, and as link and address in HTML')
    const link = links[0] as string

    assert.match((await browser.get(`${world.baseUrl}/account`)).text, /Not confirmed/)
    const looked = await new Browser().get(link)
    assert.deepEqual([looked.status, titleOf(looked)], [200, 'Confirm your e-mail address · Gatehouse'])
    assert.match((await browser.get(`${world.baseUrl}/account`)).text, /Not confirmed/, 'looking changes nothing')
    assert.equal((await follow(link)).location?.search, '')
    assert.doesNotMatch((await browser.get(`${world.baseUrl}/account`)).text, /Not confirmed/)
    assert.equal((await new Browser().get(link)).status, 404)
  })

  test('our choice: a mail is in the language of the request that caused it', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const host = new URL(world.baseUrl).host
    const browser = new Browser({}, { 'accept-language': 'de-AT,en;q=0.5' })
    const up = { name: ada.name, email: ada.email, password: ada.password }
    assert.equal((await send(world, browser, '/sign-up', up)).status, 303)
    const verify = await germanMail(sink)
    assert.equal(verify.subject, `Bestätigen Sie Ihre E-Mail-Adresse für ${host}`)
    assert.match(verify.text, /Der Link gilt 24 Stunden und nur einmal/)
    await follow(verify.link!, {}, browser)

    await send(world, browser, '/account/email', { email: 'ada@new.example', password: ada.password })
    const change = await germanMail(sink)
    await follow(change.link!, {}, browser)
    const changed = await germanMail(sink)
    assert.deepEqual([changed.to, changed.subject], [ada.email, `Ihre E-Mail-Adresse bei ${host} wurde geändert`])
    assert.equal(changed.link, undefined)

    await askForLink(world, 'ada@new.example', browser)
    const reset = await germanMail(sink)
    assert.equal(reset.subject, `Neues Passwort für ${host}`)

    // The choice at the foot of the pages counts before what the browser asks for.
    await browser.get(`${world.baseUrl}/appearance/language/en`)
    // Takes the message about the first link; the next look at the address shows the form again.
    await browser.get(`${world.baseUrl}/forgot-password`)
    await askForLink(world, 'ada@new.example', browser)
    assert.match((await sink.next()).text, /^Subject: Set a new password for localhost:\d+$/m)
  })

  test('mail that an earlier release queued is English', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await inDatabase(
      world,
      'identity',
      `INSERT INTO outgoing_mail (kind, user_id, address, due_at_ms, created_at_ms)
         VALUES ('email-changed', 'ada', 'old@example.com', 1, ${world.clock.nowMs()})`,
    )
    await world.clock.advance(1 * minutes)
    assert.match((await sink.next()).text, /^Subject: Your e-mail address at localhost:\d+ was changed$/m)
  })

  test('our choice: an unverified address signs in, but userinfo gives it only once it is verified', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const client = await adaWithClient(world)
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'bob likes bridges' }
    const up = new Browser()
    await send(world, up, '/sign-up', bob)
    const browser = await signedIn(world, bob)
    await send(world, browser, '/account/pin', { pin: ada.pin, pin_again: ada.pin, password: bob.password })
    const scope = { scope: 'user.email' }
    const { access_token } = (await redeem(world, client, await codeFor(world, browser, client, scope))).json
    const { sub, ...before } = (await userinfo(world, access_token)).json
    assert.deepEqual(before, { serviceId: sub })
    await follow(await sink.nextLink())
    assert.deepEqual((await userinfo(world, access_token)).json, { sub, serviceId: sub, email: bob.email })
  })

  test('our choice: an address that the operator provisioned counts as verified', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const client = await adaWithClient(world)
    const code = await codeFor(world, await signedIn(world), client, { scope: 'user.email' })
    const { access_token } = (await redeem(world, client, code)).json
    assert.equal((await userinfo(world, access_token)).json.email, ada.email)
    assert.equal(sink.mails.length, 0)
  })

  test('our choice: a changed address takes the place of the old one once its link is followed', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const form = { email: 'ada@new.example', password: ada.password }
    assert.equal((await send(world, browser, '/account/email', form)).location?.search, '')
    const mail = await sink.next()
    assert.equal(mail.to, 'ada@new.example')
    assert.match(
      (await browser.get(`${world.baseUrl}/account`)).text,
      /ada@new\.example<\/strong> becomes your address/,
    )
    await signedIn(world)

    const link = /^http\S+$/m.exec(mail.text)?.[0] as string
    assert.equal((await follow(link, {}, browser)).location?.search, '')
    await signedIn(world, { ...ada, email: 'ada@new.example' })
    assert.equal(
      (await send(world, new Browser(), '/sign-in', { email: ada.email, password: ada.password })).status,
      422,
    )
    const notice = await sink.next()
    assert.equal(notice.to, ada.email, 'the old address is told')
    assert.match(notice.text, /^Subject: Your e-mail address at localhost:\d+ was changed$/m)
  })

  test('our choice: a change that waits can be given up, and its link then does nothing', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    await send(world, browser, '/account/email', { email: 'ada@new.example', password: ada.password })
    const link = await sink.nextLink()
    await browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/account/email/keep')
    assert.equal((await new Browser().get(link)).status, 404)
    await signedIn(world)
  })

  test('our choice: a new link replaces the one before; three an hour are sent to one address', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const browser = await signUp(world)
    const first = await sink.nextLink()
    const again = async () => browser.submit(await browser.get(`${world.baseUrl}/account`), {}, '/account/email/link')
    assert.equal((await again()).status, 303)
    const second = await sink.nextLink()
    assert.equal((await new Browser().get(first)).status, 404)
    assert.equal((await new Browser().get(second)).status, 200)
    for (let more = 0; more < 2; more += 1) assert.equal((await again()).status, 303)
    const refused = await again()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
    assert.match(noticeOf(refused), /ask again in 60 minutes\.$/)
  })

  test('our choice: twenty sign-ups an hour from one client address are mailed to', async (t) => {
    const { world } = await openWorldWithMail(t)
    const form = (number: number) => ({ name: 'Ada', email: `ada-${number}@example.com`, password: ada.password })
    for (let made = 0; made < 20; made += 1) {
      assert.equal((await send(world, new Browser(), '/sign-up', form(made))).status, 303)
    }
    assert.equal((await send(world, new Browser(), '/sign-up', form(20))).status, 429)
    await world.clock.advance(1 * hours)
    assert.equal((await send(world, new Browser(), '/sign-up', form(20))).status, 303)
  })

  test('a link for an address works for 24 hours', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await signUp(world)
    const link = await sink.nextLink()
    await world.clock.advance(24 * hours - 1)
    assert.equal((await new Browser().get(link)).status, 200)
    await world.clock.advance(1)
    assert.equal((await new Browser().get(link)).status, 404)
    assert.match((await new Browser().get(link)).text, /This link does not work any more/)
  })
})

describe('Password reset by mail', () => {
  test('a link sets a new password once, ends all sessions and leaves the PIN locked', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const answer = await askForLink(world, ' ADA@example.com ')
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    const link = await sink.nextLink()
    const short = await follow(link, { password: 'short' })
    assert.equal(short.status, 422)
    assert.match(fieldErrorOf(short, 'password'), /at least 8 characters/)
    assert.equal((await follow(link, { password: newPassword })).location?.search, '')
    assert.equal((await browser.get(`${world.baseUrl}/account`)).location?.pathname, '/sign-in')
    const again = await signedIn(world, { ...ada, password: newPassword })
    assert.equal((await again.get(`${world.baseUrl}/unlock`)).status, 200, 'the PIN is still to be given')
    assert.equal((await new Browser().get(link)).status, 404)
  })

  test('the answer is the same whether the address has an account or not, and no mail leaves for one that has none', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    const [one, other] = [new Browser(), new Browser()]
    const unknown = await askForLink(world, 'nobody@example.com', one)
    const known = await askForLink(world, ada.email, other)
    assert.deepEqual([unknown.status, unknown.location], [known.status, known.location])
    assert.equal((await one.onward(unknown, world)).text, (await other.onward(known, world)).text)
    await sink.next()
    assert.deepEqual(
      sink.mails.map(({ to }) => to),
      [ada.email],
    )
  })

  test('a link for a password works for 1 hour', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await askForLink(world, ada.email)
    const link = await sink.nextLink()
    const browser = new Browser()
    const page = await browser.get(link)
    await world.clock.advance(1 * hours)
    const late = await browser.submit(page, { password: newPassword }, '/reset-password')
    assert.equal(late.status, 404)
    assert.match(late.text, /Get a new link/)
    await signedIn(world)
  })

  test('our choice: a password that was changed otherwise makes the link useless', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await askForLink(world, ada.email)
    const link = await sink.nextLink()
    const browser = await signedIn(world)
    await send(world, browser, '/account/password', { current_password: ada.password, password: newPassword })
    assert.equal((await new Browser().get(link)).status, 404)
  })

  test('our choice: three links an hour per account and twenty per client address, whether or not there is an account', async (t) => {
    const { world } = await openWorldWithMail(t)
    await adaWithClient(world)
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let links = 0; links < 3; links += 1) assert.equal((await askForLink(world, email)).status, 303)
      const refused = await askForLink(world, email)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
      assert.match(noticeOf(refused), /^This was asked for too often\. .* ask again in 60 minutes\.$/)
    }
    for (let others = 0; others < 14; others += 1) {
      assert.equal((await askForLink(world, `someone-${others}@example.com`)).status, 303)
    }
    assert.equal((await askForLink(world, 'one-too-many@example.com')).status, 429)
    await world.clock.advance(1 * hours)
    assert.equal((await askForLink(world, ada.email)).status, 303)
  })
})

describe('Mail goes out off the path of the request, and nothing accepted is lost', () => {
  test('a server that is away gets the mail later, also after a restart', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    sink.answer = { code: 451, words: 'try again later' }
    assert.equal((await askForLink(world, ada.email)).status, 303)
    await eventually(() => /failed, retrying/.test(world.logs()) || undefined)
    assert.equal(sink.mails.length, 0)
    sink.answer = undefined
    await world.restart()
    assert.equal(sink.mails.length, 0, 'it is not due yet')
    await world.clock.advance(1 * minutes)
    await follow(await sink.nextLink(), { password: newPassword })
    await signedIn(world, { ...ada, password: newPassword })
  })

  test('a mail that is refused for good is given up, and the next one goes out', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    sink.answer = { code: 550, words: 'no such mailbox' }
    await askForLink(world, ada.email)
    await eventually(() => /was refused and is given up/.test(world.logs()) || undefined)
    sink.answer = undefined
    await askForLink(world, ada.email)
    await sink.next()
    await world.clock.advance(24 * hours)
    assert.equal(sink.mails.length, 1)
  })

  test('our choice: a domain that defers its mail delays nobody else’s, and gets its own once it takes it', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    sink.answer = { code: 450, words: 'not now' }
    sink.answeredDomain = 'slow.example'
    const slow = Array.from({ length: 8 }, (_, at) => `person-${at}@slow.example`)
    for (const email of [...slow, ada.email]) {
      const person = { name: ada.name, email, password: ada.password }
      assert.equal((await send(world, new Browser(), '/sign-up', person)).status, 303)
    }
    assert.equal((await sink.next()).to, ada.email)
    const failures = () => world.logs().match(/failed, retrying/g)?.length
    assert.equal(failures(), 3, 'the others of the domain are held back without a try')

    sink.answer = undefined
    await world.clock.advance(30_000)
    assert.equal(sink.mails.length, 1)
    await world.clock.advance(35_000)
    const got = await eventually(() => (sink.mails.length === 9 ? sink.mails.map(({ to }) => to) : undefined))
    assert.deepEqual(got.slice(1).sort(), slow)
  })

  test('logs hold neither the link nor the address, and the store no link in clear', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await askForLink(world, ada.email)
    const link = await sink.nextLink()
    const token = new URL(link).searchParams.get('token') as string
    assert.match(token, /^svc_mt_[A-Za-z0-9]{43,}$/)
    await follow(link, { password: 'short' })
    await follow(link, { password: newPassword })
    for (const [place, bytes] of Object.entries(await storedBytes(world))) {
      assert.equal(holds(bytes, token.slice(10)), false, place)
    }
    for (const secret of [token, token.slice(10), newPassword, ada.email, '[hidden]']) {
      assert.equal(world.logs().includes(secret), false, secret)
    }
  })
})

describe('POST /v1/users/{userId}/recovery', () => {
  test('returns a one-time link with which the user sets a new password', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const made = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, {})
    assert.deepEqual([made.status, Object.keys(made.json)], [201, ['url', 'expiresAt']])
    assert.equal(made.json.expiresAt, '2026-01-06T12:00:00.000Z')
    assert.equal(made.headers.get('cache-control'), 'no-store')
    assert.ok(made.json.url.startsWith(`${world.baseUrl}/reset-password?token=svc_mt_`))
    const newer = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`)
    assert.equal((await new Browser().get(made.json.url)).status, 404, 'the newer one replaces it')
    const browser = await signedIn(world)
    assert.equal((await follow(newer.json.url, { password: newPassword })).location?.search, '')
    assert.equal((await new Browser().get(newer.json.url)).status, 404)
    assert.equal((await browser.get(`${world.baseUrl}/account`)).status, 302)
    await signedIn(world, { ...ada, password: newPassword })
  })

  test('with {"pin": true} returns one with which the user sets a new PIN, which unlocks nothing by itself', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const browser = await signedIn(world)
    const unlock = (pin: string) => send(world, browser, '/unlock', { pin })
    for (let guesses = 0; guesses < 5; guesses += 1) await unlock('0000')
    assert.equal((await unlock(ada.pin)).status, 429)

    const { json } = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { pin: true })
    assert.ok(json.url.startsWith(`${world.baseUrl}/recover-pin?token=svc_mt_`))
    const differ = await follow(json.url, { pin: '12345', pin_again: '54321' })
    assert.deepEqual(
      [differ.status, fieldErrorOf(differ, 'pin_again')],
      [422, 'The two PINs differ. Enter the same one twice.'],
    )
    assert.equal((await follow(json.url, { pin: '12', pin_again: '12' })).status, 422)
    assert.equal((await follow(json.url, { pin: '12345', pin_again: '12345' })).location?.search, '')
    assert.equal((await browser.get(`${world.baseUrl}/unlock`)).status, 200, 'still locked')
    assert.equal((await unlock('12345')).status, 303, 'and the lock of 15 minutes is lifted')
    assert.equal((await new Browser().get(json.url)).status, 404)
  })

  test('a link of one kind is not good for another, and an unknown one for nothing', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const { json } = await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { pin: true })
    const token = new URL(json.url).searchParams.get('token')
    for (const address of [
      `/reset-password?token=${token}`,
      `/verify-email?token=${token}`,
      '/recover-pin?token=svc_mt_x',
    ]) {
      assert.equal((await new Browser().get(`${world.baseUrl}${address}`)).status, 404, address)
    }
  })

  test('an unknown user is 404, an unknown member 400, and without the operator key 401', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    assert.equal((await provision(world, 'POST', '/v1/users/nobody/recovery', {})).status, 404)
    assert.equal((await provision(world, 'POST', `/v1/users/${ada.id}/recovery`, { sms: true })).status, 400)
    const answer = await fetch(`${world.controlUrl}/v1/users/${ada.id}/recovery`, { method: 'POST' })
    assert.equal(answer.status, 401)
  })

  test('without a mail server the page of a forgotten password sends people to the operator', async (t) => {
    const world = await openWorld(t)
    const page = await new Browser().get(`${world.baseUrl}/forgot-password`)
    assert.equal(page.status, 200)
    assert.match(page.text, /This service sends no mail\. Ask whoever runs it for a link/)
    assert.doesNotMatch(page.text, /<input/)
  })
})
