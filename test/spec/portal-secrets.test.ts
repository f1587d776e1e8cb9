import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Answer, Browser } from '../support/people.ts'
import {
  atPortal,
  authenticates,
  bob,
  hasButton,
  type Registered,
  registered,
  shown,
} from '../support/portal-people.ts'
import { openWorld } from '../support/world.ts'

async function openScene(t: TestContext) {
  const world = await openWorld(t)
  const browser = await atPortal(world)
  const application = await registered(world, browser)
  return { world, browser, application, works: (secret: string) => authenticates(world, application.clientId, secret) }
}

async function addSecond(browser: Browser, { address }: Registered, label = 'blue server'): Promise<Answer> {
  return browser.submit(await browser.get(`${address}/secrets`), { label }, '/secrets')
}

/** Returns the URL of the page that revokes this secret. */
function revocationOf(page: Answer, secret: string): string {
  const links = [...page.text.matchAll(/href="([^"]*\/revocation)">Revoke<span class="hidden-visually"> ••••(\w{4})</g)]
  return new URL(links.find(([, , end]) => end === secret.slice(-4))?.[1] ?? '', page.url).href
}

describe('our choice: an application can have a second secret', () => {
  test('an application’s second secret is shown once with no-store and works alongside the first', async (t) => {
    const { browser, application, works } = await openScene(t)
    const made = await addSecond(browser, application)
    assert.deepEqual([made.status, made.headers.get('cache-control')], [200, 'no-store'])
    const second = shown(made, 'second-client-secret')
    assert.match(second, /^svc_cs_[A-Za-z0-9_]{43,}$/)
    assert.deepEqual([await works(application.clientSecret), await works(second)], [true, true])

    const page = await browser.get(application.address)
    assert.equal(shown(page, 'client-secret'), `••••${application.clientSecret.slice(-4)}`)
    assert.equal(shown(page, 'second-client-secret'), `••••${second.slice(-4)}`)
    assert.match(page.text, /<th scope="row"[^>]*>blue server<\/th>/)
    assert.ok(!page.text.includes(second))
  })

  test('each client secret shows when it was created and last used', async (t) => {
    const { world, browser, application, works } = await openScene(t)
    assert.match((await browser.get(application.address)).text, /data-label="Last used"><span>Never</)
    await world.clock.advance(120_000)
    await works(application.clientSecret)
    await world.clock.advance(60_000)
    await world.service.applications.clients.recordSecretUse()
    const page = await browser.get(application.address)
    assert.match(page.text, /data-label="Created"><span><time[^>]*>3 minutes ago</)
    assert.match(page.text, /data-label="Last used"><span><time[^>]*>1 minute ago</)
  })

  test('revoking either client secret asks for confirmation and takes effect immediately; the other secret keeps working', async (t) => {
    const { browser, application, works } = await openScene(t)
    const second = shown(await addSecond(browser, application), 'second-client-secret')
    const address = revocationOf(await browser.get(application.address), application.clientSecret)
    const question = await browser.get(address)
    assert.match(question.text, /stops working immediately/)
    assert.ok(hasButton(question, 'Revoke secret'))
    assert.equal(await works(application.clientSecret), true)
    const done = await browser.submit(question, {}, '/revocation')
    assert.match(done.text, /Secret revoked\./)
    assert.deepEqual([await works(application.clientSecret), await works(second)], [false, true])

    // Neither an already revoked secret nor the last remaining one can be revoked.
    assert.equal((await browser.get(address)).status, 409)
    const last = address.replace(/\d+(?=\/revocation)/, (number) => String(Number(number) + 1))
    const refused = await browser.get(last)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /Rotate it instead/)
    assert.equal(await works(second), true)
  })

  test('a third client secret and a secret without a label are refused', async (t) => {
    const { browser, application } = await openScene(t)
    const unlabelled = await addSecond(browser, application, ' ')
    assert.deepEqual([unlabelled.status, /Enter a label/.test(unlabelled.text)], [422, true])
    assert.equal((await addSecond(browser, application)).status, 200)
    const third = await addSecond(browser, application)
    assert.deepEqual([third.status, /You already have two secrets/.test(third.text)], [422, true])
    assert.ok(!(await browser.get(application.address)).text.includes('>New secret<'))
  })

  test('rotation invalidates both client secrets, and the confirmation page says so', async (t) => {
    const { browser, application, works } = await openScene(t)
    const second = shown(await addSecond(browser, application), 'second-client-secret')
    const question = await browser.get(`${application.address}/secret`)
    const effect = 'All current secrets stop working immediately'
    assert.ok((await browser.get(application.address)).text.includes(`Creates a new secret. ${effect}.`))
    const masked = [application.clientSecret, second].map((secret) => `<code>••••${secret.slice(-4)}</code>`)
    assert.ok(question.text.includes(`${effect}: ${masked.join(', ')}. The new secret is shown only once.`))
    const rotated = shown(await browser.submit(question, {}, '/secret'), 'client-secret')
    const live = await Promise.all([application.clientSecret, second, rotated].map(works))
    assert.deepEqual(live, [false, false, true])
  })

  test('the secrets of another user’s application return 404, like those of an unknown application', async (t) => {
    const { world, browser, application, works } = await openScene(t)
    const second = shown(await addSecond(browser, application), 'second-client-secret')
    const revocation = revocationOf(await browser.get(application.address), second)
    const stranger = await atPortal(world, bob)
    for (const address of [`${application.address}/secrets`, revocation]) {
      assert.equal((await stranger.get(address)).status, 404)
      const form = await stranger.get(`${world.portalUrl}/apps/new`)
      const pointed = { ...form, text: form.text.replaceAll('"/apps/new"', `"${address}"`) }
      const posted = await stranger.submit(pointed, { label: 'x' }, address)
      assert.equal(posted.status, 404)
    }
    assert.equal(await works(second), true)
  })
})
