import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { partText } from '../support/account-page.ts'
import { adaWithClient, allow, codeFor, consentUrl, redeem, refresh, signedIn, userinfo } from '../support/people.ts'
import { openWorld } from '../support/world.ts'

const minutes = 60_000

describe('Account: applications with access', () => {
  test('the Applications tab lists each application with its website, its scopes in plain words, and when it was allowed and last used', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    assert.match(await partText(world, browser, 'applications'), /No applications yet Applications with access/)
    const { access_token } = (await redeem(world, client, await codeFor(world, browser, client))).json
    const scopes =
      'See your name, your linked chat-platform ID and your number of bots Keep this access while you are away, until you revoke it'
    const start = `Acme Dashboard client.example 2 permissions ${scopes}`
    const unused = await partText(world, browser, 'applications')
    assert.ok(unused.includes(`${start} just now Never Revoke access`), unused)
    assert.match(unused, /Last-used times are updated every minute\./)

    await world.clock.advance(5 * minutes)
    await userinfo(world, access_token)
    await world.clock.advance(2 * minutes)
    const used = `${start} 7 minutes ago 2 minutes ago Revoke access`
    assert.ok((await partText(world, browser, 'applications')).includes(used))
    await world.restart()
    assert.ok((await partText(world, browser, 'applications')).includes(used))
  })

  test('revoking access invalidates every token and code that the application holds for the user', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    const one = (await redeem(world, client, await codeFor(world, browser, client))).json
    const two = (await redeem(world, client, await codeFor(world, browser, client))).json
    const code = await codeFor(world, browser, client)
    const page = await browser.get(`${world.baseUrl}/account/applications`)
    const answer = await browser.submit(page, {}, '/account/applications/withdrawal')
    assert.equal(answer.location?.search, '')
    for (const tokens of [one, two]) {
      assert.equal((await userinfo(world, tokens.access_token)).status, 401)
      const again = await refresh(world, client, tokens.refresh_token)
      assert.deepEqual([again.status, again.json.error], [400, 'invalid_grant'])
    }
    const redeemed = await redeem(world, client, code)
    assert.deepEqual([redeemed.status, redeemed.json.error], [400, 'invalid_grant'])
    assert.match(await partText(world, browser, 'applications'), /No applications yet Applications with access/)
  })

  test('after access is revoked, consent=skip redirects with error=consent_required until the user consents again', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = await signedIn(world)
    await codeFor(world, browser, client)
    const skip = consentUrl(world, client, { consent: 'skip' })
    assert.equal((await browser.get(skip)).location?.searchParams.has('code'), true)
    const page = await browser.get(`${world.baseUrl}/account/applications`)
    await browser.submit(page, {}, '/account/applications/withdrawal')
    const refused = (await browser.get(skip)).location?.searchParams
    assert.deepEqual([refused?.get('error'), refused?.get('state')], ['consent_required', 'the-state'])
    assert.ok((await allow(world, browser, consentUrl(world, client))).searchParams.has('code'))
    assert.equal((await browser.get(skip)).location?.searchParams.has('code'), true)
  })
})
