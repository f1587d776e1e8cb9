import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
// recipe: set up
import OAuth2Strategy from 'passport-oauth2'

interface Person {
  sub: string
  name?: string
}

class GatehouseStrategy extends OAuth2Strategy {
  override name = 'gatehouse'
  // Not `#userinfo`: passport calls methods on objects that inherit from the strategy, and those lack its private
  // members.
  private readonly userinfo: string

  constructor({ gatehouse, clientId, clientSecret, redirectUri }: Registration, verify: OAuth2Strategy.VerifyFunction) {
    super(
      {
        authorizationURL: `${gatehouse}/auth/consent`,
        tokenURL: `${gatehouse}/api/oauth/token`,
        clientID: clientId,
        clientSecret,
        callbackURL: redirectUri,
        scope: ['user.identify', 'offline_access'],
        // `state` and `pkce` are off by default. Both need a session, for example from express-session.
        state: true,
        pkce: true,
      },
      verify,
    )
    this.userinfo = `${gatehouse}/api/oauth/userinfo`
    // By default, the library sends the access token in the URL, where Gatehouse does not accept it.
    this._oauth2.useAuthorizationHeaderforGET(true)
  }

  /** Sends `consent=skip` for `passport.authenticate('gatehouse', { consent: 'skip' })`. */
  override authorizationParams({ consent }: { consent?: 'skip' }): object {
    return consent === undefined ? {} : { consent }
  }

  /** Reads the profile from userinfo. The library's default profile is empty. */
  override userProfile(accessToken: string, done: (error?: unknown, person?: Person) => void): void {
    this._oauth2.get(this.userinfo, accessToken, (error, body) => {
      if (error) done(new OAuth2Strategy.InternalOAuthError('userinfo failed', error))
      else done(null, JSON.parse(String(body)))
    })
  }

  /**
   * Refreshes the tokens, which passport itself does not do. Store the new refresh token immediately: the old one is
   * spent, and using it again revokes all tokens of the authorization.
   */
  refresh(refreshToken: string): Promise<{ accessToken: string; refreshToken: string }> {
    return new Promise((resolve, reject) => {
      this._oauth2.getOAuthAccessToken(refreshToken, { grant_type: 'refresh_token' }, (error, accessToken, next) => {
        if (error) reject(new OAuth2Strategy.InternalOAuthError(`refresh failed: ${JSON.stringify(error)}`, error))
        else resolve({ accessToken: accessToken as string, refreshToken: next as string })
      })
    })
  }
}

// end of recipe
import { aSpentRefreshToken, type ClientScene, openClientScene, type Registration } from './registration.ts'

// recipe: use
/**
 * Creates the strategy for `passport.use(…)`. `passport.authenticate('gatehouse')` then guards both the start and the
 * callback route.
 */
function strategyOf(registration: Registration): GatehouseStrategy {
  return new GatehouseStrategy(
    registration,
    // Find or create your user by `person.sub` here, and store the refresh token.
    (accessToken: string, refreshToken: string, person: Person, done: OAuth2Strategy.VerifyCallback) =>
      done(null, { person, accessToken, refreshToken }),
  )
}
// end of recipe

/**
 * Returns where an Express error handler should redirect: `app.use((error, request, response, next) => …)`. If
 * `consent=skip` was not enough, that is a route with `passport.authenticate('gatehouse')`, which shows the consent
 * page.
 */
function redirectAfter(error: Error & { code?: string }): string | undefined {
  return error.code === 'consent_required' ? '/sign-in/with-consent' : undefined
}

// recipe: revoke
/**
 * Revokes the entire authorization, including all its tokens. The refresh token alone is enough; no client credentials
 * are needed.
 */
async function signOut({ gatehouse }: Registration, refreshToken: string): Promise<void> {
  await fetch(`${gatehouse}/api/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token: refreshToken }) })
}
// end of recipe

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

describe('passport-oauth2 from npm', () => {
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
})
