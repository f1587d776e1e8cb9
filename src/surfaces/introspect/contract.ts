import { Type } from '../../http/json-schema.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { oauthText } from '../../oauth/parameters.ts'
import { oauthErrorBody, slowDownDescribed, unavailableDescribed } from '../../oauth/responses.ts'

/** Body of `POST {base_url}/api/oauth/introspect` (RFC 7662). */
export const introspectRequest = Type.Object(
  {
    token: oauthText(),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'], { type: 'string' })),
    client_id: oauthText(),
    client_secret: oauthText(),
  },
  { title: 'IntrospectRequest' },
)

export const introspectResponse = Type.Object(
  {
    active: Type.Boolean({
      description: 'False, without other members, unless the token is valid and the caller may introspect it.',
    }),
    token_type: Type.Optional(Type.Enum(['Bearer', 'refresh_token'], { type: 'string' })),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since the epoch.' })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since the epoch.' })),
  },
  { title: 'IntrospectResponse' },
)

export const introspectOperation: DescribedOperation = {
  path: '/api/oauth/introspect',
  method: 'post',
  operationId: 'introspect',
  summary: 'Introspect one of the client’s own tokens',
  body: introspectRequest,
  security: [{}, { clientBasic: [] }],
  responses: {
    200: { description: 'The state of the token.', schema: introspectResponse },
    400: { description: 'The parameter token is missing, or the body is malformed.', schema: oauthErrorBody },
    401: { description: 'The client did not authenticate.', schema: oauthErrorBody },
    429: slowDownDescribed,
    503: unavailableDescribed,
  },
}
