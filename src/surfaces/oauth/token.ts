import type { Client } from '../../domain/applications/clients.ts'
import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { IssuedTokens } from '../../domain/authorization/tokens.ts'
import { type Static, Type } from '../../http/json-schema.ts'
import {
  type DescribedOperation,
  type OAuthEndpoint,
  type OAuthRequest,
  oauthText,
  requiredParameter,
} from '../../oauth/oauth-endpoints.ts'
import type { OAuthServices } from '../../oauth/oauth-services.ts'
import { errorsDescribed, OAuthRefusal, oauthJson, recordRefusal, tokenBody } from '../../oauth/responses.ts'

/**
 * `POST /api/oauth/token` (RFC 6749 section 3.2). Authenticates the client before it looks at the grant: a client that
 * fails changes nothing, and no grant type can skip it.
 */
export function tokenEndpoint(services: Pick<OAuthServices, 'authorization' | 'clients' | 'requests'>): OAuthEndpoint {
  return {
    operation: tokenOperation,
    async answer(request) {
      const client = await services.clients.authenticate(request)
      try {
        const issued = await grant(services.authorization.tokens, client, request)
        const body: Static<typeof tokenResponse> = tokenBody(issued)
        return oauthJson(200, body)
      } catch (error) {
        const redirectUri = request.parameters.get('redirect_uri')
        recordRefusal(services.requests, error, { applicationId: client.id, place: 'token', redirectUri })
        throw error
      }
    },
  }
}

function grant(tokens: Authorization['tokens'], client: Client, request: OAuthRequest): Promise<IssuedTokens> {
  const { parameters } = request
  const origin = request.from()
  switch (requiredParameter(request, 'grant_type')) {
    case 'authorization_code':
      return tokens.redeemCode({
        client,
        clearTextCode: requiredParameter(request, 'code'),
        redirectUri: requiredParameter(request, 'redirect_uri'),
        clearTextVerifier: parameters.get('code_verifier'),
        origin,
      })
    case 'refresh_token':
      return tokens.refresh({
        client,
        clearTextRefreshToken: requiredParameter(request, 'refresh_token'),
        scope: parameters.get('scope'),
        origin,
      })
    default:
      throw new OAuthRefusal('grant-type-unsupported')
  }
}

const credentials = {
  client_id: oauthText('The application’s client ID.'),
  client_secret: oauthText('The application’s client secret. Can be sent by HTTP Basic instead.'),
}

const authorizationCodeRequest = Type.Object(
  {
    grant_type: Type.Literal('authorization_code'),
    ...credentials,
    code: oauthText('The code from the redirect. It works once, for 5 minutes.'),
    redirect_uri: oauthText('The redirect URI of the authorization request.'),
    code_verifier: Type.Optional(oauthText('Required if the authorization request had a code_challenge (RFC 7636).')),
  },
  { title: 'AuthorizationCodeRequest' },
)

const refreshRequest = Type.Object(
  {
    grant_type: Type.Literal('refresh_token'),
    ...credentials,
    refresh_token: oauthText('The newest refresh token. It works once and is replaced.'),
    scope: Type.Optional(oauthText('A subset of the granted scopes, for this access token only.')),
  },
  { title: 'RefreshRequest' },
)

const tokenResponse = Type.Object(
  {
    access_token: Type.String('Bearer access token, prefix svc_at_.'),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ const: 900, description: 'Lifetime of the access token in seconds.' }),
    scope: Type.String('Granted scopes, separated by spaces.'),
    refresh_token: Type.Optional(
      Type.String('Present only if offline_access was granted. Valid for 30 days, prefix svc_rt_.'),
    ),
  },
  { title: 'TokenResponse' },
)

export const tokenOperation: DescribedOperation = {
  path: '/api/oauth/token',
  method: 'post',
  operationId: 'token',
  summary: 'Exchange a code or a refresh token for tokens',
  body: Type.Union([authorizationCodeRequest, refreshRequest], { title: 'TokenRequest' }),
  security: [{}, { clientBasic: [] }],
  responses: {
    200: { description: 'The tokens. Must not be cached.', schema: tokenResponse },
    ...errorsDescribed({
      invalid: 'The request, grant or scope is invalid.',
      unauthenticated: 'The client did not authenticate.',
    }),
  },
}
