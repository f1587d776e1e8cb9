import { Type } from '../../http/json-schema.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { oauthText } from '../../oauth/parameters.ts'
import { oauthErrorBody, slowDownDescribed, unavailableDescribed } from '../../oauth/responses.ts'

/** Body of `POST {base_url}/api/oauth/revoke` (RFC 7009). */
export const revokeRequest = Type.Object(
  {
    token: oauthText('The access or refresh token to revoke.'),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'], { type: 'string' })),
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
    400: { description: 'The parameter token is missing, or the body is malformed.', schema: oauthErrorBody },
    401: { description: 'The credentials are wrong.', schema: oauthErrorBody },
    429: slowDownDescribed,
    503: unavailableDescribed,
  },
}
