import OAuth2Strategy from 'passport-oauth2'
import type { Registration } from './registration.ts'

export interface Person {
  sub: string
  name?: string
}

export class GatehouseStrategy extends OAuth2Strategy {
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

/**
 * Creates the strategy for `passport.use(…)`. `passport.authenticate('gatehouse')` then guards both the start and the
 * callback route.
 */
export function strategyOf(registration: Registration): GatehouseStrategy {
  return new GatehouseStrategy(
    registration,
    // Find or create your user by `person.sub` here, and store the refresh token.
    (accessToken: string, refreshToken: string, person: Person, done: OAuth2Strategy.VerifyCallback) =>
      done(null, { person, accessToken, refreshToken }),
  )
}

/**
 * Returns where an Express error handler should redirect: `app.use((error, request, response, next) => …)`. If
 * `consent=skip` was not enough, that is a route with `passport.authenticate('gatehouse')`, which shows the consent
 * page.
 */
export function redirectAfter(error: Error & { code?: string }): string | undefined {
  return error.code === 'consent_required' ? '/sign-in/with-consent' : undefined
}
