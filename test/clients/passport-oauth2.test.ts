import assert from 'node:assert/strict'
import { test } from 'node:test'
import OAuth2Strategy from 'passport-oauth2'
import {
  type GatehouseStrategy,
  type Person,
  redirectAfter,
  strategyOf,
} from '../../examples/libraries/passport-oauth2.ts'
import type { Registration } from '../../examples/libraries/registration.ts'
import { signOut } from '../../examples/libraries/revoke.ts'
import { aSpentRefreshToken, type ClientScene, openClientScene } from './registration.ts'

interface SignedIn {
  person: Person
  accessToken: string
  refreshToken: string
}

type Outcome = { redirect: string } | { user: SignedIn } | { failed: unknown } | { error: Error & { code?: string } }

/** Sends a browser's requests to the strategy, all in one session, and returns the outcome of each. */
class Visitor {
  readonly #strategy: GatehouseStrategy
  readonly #session = {}

  constructor(strategy: GatehouseStrategy) {
    this.#strategy = strategy
  }

  request(address: string | URL, options: { consent?: 'skip' } = {}): Promise<Outcome> {
    const query = Object.fromEntries(new URL(address).searchParams)
    return new Promise((resolve) => {
      const acting = Object.assign(Object.create(this.#strategy), {
        redirect: (redirect: string) => resolve({ redirect }),
        success: (user: SignedIn) => resolve({ user }),
        fail: (failed: unknown) => resolve({ failed }),
        error: (error: Error) => resolve({ error }),
      })
      acting.authenticate({ query, session: this.#session }, options)
    })
  }
}

function visitorOf(registration: Registration) {
  const strategy = strategyOf(registration)
  return { strategy, visitor: new Visitor(strategy) }
}

async function begin(visitor: Visitor, scene: ClientScene): Promise<string> {
  const begun = await visitor.request(new URL('/auth/gatehouse', scene.redirectUri))
  assert.ok('redirect' in begun, JSON.stringify(begun))
  return begun.redirect
}

test('passport-oauth2 completes consent, code exchange, userinfo, refresh and revocation', async (t) => {
  const scene = await openClientScene(t)
  const { strategy, visitor } = visitorOf(scene)
  const url = await begin(visitor, scene)
  assert.equal(new URL(url).searchParams.get('code_challenge_method'), 'S256')
  const outcome = await visitor.request(await scene.consent(url))
  assert.ok('user' in outcome, JSON.stringify(outcome))
  assert.deepEqual(outcome.user.person, { sub: 'ada', serviceId: 'ada', name: 'Ada', botCount: 0 })

  const next = await strategy.refresh(outcome.user.refreshToken)
  assert.notEqual(next.refreshToken, outcome.user.refreshToken)
  assert.equal(await scene.isAlive(next.accessToken), true)
  await signOut(scene, next.refreshToken)
  assert.equal(await scene.isAlive(next.accessToken), false)
})

test('without useAuthorizationHeaderforGET the token is in the URL, and the error says to send it as a header', async (t) => {
  const scene = await openClientScene(t)
  const { strategy, visitor } = visitorOf(scene)
  ;(strategy as unknown as { _oauth2: { useAuthorizationHeaderforGET(use: boolean): void } })._oauth2 // protected
    .useAuthorizationHeaderforGET(false)
  const outcome = await visitor.request(await scene.consent(await begin(visitor, scene)))
  assert.ok('error' in outcome && outcome.error instanceof OAuth2Strategy.InternalOAuthError, JSON.stringify(outcome))
  assert.equal(outcome.error.oauthError.statusCode, 401)
  assert.deepEqual(JSON.parse(outcome.error.oauthError.data), {
    error: 'invalid_token',
    error_description: 'Send the access token in the header Authorization: Bearer <token>, not in the URL.',
  })
  assert.doesNotMatch(scene.world.logs(), /svc_at_/, 'the URL is not logged')
})

test('a denial is reported as a strategy failure, not an error', async (t) => {
  const scene = await openClientScene(t)
  const { visitor } = visitorOf(scene)
  const outcome = await visitor.request(await scene.deny(await begin(visitor, scene)))
  assert.deepEqual(outcome, { failed: { message: 'The user denied the request.' } })
})

test('with consent=skip, a returning user is signed in and a new user gets an error with the code consent_required', async (t) => {
  const scene = await openClientScene(t)
  const { visitor } = visitorOf(scene)
  const skip = async () => {
    const begun = await visitor.request(new URL('/sign-in', scene.redirectUri), { consent: 'skip' })
    assert.ok('redirect' in begun, JSON.stringify(begun))
    return visitor.request(await scene.redirect(begun.redirect))
  }
  const first = await skip()
  assert.ok('error' in first, JSON.stringify(first))
  assert.equal(redirectAfter(first.error), '/sign-in/with-consent')
  assert.ok('user' in (await visitor.request(await scene.consent(await begin(visitor, scene)))))
  assert.ok('user' in (await skip()))
})

test('the state check rejects a callback from another browser', async (t) => {
  const scene = await openClientScene(t)
  const { strategy, visitor } = visitorOf(scene)
  const callback = await scene.consent(await begin(visitor, scene))
  const outcome = await new Visitor(strategy).request(callback)
  assert.deepEqual(outcome, { failed: { message: 'Unable to verify authorization request state.' } })
})

test('passport-oauth2’s token errors include the code and description', async (t) => {
  const scene = await openClientScene(t)
  const { visitor } = visitorOf({ ...scene, clientSecret: 'svc_cs_wrong' })
  const outcome = await visitor.request(await scene.consent(await begin(visitor, scene)))
  assert.ok('error' in outcome, JSON.stringify(outcome))
  assert.equal(outcome.error.code, 'invalid_client')
  assert.match(outcome.error.message, /client_secret is wrong/)

  const { spent } = await aSpentRefreshToken(scene)
  await assert.rejects(visitorOf(scene).strategy.refresh(spent), /invalid_grant.*already used/)
})
