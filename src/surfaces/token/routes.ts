import type { FastifyPluginAsync } from 'fastify'
import type { Static } from 'typebox'
import type { Authorization, IssuedTokens } from '../../domain/authorization/authorization.ts'
import { accessTokenLifetimeSeconds } from '../../domain/limits.ts'
import { browserInfo } from '../../http/browser-info.ts'
import type { ClientAuthentication } from '../../http/client-authentication.ts'
import { OAuthRefusal, sendOAuthJson } from '../../http/oauth-error-reply.ts'
import { readOAuthParameters, requireParameters, takeRawBodies } from '../../http/oauth-parameters.ts'
import { answerErrorsAsOAuth } from '../../http/oauth-surface.ts'
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
export function tokenSurface(rooms: {
  authorization: Authorization
  clients: ClientAuthentication
}): FastifyPluginAsync {
  return async (app) => {
    takeRawBodies(app)
    answerErrorsAsOAuth(app)

    app.post('/api/oauth/token', async (request, reply) => {
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
            origin: browserInfo(request),
          })
          return sendOAuthJson(reply, 200, tokenBody(tokens))
        }
        case 'refresh_token': {
          requireParameters(parameters, refreshRequires)
          const tokens = await rooms.authorization.refresh({
            client,
            clearTextRefreshToken: parameter('refresh_token'),
            scope: parameters.get('scope'),
            origin: browserInfo(request),
          })
          return sendOAuthJson(reply, 200, tokenBody(tokens))
        }
        default:
          throw new OAuthRefusal('grant-type-unsupported')
      }
    })
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
