import * as limits from '../../domain/limits/limits.ts'
import { Type } from '../../http/json-schema.ts'
import { type DescribedOperation, oauthText } from '../../oauth/oauth-endpoints.ts'

/** The query of `GET {base_url}/auth/consent`, for OpenAPI. The domain's authorization request enforces the rules. */
const consentParameters = Type.Object({
  client_id: oauthText('The application’s client ID.'),
  redirect_uri: oauthText('Must match a registered redirect URI exactly.'),
  response_type: Type.Literal('code'),
  scope: oauthText('Scopes, separated by spaces.'),
  state: Type.Optional(
    oauthText('Returned unchanged. Send one with every request to prevent CSRF.', limits.stateMaxCharacters),
  ),
  consent: Type.Optional(
    Type.Literal('skip', 'Skips the consent screen if the user has already granted all requested scopes.'),
  ),
  code_challenge: Type.Optional(oauthText('PKCE code challenge (RFC 7636).')),
  code_challenge_method: Type.Optional(Type.Literal('S256')),
})

export const consentOperation: DescribedOperation = {
  path: '/auth/consent',
  method: 'get',
  operationId: 'consent',
  summary: 'Start the browser authorization flow',
  query: consentParameters,
  security: [],
  responses: {
    302: {
      description: 'Redirects to a page of the flow, or to the redirect URI with code or error, and state.',
      headers: { Location: 'The next URL.' },
    },
    400: { description: 'An error page, because the client is unknown or the redirect URI is not registered.' },
  },
}
