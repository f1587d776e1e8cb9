import type { Static } from 'typebox'
import type { Authorization, IssuedTokens } from '../../domain/authorization/authorization.ts'
import { accessTokenLifetimeSeconds } from '../../domain/limits.ts'
import type { ClientAuthentication } from '../../http/client-authentication.ts'
import type { OAuthEndpoint } from '../../http/oauth-endpoint.ts'
import { OAuthRefusal, oauthJson } from '../../http/oauth-error-reply.ts'
import { readOAuthParameters, requireParameters } from '../../http/oauth-parameters.ts'
import {
  authorizationCodeRequest,
  refreshRequest,
  requiredOf,
  tokenParameters,
  type tokenResponse,
} from './contract.ts'

const codeRequires = requiredOf(authorizationCodeRequest)
const refreshRequires = requiredOf(refreshRequest)

/**
 * `POST /api/oauth/token` (RFC 6749 section 3.2). The client is authenticated once, before the grant is
 * looked at: a client that fails changes nothing, and no grant can forget it.
 */
export function tokenEndpoint(rooms: { authorization: Authorization; clients: ClientAuthentication }): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/api/oauth/token',
    async answer(request) {
      const parameters = readOAuthParameters(request, tokenParameters)
      const client = await rooms.clients.authenticate(request, parameters)
      requireParameters(parameters, ['grant_type'])
      const parameter = (name: string) => parameters.get(name) as string

      switch (parameters.get('grant_type')) {
        case 'authorization_code': {
          requireParameters(parameters, codeRequires)
          const tokens = await rooms.authorization.redeemCode({
            client,
            clearTextCode: parameter('code'),
            redirectUri: parameter('redirect_uri'),
            clearTextVerifier: parameters.get('code_verifier'),
            origin: request.from(),
          })
          return oauthJson(200, tokenBody(tokens))
        }
        case 'refresh_token': {
          requireParameters(parameters, refreshRequires)
          const tokens = await rooms.authorization.refresh({
            client,
            clearTextRefreshToken: parameter('refresh_token'),
            scope: parameters.get('scope'),
            origin: request.from(),
          })
          return oauthJson(200, tokenBody(tokens))
        }
        default:
          throw new OAuthRefusal('grant-type-unsupported')
      }
    },
  }
}

function tokenBody(tokens: IssuedTokens): Static<typeof tokenResponse> {
  return {
    access_token: tokens.accessToken,
    token_type: 'Bearer',
    expires_in: accessTokenLifetimeSeconds,
    scope: tokens.scopes.join(' '),
    ...(tokens.refreshToken === undefined ? {} : { refresh_token: tokens.refreshToken }),
  }
}
