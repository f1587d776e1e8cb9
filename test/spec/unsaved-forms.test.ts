import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, openBot, signedIn, visibleWordsIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

/** Ends all of Ada's other sessions from another browser. */
async function endSessions(world: World): Promise<void> {
  const elsewhere = await signedIn(world)
  await elsewhere.submitAt(`${world.baseUrl}/account/sessions`, {}, '/account/sessions/others/end')
}

const credentials = { email: ada.email, password: ada.password }
const notice = /You’re signed in again Your session had expired, so nothing was saved\./

describe('our choice: a form sent after the session ended changes nothing (decision 0082)', () => {
  const forms: [page: string, action: string, fields: Record<string, string>][] = [
    ['/account/name', '/account/name', { name: 'Countess' }],
    ['/account/password', '/account/password', { current_password: ada.password, password: 'Countess of Lovelace' }],
    ['/bots/bot-1/settings', '/bots/bot-1/notice', { notice: 'Countess' }],
    ['/bots/bot-1/runtimes', '/bots/bot-1/runtimes', { name: 'Countess', hosts: 'all' }],
  ]
  for (const [path, action, fields] of forms) {
    test(`after signing in, the user is back at the page of ${action} and reads that nothing was saved`, async (t) => {
      const { world, at, as } = await openBot(t)
      const browser = await as('ada')
      const page = await browser.get(at(path))
      await endSessions(world)
      const late = await browser.submit(page, fields, action)
      assert.deepEqual([late.status, late.location?.pathname], [303, '/sign-in'])
      const signIn = await browser.get(late.location as URL)
      assert.match(visibleWordsIn(signIn), /Your session had ended, so nothing was saved\. Sign in to continue\./)
      const back = await browser.onward(await browser.submit(signIn, credentials, '/sign-in'), world)
      assert.deepEqual([back.status, new URL(back.url).pathname], [200, path])
      assert.match(visibleWordsIn(back), notice)
      assert.doesNotMatch(back.text, /Countess/)
      const fresh = await browser.get(at(path))
      assert.doesNotMatch(visibleWordsIn(fresh), notice)
      assert.doesNotMatch(fresh.text, /Countess/)
    })
  }

  test('a form of the portal leads back to its page through the portal’s sign-in', async (t) => {
    const { world } = await openBot(t)
    const browser = await signedIn(world)
    const address = `${world.portalUrl}/apps/new`
    const page = await browser.visit(address, world)
    await endSessions(world)
    const late = await browser.submit(page, { name: 'Countess', website_url: 'https://client.example' }, '/apps/new')
    assert.deepEqual([late.status, late.location?.pathname], [303, '/auth/consent'])
    const signIn = await browser.visit(late.location as URL, world)
    const back = await browser.onward(await browser.submit(signIn, credentials, '/sign-in'), world)
    assert.equal(back.url, `${address}?unsaved=yes`)
    assert.match(visibleWordsIn(back), notice)
    assert.doesNotMatch(back.text, /Countess/)
  })
})
