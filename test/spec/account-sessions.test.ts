import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { html } from '../../src/pages/html.ts'
import { browserWords } from '../../src/pages/words/browser.ts'
import { isSignedIn, partText } from '../support/account-page.ts'
import { adaWithClient, type Browser, provision, signedIn, testOrigin } from '../support/people.ts'
import { openWorld, type World } from '../support/world.ts'

const minutes = 60_000

async function sessionOf(world: World, browser: Browser) {
  const cookie = browser.cookieValues().find((value) => value.startsWith('svc_se_'))
  return world.service.accounts.sessions.authenticate(cookie, 'identity', testOrigin)
}

describe('Account: sessions', () => {
  test('the session list shows this session first, with IP addresses and times; a user can end one session or all others', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, second, third] = [await signedIn(world), await signedIn(world), await signedIn(world)]
    await world.clock.advance(10 * minutes)
    const page = await browser.get(`${world.baseUrl}/account/sessions`)
    const [first = '', ...others] = (/<tbody[^>]*>([\s\S]*?)<\/tbody>/.exec(page.text)?.[1] ?? '')
      .split('</tr>')
      .filter((row) => row.includes('<tr'))
    assert.match(first, /This session/)
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

  test('a user can’t end another user’s session', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const bob = { email: 'bob@example.com', password: 'bob likes bridges' }
    await provision(world, 'PUT', '/v1/users/bob', { name: 'Bob', ...bob })
    const [browser, his] = [await signedIn(world), await signedIn(world, bob)]
    await signedIn(world)
    const page = await browser.get(`${world.baseUrl}/account/sessions`)
    await browser.submit(page, { session: String((await sessionOf(world, his))?.number) }, '/account/sessions/end')
    await browser.submit(page, {}, '/account/sessions/others/end')
    assert.equal(await isSignedIn(world, his), true)
  })

  test('our choice: the account page does not write a session’s last-seen time itself; a periodic flush writes it, accurate to a few minutes', async (t) => {
    const world = await openWorld(t)
    await adaWithClient(world)
    const [browser, other] = [await signedIn(world), await signedIn(world)]
    await world.clock.advance(30 * minutes)
    await other.get(`${world.baseUrl}/account`)
    assert.match(await partText(world, browser, 'sessions'), /30 minutes ago 30 minutes ago/)
    await world.clock.advance(1 * minutes)
    assert.match(await partText(world, browser, 'sessions'), /31 minutes ago 1 minute ago/)
  })

  test('our choice: a user agent is shown as browser and operating system', () => {
    const agents = {
      'Firefox on Windows': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Safari on an iPhone':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
      'Edge on a Mac':
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0',
      'Chrome on Android':
        'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
      'A browser on Linux': 'Something/1.0 (Linux)',
      'Unknown browser': 'curl/8.0',
    }
    for (const [words, agent] of Object.entries(agents)) assert.equal(html`${browserWords(agent)}`.in('en'), words)
    assert.equal(html`${browserWords(null)}`.in('en'), 'Unknown browser')
  })
})
