import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMailSink } from '../support/mail-sink.ts'
import { Browser, openBot, titleOf } from '../support/people.ts'
import { acme, atPortal, registered } from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'

describe('our choice: a page shows a result message once, from a signed cookie and never from its URL (decision 0082)', () => {
  test('a result message is shown once, only on its own page and never because of a query parameter; scripts can’t read its cookie', async (t) => {
    const { world, as, at } = await openBot(t)
    const ada = await as('ada')
    const off = await ada.submitAt(at('/bots/bot-1'), { hosting: 'off' }, '/hosting')
    assert.deepEqual([off.status, off.location?.href], [303, at('/bots/bot-1')])
    const [cookie = ''] = off.headers.getSetCookie().filter((line) => line.startsWith('gatehouse-flash-'))
    assert.match(cookie, /; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/)
    const said = /Hosting is off\. New webhooks/
    for (const path of ['/account?done=name', '/account/security?done=password', '/bots?done=left']) {
      assert.doesNotMatch((await ada.get(at(path))).text, /role="status"/, 'another tab does not consume the message')
    }
    assert.match((await ada.onward(off, world)).text, said)
    assert.doesNotMatch((await ada.get(at('/bots/bot-1?done=hosting-off'))).text, said)
  })

  test('each of two tabs shows its own message; a forged message, or one for another page, is not shown', async (t) => {
    const { world, as, at } = await openBot(t)
    const ada = await as('ada')
    const off = await ada.submitAt(at('/bots/bot-1'), { hosting: 'off' }, '/hosting')
    const renamed = await ada.submitAt(at('/account/name'), { name: 'Ada L.' })
    assert.match((await ada.onward(renamed, world)).text, /role="status"/)
    assert.match((await ada.onward(off, world)).text, /Hosting is off\./)

    const again = await ada.submitAt(at('/bots/bot-1'), { hosting: 'on' }, '/hosting')
    const cookieOf = ({ headers }: typeof again) => headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? []
    const [name = '', value = ''] = cookieOf(again)
    const rest = Object.entries(ada.cookies()).filter(([other]) => other !== name)
    const session = rest.map(([other, text]) => `${other}=${text}`).join('; ')
    const seen = async (path: string, cookie: string) =>
      (await fetch(at(path), { headers: { cookie: `${session}; ${cookie}` } })).text()
    assert.match(await seen('/bots/bot-1', `${name}=${value}`), /Hosting is on\. The bot goes online/)
    const [, other = ''] = cookieOf(off)
    const forged = `${other.split('.')[0]}.${value.split('.')[1]}`
    assert.notEqual(forged, value)
    assert.doesNotMatch(await seen('/bots/bot-1', `${name}=${forged}`), /role="status"/)
    assert.doesNotMatch(await seen('/bots', `${name}=${value}`), /role="status"/)
  })

  test('pages for emailed links and forgotten passwords show a result message once, and never because of a query parameter', async (t) => {
    const sink = await openMailSink(t)
    const world = await openWorld(t, { SMTP_URL: sink.url, MAIL_FROM: 'Gatehouse <gate@example.com>' })
    const stranger = new Browser()
    const opened: [path: string, leadsTo: string][] = [
      ['/reset-password?done=1', '/sign-in'],
      ['/reset-password?done=1&removed=1', '/sign-in'],
      ['/reset-password', '/sign-in'],
      ['/verify-email?done=1', '/account'],
      ['/recover-pin?done=1', '/account'],
    ]
    for (const [path, leadsTo] of opened) {
      const answer = await stranger.get(`${world.baseUrl}${path}`)
      assert.deepEqual([answer.status, answer.location?.href], [302, `${world.baseUrl}${leadsTo}`], path)
    }
    const form = await stranger.get(`${world.baseUrl}/forgot-password?sent=1`)
    assert.equal(titleOf(form), 'Set a new password · Gatehouse')

    const person = new Browser()
    const email = 'eve@example.com'
    await person.submitAt(`${world.baseUrl}/sign-up`, { name: 'Eve', email, password: 'the engine weaves' })
    const verify = await person.get(await sink.nextLink())
    const verified = await person.submit(verify, {}, '/verify-email')
    assert.deepEqual([verified.status, verified.location?.href], [303, `${world.baseUrl}/verify-email`])
    assert.match((await person.onward(verified, world)).text, /<h1>Address confirmed<\/h1>/)
    assert.equal((await person.get(`${world.baseUrl}/verify-email`)).location?.pathname, '/account', 'on reload')

    const asked = await stranger.submit(form, { email }, '/forgot-password')
    assert.deepEqual([asked.status, asked.location?.href], [303, `${world.baseUrl}/forgot-password`])
    assert.equal(titleOf(await stranger.onward(asked, world)), 'Check your email · Gatehouse')
    assert.equal(titleOf(await stranger.get(`${world.baseUrl}/forgot-password`)), 'Set a new password · Gatehouse')

    const reset = await stranger.get(await sink.nextLink())
    const fields = { password: 'the weaver engines', remove_access: 'yes' }
    const done = await stranger.submit(reset, fields, '/reset-password')
    assert.deepEqual([done.status, done.location?.href], [303, `${world.baseUrl}/reset-password`])
    assert.equal((await person.get(`${world.baseUrl}/reset-password`)).location?.pathname, '/sign-in', 'elsewhere')
    assert.match((await stranger.onward(done, world)).text, /Passkeys, linked accounts/)
    assert.equal((await stranger.get(`${world.baseUrl}/reset-password`)).location?.pathname, '/sign-in', 'on reload')
  })

  test('portal pages show a result message once, and never because of a query parameter', async (t) => {
    const { world } = await openBot(t)
    const browser = await atPortal(world, { name: 'Eve', email: 'eve@example.com', password: 'the engine weaves' })
    const { address } = await registered(world, browser)
    const said = /Changes saved/
    assert.doesNotMatch((await browser.get(`${address}?saved=1`)).text, said)
    const saved = await browser.submitAt(address, acme)
    assert.deepEqual([saved.status, saved.location?.href], [303, address])
    assert.match((await browser.onward(saved, world)).text, said)
    assert.doesNotMatch((await browser.get(address)).text, said)
    const removed = await browser.submitAt(`${address}/deletion`, {}, '/deletion')
    assert.match((await browser.onward(removed, world)).text, /role="status"/)
    assert.doesNotMatch((await browser.get(`${world.portalUrl}/?deleted=1`)).text, /role="status"/)
  })
})
