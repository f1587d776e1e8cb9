import { Type } from '../../http/json-schema.ts'
import {
  type DescribedOperation,
  type OAuthEndpoint,
  oauthText,
  requiredParameter,
} from '../../oauth/oauth-endpoints.ts'
import type { OAuthServices } from '../../oauth/oauth-services.ts'
import { errorsDescribed, oauthEmpty } from '../../oauth/responses.ts'

/** `POST /api/oauth/revoke` (RFC 7009). Ignores `token_type_hint`, because the token's prefix identifies its kind. */
export function revokeEndpoint(services: Pick<OAuthServices, 'authorization' | 'clients'>): OAuthEndpoint {
  return {
    operation: revokeOperation,
    async answer(request) {
      const client = await services.clients.authenticateIfTried(request)
      const token = requiredParameter(request, 'token')
      await services.authorization.tokens.revoke(token, client, request.from())
      return oauthEmpty
    },
  }
}

const revokeRequest = Type.Object(
  {
    token: oauthText('The access or refresh token to revoke.'),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
    client_id: Type.Optional(
      oauthText('Optional, since possession of the token is enough. Checked if sent with a secret.'),
    ),
    client_secret: Type.Optional(oauthText()),
  },
  { title: 'RevokeRequest' },
)

export const revokeOperation: DescribedOperation = {
  path: '/api/oauth/revoke',
  method: 'post',
  operationId: 'revoke',
  summary: 'Revoke an access token, or a refresh token with its whole family',
  body: revokeRequest,
  security: [{}, { clientBasic: [] }],
  responses: {
    200: { description: 'The token is revoked or was unknown. The body is empty.' },
    ...errorsDescribed({
      invalid: 'The parameter token is missing, or the body is malformed.',
      unauthenticated: 'The credentials are wrong.',
    }),
  },
}
