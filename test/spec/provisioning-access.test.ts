import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { exported } from '../support/audit.ts'
import { openNodes } from '../support/nodes.ts'
import {
  type Answer,
  aClient,
  ada,
  Browser,
  call,
  codeFor,
  consentUrl,
  makeToken,
  provision,
  redeem,
  refresh,
  signedIn,
  signIn,
  userinfo,
} from '../support/people.ts'
import { bob, isSignedIn, signedUp } from '../support/sign-in-forms.ts'
import { pluck } from '../support/together.ts'
import { openWorld, type World } from '../support/world.ts'
import { assertGrantEnded, assertProblem, holdTokens } from './provisioning-scene.ts'

/** What each call of the operator ends: Ada’s session, her personal access token, or her grant (its tokens and code). */
const calls = [
  ['POST users/ada/disable', 'session, personal token, grant'],
  ['POST users/ada/end-sessions', 'session, personal token'],
  ['POST users/ada/revoke-tokens', 'personal token, grant'],
  ['DELETE users/ada?cascade=true', 'session, personal token, grant'],
  ['DELETE applications/acme', 'grant'],
] as const
for (const [request, ended] of calls) {
  test(`${request} ends at once: ${ended}; our choice: it ends nothing else`, async (t) => {
    const world = await openWorld(t)
    const held = await holdTokens(world)
    const tokenOf = async (browser: Browser, password = ada.password) => {
      const token = await makeToken(browser, world, { scope: ['bots.read'], password })
      return async () => (await call(world, token, 'GET', 'token')).status === 200
    }
    const [works, othersWorks] = [await tokenOf(held.browser), await tokenOf(await signedUp(world, bob), bob.password)]
    const [method = '', path] = request.split(' ')
    const answer = await provision(world, method, `/v1/${path}`)
    assert.deepEqual([answer.status, answer.json], [204, undefined])
    const left = [await isSignedIn(world, held.browser), await works(), await othersWorks()]
    assert.deepEqual(left, [!ended.includes('session'), !ended.includes('personal token'), true])
    const { client, tokens, code } = held
    const isDeleted = method === 'DELETE'
    if (ended.includes('grant')) {
      await assertGrantEnded(world, held, isDeleted ? [401, 'invalid_client'] : undefined)
    } else {
      const used = [
        await userinfo(world, tokens.access_token),
        await refresh(world, client, tokens.refresh_token),
        await redeem(world, client, code),
      ]
      assert.deepEqual(pluck(used, 'status'), [200, 200, 200])
    }
    // Both deletions also delete the application.
    const asked = await held.browser.visit(consentUrl(world, client), world)
    assert.equal(asked.status, isDeleted ? 400 : 200)
  })
}

async function post(world: World, path: string) {
  const answer = await provision(world, 'POST', `/v1/${path}`)
  assert.deepEqual([answer.status, answer.json], [204, undefined])
}

describe('POST /v1/users/{userId}/disable, /enable, /end-sessions and /revoke-tokens', () => {
  test('a disabled user can’t sign in; once enabled, they can sign in again, and tokens stay ended', async (t) => {
    const world = await openWorld(t)
    const { tokens } = await holdTokens(world)
    for (let twice = 0; twice < 2; twice += 1) await post(world, 'users/ada/disable')
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.disabled, true)
    const refused = await signIn(world, ada)
    assert.equal(refused.status, 403)
    assert.match(refused.text, /This account is disabled\. Contact the operator\./)
    assert.equal((await signIn(world, { ...ada, password: 'a wrong password' })).status, 422)

    await post(world, 'users/ada/enable')
    assert.equal((await provision(world, 'GET', '/v1/users/ada')).json.disabled, false)
    assert.equal(await isSignedIn(world, await signedIn(world)), true)
    assert.equal((await userinfo(world, tokens.access_token)).status, 401)
    const provisioned = (await exported(world)).filter(({ kind }) => kind === 'provisioned')
    assert.deepEqual(pluck(provisioned, 'detail').slice(-2), [
      { call: 'disableUser', outcome: 'disabled' },
      { call: 'enableUser', outcome: 'enabled' },
    ])
  })

  test('our choice: revoke-tokens keeps consents', async (t) => {
    const world = await openWorld(t)
    const { client, browser } = await holdTokens(world)
    await post(world, 'users/ada/revoke-tokens')
    const skipping = await browser.visit(consentUrl(world, client, { consent: 'skip' }), world)
    assert.ok(skipping.location?.searchParams.has('code'), String(skipping.location))
  })

  test('unknown users and applications return 404, malformed IDs 400, and the portal’s own application 409', async (t) => {
    const world = await openWorld(t)
    for (const action of ['disable', 'enable', 'revoke-tokens']) {
      assertProblem(await provision(world, 'POST', `/v1/users/nobody/${action}`), 404, /no user nobody/)
      assertProblem(await provision(world, 'POST', `/v1/users/a%20b/${action}`), 400, /userId in the URL/)
      assertProblem(await provision(world, 'POST', `/v1/applications/none/${action}`), 404, /no application none/)
      const own = await provision(world, 'POST', `/v1/applications/portal/${action}`)
      assertProblem(own, 409, /own developer portal/)
    }
    assertProblem(await provision(world, 'POST', '/v1/users/nobody/end-sessions'), 404, /no user nobody/)
  })
})

