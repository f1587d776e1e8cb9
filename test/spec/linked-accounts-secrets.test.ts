import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { containsText, storedBytes } from '../support/world-database.ts'
import { openHome, redirectTargetOf, signInWith, startSignIn } from './linked-accounts-scene.ts'

describe('Secrets during sign-in with a provider', () => {
  test('codes, states, nonces, provider tokens and client secrets are neither logged nor stored in plain text', async (t) => {
    const { world, provider } = await openHome(t)
    provider.profile = { sub: 'auth|1', name: 'Ada' }
    const browser = new Browser()
    const left = await startSignIn(world, browser, 'upstream')
    const query = Object.fromEntries(redirectTargetOf(left).searchParams)
    const callback = await provider.allow(redirectTargetOf(left))
    assert.equal((await browser.get(callback)).status, 200)
    assert.equal((await browser.get(callback)).status, 400)
    provider.instead.set('/token', (response) => {
      const body = JSON.stringify({ access_token: 'a-token-in-a-bad-answer' })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    await signInWith(world, new Browser(), 'upstream', provider.allow)
    const secrets = [
      ...provider.secrets,
      ...browser.cookieValues(),
      query.state ?? '',
      query.nonce ?? '',
      'a-token-in-a-bad-answer',
    ]
    const stored = Object.values(await storedBytes(world))
    for (const secret of secrets) {
      assert.ok(secret.length > 8)
      assert.ok(!world.logs().includes(secret), 'logged')
      assert.ok(!stored.some((bytes) => containsText(bytes, secret)), 'stored')
    }
    assert.doesNotMatch(world.logs(), /\[hidden\]/)
  })
})
