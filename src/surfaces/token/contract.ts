import { Type } from '../../http/json-schema.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { oauthText } from '../../oauth/parameters.ts'
import { oauthErrorBody, slowDownDescribed, unavailableDescribed } from '../../oauth/responses.ts'

/** Schemas for `POST {base_url}/api/oauth/token`. The endpoint and the OpenAPI document share them. */
const client = {
  client_id: oauthText('The application’s client ID.'),
  client_secret: oauthText('The application’s client secret. Can be sent by HTTP Basic instead.'),
}

export const authorizationCodeRequest = Type.Object(
  {
    grant_type: Type.Literal('authorization_code'),
    ...client,
    code: oauthText('The code from the redirect. It works once, for 5 minutes.'),
    redirect_uri: oauthText('The redirect URI of the authorization request.'),
    code_verifier: Type.Optional(oauthText('Required if the authorization request had a code_challenge (RFC 7636).')),
  },
  { title: 'AuthorizationCodeRequest' },
)

export const refreshRequest = Type.Object(
  {
    grant_type: Type.Literal('refresh_token'),
    ...client,
    refresh_token: oauthText('The newest refresh token. It works once and is replaced.'),
    scope: Type.Optional(oauthText('A subset of the granted scopes, for this access token only.')),
  },
  { title: 'RefreshRequest' },
)

export const tokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'Bearer access token, prefix svc_at_.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ const: 900, description: 'Lifetime of the access token in seconds.' }),
    scope: Type.String({ description: 'Granted scopes, separated by spaces.' }),
    refresh_token: Type.Optional(
      Type.String({ description: 'Present only if offline_access was granted. Valid for 30 days, prefix svc_rt_.' }),
    ),
  },
  { title: 'TokenResponse' },
)

/** The parameters of both grants, without duplicates. */
export const tokenParameters = [
  ...new Set([...Object.keys(authorizationCodeRequest.properties), ...Object.keys(refreshRequest.properties)]),
]

/** Returns the required parameters, except for the client's credentials, which may be sent by HTTP Basic. */
export function requiredOf(grant: typeof authorizationCodeRequest | typeof refreshRequest): string[] {
  return grant.required.filter((name) => name !== 'client_id' && name !== 'client_secret')
}

export const tokenOperation: DescribedOperation = {
  path: '/api/oauth/token',
  method: 'post',
  operationId: 'token',
  summary: 'Exchange a code or a refresh token for tokens',
  body: Type.Union([authorizationCodeRequest, refreshRequest], { title: 'TokenRequest' }),
  security: [{}, { clientBasic: [] }],
  responses: {
    200: { description: 'The tokens. Must not be cached.', schema: tokenResponse },
    400: { description: 'The request, grant or scope is invalid.', schema: oauthErrorBody },
    401: { description: 'The client did not authenticate.', schema: oauthErrorBody },
    429: slowDownDescribed,
    503: unavailableDescribed,
  },
}
