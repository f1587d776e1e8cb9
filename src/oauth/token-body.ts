import type { IssuedTokens } from '../domain/authorization/tokens.ts'
import { accessTokenLifetimeSeconds } from '../domain/limits/limits.ts'

/** Returns the token response (RFC 6749, section 5.1). Its members and their order match the specification's table. */
export function tokenBody({ accessToken, refreshToken, scopes }: IssuedTokens) {
  return {
    access_token: accessToken,
    token_type: 'Bearer' as const,
    expires_in: accessTokenLifetimeSeconds,
    scope: scopes.join(' '),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  }
}
