import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { ClientAuthentication } from '../../oauth/client-authentication.ts'
import type { OAuthEndpoint } from '../../oauth/oauth-endpoints.ts'
import { readOAuthParameters, requireParameters } from '../../oauth/parameters.ts'
import { oauthEmpty } from '../../oauth/responses.ts'
import { revokeRequest } from './contract.ts'

const known = Object.keys(revokeRequest.properties)

/** `POST /api/oauth/revoke` (RFC 7009). Ignores `token_type_hint`, because the token's prefix identifies its kind. */
export function revokeEndpoint(services: {
  authorization: Pick<Authorization, 'tokens'>
  clients: ClientAuthentication
}): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/api/oauth/revoke',
    async answer(request) {
      const parameters = readOAuthParameters(request, known)
      const client = await services.clients.authenticateIfTried(request, parameters)
      requireParameters(parameters, revokeRequest.required)
      await services.authorization.tokens.revoke(parameters.get('token') as string, client, request.from())
      return oauthEmpty
    },
  }
}
