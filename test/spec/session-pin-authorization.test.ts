import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ada, callback, openScene, signedIn } from '../support/pin-people.ts'

describe('Session PIN unlock: before authorization the user must unlock the session PIN', () => {
  test('before authorization the user must unlock the session PIN when the requested scopes include user.email, user.connections.read, or any scope that ends in .write or .manage', async (t) => {
    const { world, ask } = await openScene(t)
    await world.service.authorization.scopes.declare({ name: 'bots.write', description: 'Change your bots' })
    await world.service.authorization.scopes.declare({ name: 'bots.manage', description: 'Manage your bots' })
    for (const scope of ['user.identify user.email', 'user.connections.read', 'bots.write', 'bots.manage']) {
      const browser = await signedIn(world)
      const page = await browser.visit(ask(scope), world)
      assert.equal(new URL(page.url).pathname, '/unlock')
      assert.match(page.text, /<strong>Acme<\/strong> requests access that needs your PIN/)
      const answer = await browser.submit(page, { pin: ada.pin }, '/unlock')
      assert.equal(answer.status, 303)
      const consent = await browser.onward(answer, world)
      assert.equal(new URL(consent.url).pathname, '/auth/consent')
      assert.equal(consent.status, 200)
    }
  })

  test('a user without a PIN is asked to set a PIN, and then continues to consent', async (t) => {
    const { world, ask } = await openScene(t, null)
    const browser = await signedIn(world)
    const page = await browser.visit(ask('user.email'), world)
    assert.equal(new URL(page.url).pathname, '/account/pin')
    const form = { pin: '0000', pin_again: '0000', password: ada.password }
    const consent = await browser.onward(await browser.submit(page, form, '/account/pin'), world)
    assert.equal(new URL(consent.url).pathname, '/auth/consent')
  })
})

describe('our choice: Cancel on the PIN pages denies the authorization', () => {
  for (const [path, pin] of [
    ['/account/pin', null],
    ['/unlock', ada.pin],
  ] as const) {
    test(`Cancel on ${path} denies the authorization and changes nothing else`, async (t) => {
      const { world, ask } = await openScene(t, pin)
      const browser = await signedIn(world)
      const page = await browser.visit(`${ask('user.email')}&state=a%20b`, world)
      assert.equal(new URL(page.url).pathname, path)
      assert.match(page.text, /<button type="submit" class="quiet">Cancel<\/button>/)
      const answer = await browser.submit(page, {}, '/auth/consent')
      const back = `${callback}?error=access_denied&error_description=The%20user%20denied%20the%20request.&state=a%20b`
      assert.deepEqual([answer.status, String(answer.location)], [303, back])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal(new URL((await browser.visit(ask('user.email'), world)).url).pathname, path)
    })

    test(`${path} shows Cancel only during an authorization, and a decision other than deny does not skip the PIN`, async (t) => {
      const { world, ask } = await openScene(t, pin)
      const browser = await signedIn(world)
      assert.doesNotMatch((await browser.get(`${world.baseUrl}${path}`)).text, /Cancel/)
      const page = await browser.visit(ask('user.email'), world)
      for (const decision of ['allow', 'other']) {
        const answer = await browser.submit(page, { decision }, '/auth/consent')
        assert.deepEqual([answer.status, answer.location?.pathname], [303, '/auth/consent'])
        assert.equal(answer.location?.searchParams.has('code'), false)
      }
      const someoneElse = await browser.submit(page, { user: 'bob' }, '/auth/consent')
      assert.deepEqual([someoneElse.status, someoneElse.location?.pathname], [303, '/auth/consent'])
    })
  }
})
