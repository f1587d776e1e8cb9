import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { follow, newPassword, openWorldWithMail, requestResetLink } from '../support/mail-links.ts'
import { fieldErrorOf, noticeOf } from '../support/page-words.ts'
import { ada, adaWithClient, Browser, signedIn } from '../support/people.ts'

const minutes = 60_000
const hours = 60 * minutes

describe('Password reset by email', () => {
  test('a password reset link sets a new password once, ends all sessions and leaves the PIN locked', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
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
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    const [one, other] = [new Browser(), new Browser()]
    const unknown = await requestResetLink(world, 'nobody@example.com', one)
    const known = await requestResetLink(world, ada.email, other)
    assert.deepEqual([unknown.status, unknown.location], [known.status, known.location])
    assert.equal((await one.onward(unknown, world)).text, (await other.onward(known, world)).text)
    await sink.next()
    assert.deepEqual(
      sink.mails.map(({ to }) => to),
      [ada.email],
    )
  })

  test('a password reset link works for 1 hour', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    await requestResetLink(world, ada.email)
    const link = await sink.nextLink()
    const browser = new Browser()
    const page = await browser.get(link)
    await world.clock.advance(1 * hours)
    const late = await browser.submit(page, { password: newPassword }, '/reset-password')
    assert.equal(late.status, 404)
    assert.match(late.text, /Request new link/)
    await signedIn(world)
  })

  test('our choice: password reset links are limited to three an hour per email and twenty an hour per client address, whether or not an account exists', async (t) => {
    const { world } = await openWorldWithMail(t)
    await adaWithClient(world)
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
