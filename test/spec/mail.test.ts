import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { advanceUntil, eventually } from '../support/eventually.ts'
import {
  follow,
  type MailSink,
  newPassword,
  openAdaWithMail,
  openWorldWithMail,
  requestResetLink,
  send,
} from '../support/mail-sink.ts'
import {
  ada,
  Browser,
  codeFor,
  fieldErrorOf,
  noticeOf,
  redeem,
  signedIn,
  titleOf,
  userinfo,
} from '../support/people.ts'
import { signedUp } from '../support/sign-in-forms.ts'
import { pluck } from '../support/together.ts'
import { containsText, inDatabase, storedBytes } from '../support/world-database.ts'

const hours = 3_600_000

describe('Mail is sent in the background, and accepted mail is not lost', () => {
  test('mail that the server defers is retried later, even after a restart', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    sink.answer = { code: 451, words: 'try again later' }
    assert.equal((await requestResetLink(world, ada.email)).status, 303)
    await eventually(() => /mail \d+ \(.+\) failed, retrying/.test(world.logs()) || undefined)
    assert.equal(sink.mails.length, 0)
    sink.answer = undefined
    await world.restart()
    assert.equal(sink.mails.length, 0, 'the retry is not due yet')
    await advanceUntil(world.clock, () => sink.mails.length > 0, 5_000)
    await follow(await sink.nextLink(), { password: newPassword })
    await signedIn(world, { ...ada, password: newPassword })
  })

  test('mail that the server rejects permanently is dropped, and the next mail is sent', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    sink.answer = { code: 550, words: 'no such mailbox' }
    await requestResetLink(world, ada.email)
    await eventually(() => /refused by the mail server, giving up/.test(world.logs()) || undefined)
    sink.answer = undefined
    await requestResetLink(world, ada.email)
    await sink.next()
    await world.clock.advance(24 * hours)
    assert.equal(sink.mails.length, 1)
  })

  test('our choice: a domain that defers its mail does not delay mail to other domains; its own mail is delivered later', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    sink.answer = { code: 450, words: 'not now' }
    sink.answeredDomain = 'slow.example'
    const slow = Array.from({ length: 8 }, (_, at) => `person-${at}@slow.example`)
    for (const email of [...slow, ada.email]) {
      const person = { name: ada.name, email, password: ada.password }
      assert.equal((await send(world, new Browser(), '/sign-up', person)).status, 303)
    }
    assert.equal((await sink.next()).to, ada.email)
    const failures = () => world.logs().match(/mail \d+ \(.+?\) failed, retrying/g)?.length
    assert.equal(failures(), 3, 'other mail to the domain is held back without an attempt')

    sink.answer = undefined
    await world.clock.advance(30_000)
    assert.equal(sink.mails.length, 1)
    await advanceUntil(world.clock, () => sink.mails.length === 9, 5_000)
    assert.deepEqual(pluck(sink.mails.slice(1), 'to').sort(), slow)
  })

  test('the log contains neither links nor addresses of mail, and the database contains no link in plain text', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    await requestResetLink(world, ada.email)
    const link = await sink.nextLink()
    const token = new URL(link).searchParams.get('token') as string
    assert.match(token, /^svc_mt_[A-Za-z0-9]{43,}$/)
    await follow(link, { password: 'short' })
    await follow(link, { password: newPassword })
    for (const [place, bytes] of Object.entries(await storedBytes(world))) {
      assert.equal(containsText(bytes, token.slice(10)), false, place)
    }
    for (const secret of [token, token.slice(10), newPassword, ada.email, '[hidden]']) {
      assert.equal(world.logs().includes(secret), false, secret)
    }
  })
})

