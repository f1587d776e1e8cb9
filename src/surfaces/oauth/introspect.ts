import type { Client } from '../../domain/applications/clients.ts'
import { type Static, Type } from '../../http/json-schema.ts'
import { clearTextBasicPasswords, clearTextBearer } from '../../http/request-origin.ts'
import {
  type DescribedOperation,
  type OAuthEndpoint,
  type OAuthRequest,
  oauthText,
  requiredParameter,
} from '../../oauth/oauth-endpoints.ts'
import type { OAuthServices } from '../../oauth/oauth-services.ts'
import { errorsDescribed, oauthJson } from '../../oauth/responses.ts'

/**
 * `POST /api/oauth/introspect` (RFC 7662). Clients can introspect their own tokens. The platform's resource servers can
 * introspect any token by sending an operator key, as a bearer token or as the password of HTTP Basic with any user name.
 */
export function introspectEndpoint(services: Omit<OAuthServices, 'profile' | 'requests'>): OAuthEndpoint {
  return {
    operation: introspectOperation,
    async answer(request) {
      const client: Client | undefined = (await isOperator(services.operatorKeys, request))
        ? undefined
        : await services.clients.authenticate(request)
      const token = await services.authorization.liveTokens.describe(requiredParameter(request, 'token'), client)
      const application =
        token === undefined
          ? undefined
          : (client ?? (await services.applications.clients.findById(token.applicationId)))
      const body: Static<typeof introspectResponse> =
        token === undefined || application === undefined
          ? { active: false }
          : {
              active: true,
              token_type: token.tokenType,
              scope: token.scopes.join(' '),
              client_id: application.clientId,
              sub: token.userId,
              ...(token.issuedAtMs !== undefined && { iat: Math.floor(token.issuedAtMs / 1_000) }),
              exp: Math.floor(token.expiresAtMs / 1_000),
            }
      return oauthJson(200, body)
    },
  }
}

async function isOperator(operatorKeys: OAuthServices['operatorKeys'], { headers }: OAuthRequest): Promise<boolean> {
  const bearer = clearTextBearer(headers.authorization)
  for (const clearTextKey of bearer === undefined ? clearTextBasicPasswords(headers.authorization) : [bearer]) {
    if ((await operatorKeys.authenticate(clearTextKey)) !== undefined) return true
  }
  return false
}

const introspectRequest = Type.Object(
  {
    token: oauthText(),
    token_type_hint: Type.Optional(Type.Enum(['access_token', 'refresh_token'])),
    client_id: Type.Optional(oauthText('Not needed with HTTP Basic or an operator key.')),
    client_secret: Type.Optional(oauthText()),
  },
  { title: 'IntrospectRequest' },
)

const introspectResponse = Type.Object(
  {
    active: Type.Boolean('False, without other members, unless the token is valid and the caller may introspect it.'),
    token_type: Type.Optional(Type.Enum(['Bearer', 'refresh_token'])),
    scope: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    iat: Type.Optional(Type.Integer('Seconds since the epoch.')),
    exp: Type.Optional(Type.Integer('Seconds since the epoch.')),
  },
  { title: 'IntrospectResponse' },
)

export const introspectOperation: DescribedOperation = {
  path: '/api/oauth/introspect',
  method: 'post',
  operationId: 'introspect',
  summary: 'Introspect one of the client’s own tokens or, with an operator key, any token',
  body: introspectRequest,
  security: [{}, { clientBasic: [] }, { operator: [] }],
  responses: {
    200: { description: 'The state of the token.', schema: introspectResponse },
    ...errorsDescribed({
      invalid: 'The parameter token is missing, or the body is malformed.',
      unauthenticated: 'The client did not authenticate.',
    }),
  },
}