describe('POST /v1/applications/{applicationId}/disable, /enable and /revoke-tokens', () => {
  test('the requests, tokens and codes of a disabled application are rejected; once enabled, they work again', async (t) => {
    await disableAndEnable([await openWorld(t)])
  })

  test('on several nodes, an application that one node disabled is rejected by the other nodes', async (t) => {
    await disableAndEnable(await openNodes(t))
  })

  test('revoke-tokens revokes all tokens and codes of the application, and of no other application', async (t) => {
    const world = await openWorld(t)
    const held = await holdTokens(world)
    const { client, browser } = held
    const second = await aClient(world, 'other')
    const { json: kept } = await redeem(world, second, await codeFor(world, browser, second))
    await post(world, 'applications/acme/revoke-tokens')
    await assertGrantEnded(world, held)
    assert.equal((await userinfo(world, kept.access_token)).status, 200)
    assert.equal((await redeem(world, client, await codeFor(world, browser, client))).status, 200)
  })
})

/** Disables Ada's application on the first node and enables it again. Asserts what each node responds. */
async function disableAndEnable(nodes: readonly World[]): Promise<void> {
  const [one, last] = [nodes[0]!, nodes.at(-1)!]
  const held = await holdTokens(one)
  const { client, browser, tokens, code } = held
  const asking = await browser.visit(consentUrl(one, client, { scope: 'bots.read' }), one)
  const needingPin = consentUrl(one, client, { scope: 'user.email' })
  const unlocking = await browser.visit(needingPin, one)
  const stranger = new Browser()
  const signingIn = await stranger.visit(needingPin, one)
  await post(one, 'applications/acme/disable')
  assert.equal((await provision(one, 'GET', '/v1/applications/acme')).json.disabled, true)
  for (const node of nodes) {
    const { headers } = await userinfo(node, tokens.access_token)
    assert.match(headers.get('www-authenticate') ?? '', /error="invalid_token"/)
    await assertGrantEnded(node, held, [401, 'invalid_client'])
    assertSaysDisabled(await browser.visit(consentUrl(node, client), node))
  }
  assertSaysDisabled(await browser.submit(asking, { decision: 'allow' }, '/auth/consent'))
  const unlocked = await browser.submit(unlocking, { pin: ada.pin }, '/unlock')
  assertSaysDisabled(await browser.onward(unlocked, one))
  assertSaysDisabled(await stranger.onward(await stranger.submit(signingIn, ada, '/sign-in'), one))

  await post(one, 'applications/acme/enable')
  assert.equal((await userinfo(last, tokens.access_token)).status, 200)
  assert.equal((await redeem(last, client, code)).status, 200)
  assert.equal((await refresh(one, client, tokens.refresh_token)).status, 200)
}

function assertSaysDisabled(page: Answer): void {
  assert.deepEqual([page.status, page.location], [400, undefined])
  assert.match(page.text, /The operator disabled Acme Dashboard\./)
}
