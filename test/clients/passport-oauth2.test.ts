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

/** Sends a browser's requests to the strategy, all in one session, and returns the outcome of each. */
class Visitor {
  readonly #strategy: GatehouseStrategy
  readonly #session = {}

  constructor(strategy: GatehouseStrategy) {
    this.#strategy = strategy
  }

  request(address: string | URL, options: { consent?: 'skip' } = {}): Promise<Outcome> {
    const query = Object.fromEntries(new URL(address).searchParams)
    return new Promise((resolve, reject) => {
      const acting = Object.assign(Object.create(this.#strategy), {
        redirect: (redirect: string) => resolve({ redirect }),
        success: (user: Required<Outcome>['user']) => resolve({ user }),
        fail: (failed: unknown) => resolve({ failed }),
        error: reject,
      })
      acting.authenticate({ query, session: this.#session }, options)
    })
  }

  async begin({ redirectUri }: ClientScene, options?: { consent: 'skip' }): Promise<{ url: string }> {
    const { redirect } = await this.request(new URL('/sign-in', redirectUri), options)
    assert.equal(new URL(redirect ?? '').searchParams.get('code_challenge_method'), 'S256')
    return { url: redirect ?? '' }
  }
}

async function open(scene: ClientScene) {
  const strategy = strategyOf(scene)
  const visitor = new Visitor(strategy)
  return {
    begin: (more?: { consent: 'skip' }) => visitor.begin(scene, more),
    async finish(_begun: object, callback: URL) {
      const { user, failed } = await visitor.request(callback)
      if (user === undefined) throw Object.assign(new Error(), failed)
      return { person: user.person, access_token: user.accessToken, refresh_token: user.refreshToken }
    },
    async afterRefusal(error: Error) {
      // A denial is a failure of the strategy, not an error.
      if (error.message === 'The user denied the request.') return undefined
      assert.equal(redirectAfter(error), '/sign-in/with-consent')
      return visitor.begin(scene)
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
  const { url } = await new Visitor(strategy).begin(scene)
  const outcome = await new Visitor(strategy).request(await scene.consent(url))
  assert.deepEqual(outcome, { failed: { message: 'Unable to verify authorization request state.' } })
})

test('passport-oauth2’s token errors include the code and description', async (t) => {
  const scene = await openClientScene(t)
  const visitor = new Visitor(strategyOf({ ...scene, clientSecret: 'svc_cs_wrong' }))
  const { url } = await visitor.begin(scene)
  await assert.rejects(visitor.request(await scene.consent(url)), {
    constructor: TokenError,
    code: 'invalid_client',
    message: /client_secret is wrong/,
  })
})
