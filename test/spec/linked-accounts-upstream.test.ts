import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { openHome, signInWith, startSignIn } from './linked-accounts-scene.ts'

describe('our choice: an upstream OpenID provider (decision 0015)', () => {
  const profile = { sub: 'auth|1', name: 'Ada', email: 'ada@home.example', email_verified: true }

  test('the upstream provider is discovered from its issuer, and its ID token and profile identify the user', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    const { browser, page } = await signInWith(world, new Browser(), 'upstream', provider.allow)
    assert.equal(page.status, 200)
    const { text } = await browser.visit(`${world.baseUrl}/account`, world)
    assert.match(text, /ada@home\.example/)
    const asked = provider.authorizations[0]
    assert.equal(asked?.get('scope'), 'openid profile email')
    assert.ok(asked?.get('nonce'))
    const again = await signInWith(world, new Browser(), 'upstream', provider.allow)
    assert.match((await again.browser.visit(`${world.baseUrl}/account/linked`, world)).text, /<code>auth\|1<\/code>/)
  })

  for (const [what, claims] of [
    ['another nonce', { nonce: 'another' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another' }],
    ['an expiry in the past', { exp: 1 }],
    ['another subject than the profile', { sub: 'auth|2' }],
  ] as const) {
    test(`an ID token with ${what} does not sign anyone in`, async (t) => {
      const { world, provider } = await openHome(t)
      provider.profile = profile
      provider.claims = claims
      const { page } = await signInWith(world, new Browser(), 'upstream', provider.allow)
      assert.equal(page.status, 502)
      assert.match(page.text, /<h1>The response from Home is invalid<\/h1>/)
    })
  }

  test('an unreachable provider results in a 503 page, and sign-in works once the provider is back', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = profile
    await provider.close()
    const browser = new Browser()
    const page = await startSignIn(world, browser, 'upstream')
    assert.equal(page.status, 503)
    assert.match(page.text, /<h1>Home isn’t responding<\/h1>/)
    await provider.open()
    const { page: arrived } = await signInWith(world, browser, 'upstream', provider.allow)
    assert.equal(arrived.status, 200)
  })
})
