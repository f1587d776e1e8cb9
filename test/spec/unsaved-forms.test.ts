import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, formTokenOf, openBot, provision, signedIn, visibleWordsIn } from '../support/people.ts'
import type { World } from '../support/world.ts'

/** Ends all of Ada's other sessions from another browser. */
async function endSessions(world: World): Promise<void> {
  const elsewhere = await signedIn(world)
  await elsewhere.submitAt(`${world.baseUrl}/account/sessions`, {}, '/account/sessions/others/end')
}

const credentials = { email: ada.email, password: ada.password }
const notice = /Nothing was saved Your session had ended, or another user had signed in\./

describe('our choice: a form sent after the session ended changes nothing (decision 0082)', () => {
  const forms: [page: string, action: string, fields: Record<string, string>][] = [
    ['/account/name', '/account/name', { name: 'Countess' }],
    ['/account/password', '/account/password', { current_password: ada.password, password: 'Countess of Lovelace' }],
    ['/bots/bot-1/settings', '/bots/bot-1/notice', { notice: 'Countess' }],
    ['/bots/bot-1/runtimes', '/bots/bot-1/runtimes', { name: 'Countess', hosts: 'all' }],
  ]
  for (const [path, action, fields] of forms) {
    test(`after signing in, the user is back at the page of ${action} and reads that nothing was saved`, async (t) => {
      const { world, ada: browser, at } = await openBot(t)
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

  test('if another user has signed in in another tab, a form of the first user’s page changes nothing', async (t) => {
    const { world, ada: browser, at } = await openBot(t)
    const page = await browser.get(at('/account/name'))
    const passkeys = await browser.get(at('/account/passkeys'))
    await browser.submitAt(at('/account'), {}, '/sign-out')
    await browser.submitAt(at('/sign-in'), { ...credentials, email: 'ed@example.com' })
    const late = await browser.onward(await browser.submit(page, { name: 'Countess' }, '/account/name'), world)
    assert.deepEqual([late.status, new URL(late.url).pathname], [200, '/account/name'])
    assert.match(visibleWordsIn(late), notice)
    assert.equal((await provision(world, 'GET', '/v1/users/ed')).json.name, 'Ed')
    const form = new URLSearchParams({ form_token: formTokenOf(passkeys) })
    assert.equal((await browser.post(at('/account/passkeys/challenge'), form)).status, 401)
  })

  test('a form of the portal leads back to its page through the portal’s sign-in', async (t) => {
    const { world, ada: browser } = await openBot(t)
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