describe('Password reset by email', () => {
  test('a password reset link sets a new password once, ends all sessions and leaves the PIN locked', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    const browser = await signedIn(world)
    const answer = await requestResetLink(world, ' ADA@example.com ')
    assert.deepEqual([answer.status, answer.location?.search], [303, ''])
    const link = await sink.nextLink()
    const short = await follow(link, { password: 'short' })
    assert.equal(short.status, 422)
    assert.match(fieldErrorOf(short, 'password'), /at least 8 characters/)
    assert.equal((await follow(link, { password: newPassword })).location?.search, '')
    assert.equal((await browser.get(`${world.baseUrl}/account`)).location?.pathname, '/sign-in')
    const again = await signedIn(world, { ...ada, password: newPassword })
    assert.equal((await again.get(`${world.baseUrl}/unlock`)).status, 200, 'the PIN is still locked')
    assert.equal((await new Browser().get(link)).status, 404)
  })

  test('the response to a password reset request does not reveal whether the address has an account; an email is sent only if it has one', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    const [one, other] = [new Browser(), new Browser()]
    const unknown = await requestResetLink(world, 'nobody@example.com', one)
    const known = await requestResetLink(world, ada.email, other)
    assert.deepEqual([unknown.status, unknown.location], [known.status, known.location])
    assert.equal((await one.onward(unknown, world)).text, (await other.onward(known, world)).text)
    await sink.next()
    assert.deepEqual(pluck(sink.mails, 'to'), [ada.email])
  })

  for (const [purpose, lastsHours] of [
    ['an email verification', 24],
    ['a password reset', 1],
  ] as const) {
    test(`${purpose} link works for ${lastsHours} h`, async (t) => {
      const { world, sink } = await openWorldWithMail(t)
      await signedUp(world, ada)
      if (purpose === 'a password reset') {
        await sink.next()
        await requestResetLink(world, ada.email)
      }
      const link = await sink.nextLink()
      const browser = new Browser()
      await world.clock.advance(lastsHours * hours - 1)
      const page = await browser.get(link)
      assert.equal(page.status, 200)
      await world.clock.advance(1)
      const late = await browser.submit(page, { password: newPassword })
      assert.deepEqual([late.status, titleOf(late)], [404, 'This link no longer works · Gatehouse'])
    })
  }

  test('our choice: password reset links are limited to three an hour per email and twenty an hour per client address, whether or not an account exists', async (t) => {
    const { world } = await openAdaWithMail(t)
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let links = 0; links < 3; links += 1) assert.equal((await requestResetLink(world, email)).status, 303)
      const refused = await requestResetLink(world, email)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
      assert.match(noticeOf(refused), /^Too many requests\. .* try again in 60 minutes\.$/)
    }
    for (let others = 0; others < 14; others += 1) {
      assert.equal((await requestResetLink(world, `someone-${others}@example.com`)).status, 303)
    }
    assert.equal((await requestResetLink(world, 'one-too-many@example.com')).status, 429)
    await world.clock.advance(1 * hours)
    assert.equal((await requestResetLink(world, ada.email)).status, 303)
  })
})

/** Waits for the next email and asserts that its plain text and its HTML are in German. */
async function germanMail(sink: MailSink) {
  const mail = await sink.next()
  assert.match(mail.text, /<html lang="de">/)
  assert.equal([...mail.text.matchAll(/Guten Tag,/g)].length, 2)
  assert.doesNotMatch(mail.text, /Hello|\bif\b|\byour?\b/i)
  return { ...mail, link: /^http\S+$/m.exec(mail.text)?.[0] }
}

