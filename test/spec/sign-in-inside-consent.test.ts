import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseApplicationId } from '../../src/domain/ids.ts'
import { Browser } from '../support/people.ts'
import { ada, signedUp } from '../support/sign-in-forms.ts'
import { openWorld, type World } from '../support/world.ts'

describe('Sign-in, sign-up and PIN pages inside an authorization', () => {
  test('the sign-in and sign-up pages pass the authorization attempt to each other and continue to consent', async (t) => {
    const world = await openWorld(t)
    const attempt = await anAttempt(world)
    const browser = new Browser()
    const signInPage = await browser.get(`${world.baseUrl}/sign-in?attempt=${attempt}`)
    assert.match(signInPage.text, /You’ll continue to <strong>Acme &amp; Sons<\/strong>\./)
    assert.match(signInPage.text, new RegExp(`<a href="/sign-up\\?attempt=${attempt}">`))
    const signUpPage = await browser.get(`${world.baseUrl}/sign-up?attempt=${attempt}`)
    assert.match(signUpPage.text, new RegExp(`<a href="/sign-in\\?attempt=${attempt}">`))

    const refused = await browser.submit(signUpPage, { ...ada, password: 'short' }, '/sign-up')
    assert.equal(refused.status, 422)
    const answer = await browser.submit(refused, ada, '/sign-up')
    assert.equal(answer.status, 303)
    assert.equal(String(answer.location), `${world.baseUrl}/auth/consent?attempt=${attempt}`)
    const again = await browser.get(`${world.baseUrl}/sign-in?attempt=${attempt}`)
    assert.equal(String(again.location), `${world.baseUrl}/auth/consent?attempt=${attempt}`)
  })

  test('signing out during consent returns to sign-in and keeps the authorization attempt', async (t) => {
    const world = await openWorld(t)
    const browser = await signedUp(world)
    const attempt = await anAttempt(world)
    const page = await browser.get(`${world.baseUrl}/account/pin?attempt=${attempt}`)
    const answer = await browser.submit(page, {}, '/sign-out')
    assert.equal(String(answer.location), `${world.baseUrl}/sign-in?attempt=${attempt}`)
  })

  for (const query of [
    'attempt=unknown',
    'attempt=',
    'attempt=a&attempt=b',
    'attempt=//evil.example',
    'next=https://evil.example',
    'redirect_uri=https://evil.example',
  ]) {
    test(`our choice: an invalid attempt or a foreign URL in the query never changes where sign-in redirects: ${query}`, async (t) => {
      const world = await openWorld(t)
      await signedUp(world)
      const browser = new Browser()
      const page = await browser.get(`${world.baseUrl}/sign-in?${query}`)
      assert.doesNotMatch(page.text, /evil/)
      const answer = await browser.submit(page, { email: ada.email, password: ada.password }, '/sign-in')
      assert.equal(String(answer.location), `${world.baseUrl}/account`)
    })
  }
})

/** Starts an authorization for an application that redirects to https://client.example. Returns the attempt’s ID. */
async function anAttempt(world: World): Promise<string> {
  const acme = await world.service.applications.provisioned.put(parseApplicationId('acme')!, {
    ownerId: null,
    name: 'Acme & Sons',
    websiteUrl: 'https://client.example',
    redirectUris: ['https://client.example/callback'],
  })
  assert.equal(acme.outcome, 'created')
  const query = new URLSearchParams({
    client_id: acme.clientId,
    redirect_uri: 'https://client.example/callback',
    response_type: 'code',
    scope: 'user.identify',
  })
  const answer = await new Browser().get(`${world.baseUrl}/auth/consent?${query}`)
  return answer.location?.searchParams.get('attempt') ?? ''
}
