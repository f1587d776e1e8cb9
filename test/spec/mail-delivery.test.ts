import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { advanceUntil, eventually } from '../support/eventually.ts'
import { follow, newPassword, openWorldWithMail, requestResetLink, send } from '../support/mail-links.ts'
import { ada, adaWithClient, Browser, signedIn } from '../support/people.ts'
import { containsText, storedBytes } from '../support/world-database.ts'

const hours = 3_600_000

describe('Mail is sent in the background, and accepted mail is not lost', () => {
  test('mail that the server defers is retried later, even after a restart', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
    sink.answer = { code: 451, words: 'try again later' }
    assert.equal((await requestResetLink(world, ada.email)).status, 303)
    await eventually(() => /failed, retrying/.test(world.logs()) || undefined)
    assert.equal(sink.mails.length, 0)
    sink.answer = undefined
    await world.restart()
    assert.equal(sink.mails.length, 0, 'the retry is not due yet')
    await advanceUntil(world.clock, () => sink.mails.length > 0, 5_000)
    await follow(await sink.nextLink(), { password: newPassword })
    await signedIn(world, { ...ada, password: newPassword })
  })

  test('mail that the server rejects permanently is dropped, and the next mail is sent', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
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
    const failures = () => world.logs().match(/failed, retrying/g)?.length
    assert.equal(failures(), 3, 'other mail to the domain is held back without an attempt')

    sink.answer = undefined
    await world.clock.advance(30_000)
    assert.equal(sink.mails.length, 1)
    await advanceUntil(world.clock, () => sink.mails.length === 9, 5_000)
    assert.deepEqual(
      sink.mails
        .map(({ to }) => to)
        .slice(1)
        .sort(),
      slow,
    )
  })

  test('the log contains neither links nor addresses of mail, and the database contains no link in plain text', async (t) => {
    const { world, sink } = await openWorldWithMail(t)
    await adaWithClient(world)
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
