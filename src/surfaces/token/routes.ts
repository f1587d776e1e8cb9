import type { Client } from '../../domain/applications/clients.ts'
import type { RequestLog } from '../../domain/applications/request-log.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { IssuedTokens } from '../../domain/authorization/tokens.ts'
import type { Static } from '../../http/json-schema.ts'
import type { ClientAuthentication } from '../../oauth/client-authentication.ts'
import type { OAuthEndpoint, OAuthRequest } from '../../oauth/oauth-endpoints.ts'
import { type OAuthParameters, readOAuthParameters, requireParameters } from '../../oauth/parameters.ts'
import { OAuthRefusal, oauthJson, recordRefusal, tokenBody } from '../../oauth/responses.ts'
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
 * `POST /api/oauth/token` (RFC 6749 section 3.2). Authenticates the client before looking at the grant. A client that
 * fails authentication therefore changes nothing, and no grant type can skip it.
 */
export function tokenEndpoint(services: {
  authorization: Pick<Authorization, 'tokens'>
  clients: ClientAuthentication
  requests: RequestLog
}): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/api/oauth/token',
    async answer(request) {
      const parameters = readOAuthParameters(request, tokenParameters)
      const client = await services.clients.authenticate(request, parameters)
      try {
        const body: Static<typeof tokenResponse> = tokenBody(
          await grant(services.authorization, client, parameters, request),
        )
        return oauthJson(200, body)
      } catch (error) {
        const redirectUri = parameters.get('redirect_uri')
        recordRefusal(services.requests, error, { applicationId: client.id, place: 'token', redirectUri })
        throw error
      }
    },
  }
}

async function grant(
  authorization: Pick<Authorization, 'tokens'>,
  client: Client,
  parameters: OAuthParameters,
  request: OAuthRequest,
): Promise<IssuedTokens> {
  requireParameters(parameters, ['grant_type'])
  const parameter = (name: string) => parameters.get(name) as string
  const origin = request.from()
  switch (parameters.get('grant_type')) {
    case 'authorization_code':
      requireParameters(parameters, codeRequires)
      return authorization.tokens.redeemCode({
        client,
        clearTextCode: parameter('code'),
        redirectUri: parameter('redirect_uri'),
        clearTextVerifier: parameters.get('code_verifier'),
        origin,
      })
    case 'refresh_token':
      requireParameters(parameters, refreshRequires)
      return authorization.tokens.refresh({
        client,
        clearTextRefreshToken: parameter('refresh_token'),
        scope: parameters.get('scope'),
        origin,
      })
    default:
      throw new OAuthRefusal('grant-type-unsupported')
  }
}
