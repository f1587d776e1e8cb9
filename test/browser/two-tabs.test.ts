import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPage } from '../support/browser/chromium.ts'
import { pageUserAt, ways } from '../support/browser/page-user.ts'
import { serve } from '../support/local-server.ts'
import { ada, adaWithClient, consentUrl } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

for (const way of ways) {
  test(`two tabs authorize the same application, and a sign-in in one lets both continue, ${way}`, async (t) => {
    const world = await openWorld(t)
    const redirectUri = `${await serve(t, (_, response) => response.end('back'))}/callback`
    const client = await adaWithClient(world, { environment: 'development', redirectUris: [redirectUri] })
    const one = await openPage(t, { javaScriptEnabled: way !== 'without scripts' })
    const other = await one.context().newPage()
    const [first, second] = [pageUserAt(one, way), pageUserAt(other, way)]

    await first.open(consentUrl(world, client, { state: 'one' }))
    await second.open(consentUrl(world, client, { state: 'other' }))
    await first.press('Sign in', { 'Email address': ada.email, Password: ada.password })

    // The second tab still shows the sign-in page. Its form works even though the browser is already signed in.
    await second.press('Sign in', { 'Email address': ada.email, Password: ada.password })
    await second.press('Allow')
    await other.waitForURL(/\/callback/)
    const answered = new URL(other.url()).searchParams
    assert.equal(answered.get('state'), 'other')
    assert.match(answered.get('code') ?? '', /^svc_ac_/)

    // The first tab has its own authorization attempt.
    await first.press('Deny')
    await one.waitForURL(/\/callback/)
    const denied = new URL(one.url()).searchParams
    assert.deepEqual([denied.get('state'), denied.get('error')], ['one', 'access_denied'])

    // After going back, an attempt can be allowed again. Each time it yields a new code.
    await other.goBack()
    await second.press('Allow')
    await other.waitForURL(/\/callback/)
    assert.notEqual(new URL(other.url()).searchParams.get('code'), answered.get('code'))
  })
}