describe('Email addresses are verified if SMTP is configured', () => {
  test('sign-up sends a single-use verification link, as plain text and HTML; the email does not contain the user’s name', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const browser = await signedUp(world, ada)
    const mail = await sink.next()
    assert.equal(mail.to, ada.email)
    assert.match(mail.text, /^From: Gatehouse <gate@example\.com>$/m)
    assert.match(mail.text, /^Subject: Confirm your email address for localhost:\d+$/m)
    assert.match(mail.text, /^Auto-Submitted: auto-generated$/m)
    assert.match(mail.text, /Content-Type: text\/plain[\s\S]*Content-Type: text\/html/)
    // The name is chosen by the person signing up, who may enter another person’s email.
    assert.doesNotMatch(mail.text, /Ada/)
    const links = mail.text.match(/http:\/\/localhost:\d+\/verify-email\?token=svc_mt_\w+/g) ?? []
    // Once in the text, and as link and as visible URL in HTML.
    assert.deepEqual([links.length, new Set(links).size], [3, 1])
    const link = links[0] as string

    const account = async () => (await browser.get(`${world.baseUrl}/account`)).text
    assert.match(await account(), /Not confirmed/)
    const looked = await new Browser().get(link)
    assert.deepEqual([looked.status, titleOf(looked)], [200, 'Confirm your email address · Gatehouse'])
    assert.match(await account(), /Not confirmed/, 'opening the link changes nothing')
    assert.equal((await follow(link)).location?.search, '')
    assert.doesNotMatch(await account(), /Not confirmed/)
    assert.equal((await new Browser().get(link)).status, 404)
    const otherCase = { email: ada.email.toUpperCase(), password: ada.password }
    assert.equal((await send(world, browser, '/account/email', otherCase)).location?.search, '')
    assert.match(await account(), new RegExp(`Email address changed.*${otherCase.email}`, 's'))
    assert.doesNotMatch(await account(), /Not confirmed/)
  })

  test('our choice: an email is in the language of the request that caused it', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const host = new URL(world.baseUrl).host
    const browser = new Browser({}, { 'accept-language': 'de-AT,en;q=0.5' })
    const up = { name: ada.name, email: ada.email, password: ada.password }
    assert.equal((await send(world, browser, '/sign-up', up)).status, 303)
    const verify = await germanMail(sink)
    assert.equal(verify.subject, `Bestätigen Sie Ihre E-Mail-Adresse für ${host}`)
    assert.match(verify.text, /Der Link ist 24 Stunden gültig und funktioniert nur einmal/)
    await follow(verify.link!, {}, browser)

    await send(world, browser, '/account/email', { email: 'ada@new.example', password: ada.password })
    const change = await germanMail(sink)
    assert.equal(change.to, 'ada@new.example')
    await follow(change.link!, {}, browser)
    const changed = await germanMail(sink)
    assert.deepEqual([changed.to, changed.subject], [ada.email, `Ihre E-Mail-Adresse bei ${host} wurde geändert`])
    assert.equal(changed.link, undefined)

    await requestResetLink(world, 'ada@new.example', browser)
    const reset = await germanMail(sink)
    assert.equal(reset.subject, `Neues Passwort für ${host}`)

    // The language chosen on the page overrides Accept-Language.
    await browser.get(`${world.baseUrl}/appearance/language/en`)
    // Opens the page once so that the message about the first link is gone. The next request then shows the form again.
    await browser.get(`${world.baseUrl}/forgot-password`)
    await requestResetLink(world, 'ada@new.example', browser)
    assert.match((await sink.next()).text, /^Subject: Set a new password for localhost:\d+$/m)
  })

  test('email queued by an earlier release is in English', async (t) => {
    const { world, sink } = await openAdaWithMail(t)
    const insert = `INSERT INTO outgoing_mail (kind, user_id, address, due_at_ms, created_at_ms)
      VALUES ('email-changed', 'ada', 'old@example.com', 1, ${world.clock.nowMs()})`
    await inDatabase(world, 'identity', insert)
    await world.clock.advance(60_000)
    assert.match((await sink.next()).text, /^Subject: Your email address at localhost:\d+ was changed$/m)
  })

  test('our choice: a user can sign in with an unverified email; userinfo returns the email only once it is verified', async (t) => {
    const { world, sink, client } = await openAdaWithMail(t)
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

  test('our choice: a new verification link replaces the previous link; an address is sent at most three links an hour', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    const browser = await signedUp(world, ada)
    const first = await sink.nextLink()
    const again = async () => browser.submitAt(`${world.baseUrl}/account`, {}, '/account/email/link')
    assert.equal((await again()).status, 303)
    const second = await sink.nextLink()
    assert.equal((await new Browser().get(first)).status, 404)
    assert.equal((await new Browser().get(second)).status, 200)
    for (let more = 0; more < 2; more += 1) assert.equal((await again()).status, 303)
    const refused = await again()
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '3600'])
    assert.match(noticeOf(refused), /try again in 60 minutes\.$/)
  })
})
