import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ada,
  adaWithClient,
  Browser,
  codeFor,
  consentUrl,
  openClient,
  postForm,
  redeem,
  refresh,
  revoke,
  userinfo,
} from '../support/people.ts'
import { openWorld } from '../support/world.ts'

describe('Cache-Control: no-store on every response with a credential', () => {
  test('at the OAuth endpoints each response is no-store, with Pragma: no-cache', async (t) => {
    const { world, client, browser } = await openClient(t)
    const tokens = (await redeem(world, client, await codeFor(world, browser, client))).json
    const own = { client_id: client.clientId, client_secret: client.clientSecret }
    const push = { ...own, redirect_uri: client.redirectUri, response_type: 'code', scope: 'user.identify' }
    const endpoint = (name: string) => `${world.baseUrl}/api/oauth/${name}`
    for (const [status, answer] of [
      [200, redeem(world, client, await codeFor(world, browser, client))],
      [200, refresh(world, client, tokens.refresh_token)],
      [400, redeem(world, client, 'svc_ac_unknown')],
      [401, redeem(world, { ...client, clientSecret: 'wrong' }, 'svc_ac_unknown')],
      [200, userinfo(world, tokens.access_token)],
      [401, userinfo(world, 'svc_at_unknown')],
      [200, revoke(world, { token: 'svc_at_unknown' })],
      [400, revoke(world, {})],
      [200, postForm(endpoint('introspect'), { ...own, token: tokens.access_token })],
      [401, postForm(endpoint('introspect'), { token: tokens.access_token })],
      [201, postForm(endpoint('par'), push)],
      [400, postForm(endpoint('par'), { ...push, scope: 'no.such.scope' })],
      [405, fetch(endpoint('token'))],
      [405, fetch(endpoint('userinfo'), { method: 'POST' })],
    ] as const) {
      const { status: answered, headers } = await answer
      assert.equal(answered, status)
      assert.deepEqual([headers.get('cache-control'), headers.get('pragma')], ['no-store', 'no-cache'])
    }
  })

  test('authorization pages, and responses that start or end a session, are no-store', async (t) => {
    const world = await openWorld(t)
    const client = await adaWithClient(world)
    const browser = new Browser()
    const url = consentUrl(world, client, { scope: 'user.email' })
    const signIn = await browser.visit(url, world)
    const wrong = await browser.submit(signIn, { email: ada.email, password: 'wrong' }, '/sign-in')
    const signedIn = await browser.submit(signIn, { email: ada.email, password: ada.password }, '/sign-in')
    const unlock = await browser.onward(signedIn, world)
    const refused = await browser.submit(unlock, { pin: '0000' }, '/unlock')
    const unlocked = await browser.submit(unlock, { pin: ada.pin }, '/unlock')
    const consent = await browser.onward(unlocked, world)
    const allowed = await browser.submit(consent, { decision: 'allow' }, '/auth/consent')
    const account = await browser.get(`${world.baseUrl}/account`)
    const pin = await browser.get(`${world.baseUrl}/account/pin`)
    const signedOut = await browser.submit(account, {}, '/sign-out')
    assert.match(String(allowed.location), /code=svc_ac_/)
    for (const answer of [
      signIn,
      wrong,
      signedIn,
      unlock,
      refused,
      unlocked,
      consent,
      allowed,
      account,
      pin,
      signedOut,
    ]) {
      assert.equal(answer.headers.get('cache-control'), 'no-store', `${answer.status} at ${answer.url}`)
    }
  })
})
