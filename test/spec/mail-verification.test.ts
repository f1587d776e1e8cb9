import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { follow, type MailSink, openWorldWithMail, requestResetLink, send } from '../support/mail-sink.ts'
import {
  ada,
  adaWithClient,
  Browser,
  codeFor,
  noticeOf,
  redeem,
  signedIn,
  titleOf,
  userinfo,
} from '../support/people.ts'
import { signedUp } from '../support/sign-in-forms.ts'
import { inDatabase } from '../support/world-database.ts'

const minutes = 60_000

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
    assert.doesNotMatch(
      mail.text,
      /Ada/,
      'the name is chosen by the person signing up, who may enter another person’s email',
    )
    const links = mail.text.match(/http:\/\/localhost:\d+\/verify-email\?token=svc_mt_\w+/g) ?? []
    assert.deepEqual(
      [links.length, new Set(links).size],
      [3, 1],
      'once in the text, and as link and as visible URL in HTML',
    )
    const link = links[0] as string

    assert.match((await browser.get(`${world.baseUrl}/account`)).text, /Not confirmed/)
    const looked = await new Browser().get(link)
    assert.deepEqual([looked.status, titleOf(looked)], [200, 'Confirm your email address · Gatehouse'])
    assert.match(
      (await browser.get(`${world.baseUrl}/account`)).text,
      /Not confirmed/,
      'opening the link changes nothing',
    )
    assert.equal((await follow(link)).location?.search, '')
    assert.doesNotMatch((await browser.get(`${world.baseUrl}/account`)).text, /Not confirmed/)
    assert.equal((await new Browser().get(link)).status, 404)
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
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await inDatabase(
      world,
      'identity',
      `INSERT INTO outgoing_mail (kind, user_id, address, due_at_ms, created_at_ms)
         VALUES ('email-changed', 'ada', 'old@example.com', 1, ${world.clock.nowMs()})`,
    )
    await world.clock.advance(1 * minutes)
    assert.match((await sink.next()).text, /^Subject: Your email address at localhost:\d+ was changed$/m)
  })

  test('our choice: a user can sign in with an unverified email; userinfo returns the email only once it is verified', async (t) => {
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
