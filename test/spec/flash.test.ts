import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openScene } from '../bot-people.ts'
import { acme, atPortal, registered } from '../portal-people.ts'

describe('our choice: a page says what happened, once, and never what its address says (decision 0063)', () => {
  test('no address makes a page of the account or of a bot claim anything', async (t) => {
    const { as, at } = await openScene(t)
    const ada = await as('ada')
    const claims: [path: string, done: string, words: RegExp][] = [
      ['/account', 'password', /role="status"/],
      ['/account/passkeys', 'added', /The passkey is added/],
      ['/account/linked', 'linked', /role="status"/],
      ['/bots/bot-1', 'hosting-on', /Hosting is on\. The bot is online/],
      ['/bots', 'left', /You do not work on that bot any more/],
    ]
    for (const [path, done, words] of claims) {
      assert.doesNotMatch((await ada.get(at(`${path}?done=${done}`))).text, words, path)
    }
  })

  test('the message is shown by the page it is for, and gone on reload; the cookie is out of reach of scripts', async (t) => {
    const { world, as, at } = await openScene(t)
    const ada = await as('ada')
    const page = await ada.get(at('/bots/bot-1'))
    const off = await ada.submit(page, { hosting: 'off' }, '/hosting')
    assert.deepEqual([off.status, off.location?.href], [303, at('/bots/bot-1')])
    const [cookie = ''] = off.headers.getSetCookie().filter((line) => line.startsWith('gatehouse-flash-'))
    assert.match(cookie, /; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax$/)
    const said = /Hosting is off\. Webhooks that come meanwhile/
    assert.doesNotMatch((await ada.get(at('/account'))).text, said, 'another tab does not take it')
    assert.match((await ada.onward(off, world)).text, said)
    assert.doesNotMatch((await ada.get(at('/bots/bot-1'))).text, said)
  })

  test('two tabs have a message each; one that was not signed here, or was left for another page, is not shown', async (t) => {
    const { world, as, at } = await openScene(t)
    const ada = await as('ada')
    const off = await ada.submit(await ada.get(at('/bots/bot-1')), { hosting: 'off' }, '/hosting')
    const renamed = await ada.submit(await ada.get(at('/account/name')), { name: 'Ada L.' }, '/account/name')
    assert.match((await ada.onward(renamed, world)).text, /role="status"/)
    assert.match((await ada.onward(off, world)).text, /Hosting is off\./)

    const again = await ada.submit(await ada.get(at('/bots/bot-1')), { hosting: 'on' }, '/hosting')
    const [pair = ''] = again.headers.getSetCookie()[0]?.split(';') ?? []
    const [name = '', value = ''] = pair.split('=')
    const rest = Object.entries(ada.cookies()).filter(([other]) => other !== name)
    const session = rest.map(([other, text]) => `${other}=${text}`).join('; ')
    const seen = async (path: string, cookie: string) =>
      (await fetch(at(path), { headers: { cookie: `${session}; ${cookie}` } })).text()
    assert.match(await seen('/bots/bot-1', `${name}=${value}`), /Hosting is on\. The bot is online/)
    const forged = value.replace('hosting-on', 'status-public')
    assert.doesNotMatch(await seen('/bots/bot-1', `${name}=${forged}`), /role="status"/)
    assert.doesNotMatch(await seen('/bots', `${name}=${value}`), /role="status"/)
  })

  test('the portal does the same', async (t) => {
    const { world } = await openScene(t)
    const browser = await atPortal(world, { name: 'Eve', email: 'eve@example.com', password: 'the engine weaves' })
    const { address } = await registered(world, browser)
    const said = /Your changes are saved/
    assert.doesNotMatch((await browser.get(`${address}?saved=1`)).text, said)
    const saved = await browser.submit(await browser.get(address), acme, new URL(address).pathname)
    assert.deepEqual([saved.status, saved.location?.href], [303, address])
    assert.match((await browser.onward(saved, world)).text, said)
    assert.doesNotMatch((await browser.get(address)).text, said)
    const removed = await browser.submit(await browser.get(`${address}/deletion`), {}, '/deletion')
    assert.match((await browser.onward(removed, world)).text, /role="status"/)
    assert.doesNotMatch((await browser.get(`${world.portalUrl}/?deleted=1`)).text, /role="status"/)
  })
})
