import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { visibleWordsIn } from '../support/page-words.ts'
import { acme, atPortal, bob, registered } from '../support/portal-people.ts'
import { allowed, checkedIn, messages, tokensIn, tryIt } from '../support/try-out.ts'
import { openWorld } from '../support/world.ts'
import { containsText, storedBytes } from '../support/world-database.ts'

describe('our choice: the result of a test run (decision 0035)', () => {
  test('the result page of a test run can be reloaded for an hour, in the reader’s language; after that, or without a valid result ID, it redirects to the try-out form', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const app = await registered(world, browser)
    const page = await allowed(world, browser, await tryIt(world, browser, app))
    const again = await browser.get(page.url)
    assert.deepEqual([again.status, messages(again), tokensIn(again)], [200, messages(page), tokensIn(page)])
    assert.equal(again.headers.get('cache-control'), 'no-store')
    await browser.get(`${world.portalUrl}/appearance/language/de`)
    const german = await browser.get(page.url)
    assert.match(visibleWordsIn(german), /Diese Seite bleibt eine Stunde lang verfügbar/)
    for (const gone of [page.url.replace(/\?.*/, ''), page.url.replace(/\?.*/, '?result=unknown')]) {
      const answer = await browser.get(gone)
      assert.deepEqual([answer.status, String(answer.location)], [302, `${app.address}/try-outs`])
    }
    await world.clock.advance(3_600_000)
    const later = await browser.get(page.url)
    assert.deepEqual([later.status, String(later.location)], [302, `${app.address}/try-outs`])
  })

  test('a test run’s result is stored encrypted and shown only to its owner', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const app = await registered(world, browser)
    const page = await allowed(world, browser, await tryIt(world, browser, app))
    const stored = await storedBytes(world)
    assert.ok(tokensIn(page).length > 0)
    for (const bytes of Object.values(stored)) {
      for (const text of [...tokensIn(page), 'code_verifier=']) assert.ok(!containsText(bytes, text), text)
    }
    const other = await atPortal(world, bob)
    const refused = await other.get(page.url)
    assert.deepEqual([refused.status, messages(refused)], [404, []])
    const otherApp = await registered(world, browser, { ...acme, name: 'Other' })
    const elsewhere = await browser.get(page.url.replace(app.address, otherApp.address))
    assert.deepEqual([elsewhere.status, String(elsewhere.location)], [302, `${otherApp.address}/try-outs`])
  })

  test('a test run that fails immediately redirects to a result that can be reloaded', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const app = await registered(world, browser)
    const answer = await browser.submit(await browser.get(`${app.address}/try-outs`), {}, '/try-outs')
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [303, 'no-store'])
    const [page, again] = [await browser.get(answer.location!), await browser.get(answer.location!)]
    assert.deepEqual([page.status, again.status, messages(again)], [200, 200, messages(page)])
    assert.match(messages(again).at(-1) ?? '', /error=invalid_request/)
  })

  test('starting another try-out keeps the selected options', async (t) => {
    const world = await openWorld(t)
    const browser = await atPortal(world)
    const app = await registered(world, browser)
    const consent = await tryIt(world, browser, app, { scope: 'user.identify bots.read', state: 'a b' })
    const page = await allowed(world, browser, consent)
    const [, again = ''] = /<a class="button plain" href="([^"]*)">Start another/.exec(page.text) ?? []
    const form = await browser.get(new URL(again.replaceAll('&amp;', '&'), world.portalUrl))
    assert.deepEqual(checkedIn(form), ['user.identify', 'bots.read'])
    assert.match(form.text, /<input type="text" name="state"[^>]* value="a b"/)
  })
})
