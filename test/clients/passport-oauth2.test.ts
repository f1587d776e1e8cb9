import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TokenError } from 'passport-oauth2'
import {
  type GatehouseStrategy,
  type Person,
  redirectAfter,
  strategyOf,
} from '../../examples/libraries/passport-oauth2.ts'
import { signOut } from '../../examples/libraries/revoke.ts'
import { completes, returns } from './library.ts'
import { type ClientScene, openClientScene } from './registration.ts'

interface Outcome {
  redirect?: string
  user?: { person: Person; accessToken: string; refreshToken: string }
  failed?: unknown
}

/** Returns functions that send requests of one browser's session to the strategy. */
function openSession(strategy: GatehouseStrategy) {
  const session = {}
  const request = (address: string | URL, options: { consent?: 'skip' } = {}): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const acting = Object.assign(Object.create(strategy), {
        redirect: (redirect: string) => resolve({ redirect }),
        success: (user: Required<Outcome>['user']) => resolve({ user }),
        fail: (failed: unknown) => resolve({ failed }),
        error: reject,
      })
      acting.authenticate({ query: Object.fromEntries(new URL(address).searchParams), session }, options)
    })
  const begin = async (options?: { consent: 'skip' }) => {
    const { redirect: url = '' } = await request('http://127.0.0.1/sign-in', options)
    assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
    return { url }
  }
  return { request, begin }
}

async function open(scene: ClientScene) {
  const strategy = strategyOf(scene)
  const { request, begin } = openSession(strategy)
  return {
    begin,
    async finish(_begun: object, callback: URL) {
      const { user, failed } = await request(callback)
      if (user === undefined) throw Object.assign(new Error(), failed)
      return { person: user.person, access_token: user.accessToken, refresh_token: user.refreshToken }
    },
    async afterRefusal(error: Error) {
      // A denial is a failure of the strategy, not an error.
      if (error.message === 'The user denied the request.') return undefined
      assert.equal(redirectAfter(error), '/sign-in/with-consent')
      return begin()
    },
    async refresh(token: string) {
      const { accessToken, refreshToken } = await strategy.refresh(token)
      return { access_token: accessToken, refresh_token: refreshToken }
    },
    signOut: (token: string) => signOut(scene, token),
  }
}

completes('passport-oauth2', open, /invalid_grant/)
returns(open)

test('the state check rejects a callback from another browser', async (t) => {
  const scene = await openClientScene(t)
  const strategy = strategyOf(scene)
  const { url } = await openSession(strategy).begin()
  const outcome = await openSession(strategy).request(await scene.consent(url))
  assert.deepEqual(outcome, { failed: { message: 'Unable to verify authorization request state.' } })
})

test('passport-oauth2’s token errors include the code and description', async (t) => {
  const scene = await openClientScene(t)
  const { request, begin } = openSession(strategyOf({ ...scene, clientSecret: 'svc_cs_wrong' }))
  const { url } = await begin()
  const error = { constructor: TokenError, code: 'invalid_client', message: /client_secret is wrong/ }
  await assert.rejects(request(await scene.consent(url)), error)
})
