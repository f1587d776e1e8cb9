import type { Applications } from '../../domain/applications/applications.ts'
import type { Client } from '../../domain/applications/clients.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { OperatorKeys } from '../../domain/operators/operator-keys.ts'
import { clearTextBearer } from '../../http/authorization-header.ts'
import type { Static } from '../../http/json-schema.ts'
import type { ClientAuthentication } from '../../oauth/client-authentication.ts'
import type { OAuthEndpoint } from '../../oauth/oauth-endpoints.ts'
import { readOAuthParameters, requireParameters } from '../../oauth/parameters.ts'
import { oauthJson } from '../../oauth/responses.ts'
import { introspectRequest, type introspectResponse } from './contract.ts'

const known = Object.keys(introspectRequest.properties)

/**
 * `POST /api/oauth/introspect` (RFC 7662). Clients can introspect their own tokens. The platform's resource servers can
 * introspect any token by sending an operator key as a bearer token.
 */
export function introspectEndpoint(services: {
  authorization: Pick<Authorization, 'liveTokens'>
  applications: Pick<Applications, 'clients'>
  clients: ClientAuthentication
  operatorKeys: OperatorKeys
}): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/api/oauth/introspect',
    async answer(request) {
      const parameters = readOAuthParameters(request, known)
      const clearTextKey = clearTextBearer(request.headers.authorization)
      const operator = clearTextKey && (await services.operatorKeys.authenticate(clearTextKey))
      const client: Client | undefined = operator ? undefined : await services.clients.authenticate(request, parameters)
      requireParameters(parameters, ['token'])
      const token = await services.authorization.liveTokens.describe(parameters.get('token') as string, client)
      const application =
        token === undefined ? undefined : (client ?? (await services.applications.clients.findById(token.application)))
      const body: Static<typeof introspectResponse> =
        token === undefined || application === undefined
          ? { active: false }
          : {
              active: true,
              token_type: token.tokenType === 'access_token' ? 'Bearer' : 'refresh_token',
              scope: token.scopes.join(' '),
              client_id: application.clientId,
              sub: token.userId,
              ...(token.issuedAtSeconds === undefined ? {} : { iat: token.issuedAtSeconds }),
              exp: token.expiresAtSeconds,
            }
      return oauthJson(200, body)
    },
  }
}
