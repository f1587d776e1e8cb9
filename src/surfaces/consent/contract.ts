import { Type } from 'typebox'
import type { DescribedOperation } from '../../oauth/described-operation.ts'
import { oauthText } from '../../oauth/text-parameter.ts'

/** Query of `GET {base_url}/auth/consent` for OpenAPI. The domain's authorization request enforces the rules. */
export const consentParameters = Type.Object({
  client_id: oauthText('The application’s client id.'),
  redirect_uri: oauthText('Must exactly match a registered URI.'),
  response_type: Type.Literal('code'),
  scope: oauthText('Scopes separated by spaces.'),
  state: Type.Optional(oauthText('Returned unchanged. Send one on every request, against forgery.')),
  consent: Type.Optional(
    Type.Literal('skip', { description: 'No consent screen when every requested scope was granted before.' }),
  ),
  code_challenge: Type.Optional(oauthText('PKCE, RFC 7636.')),
  code_challenge_method: Type.Optional(Type.Literal('S256')),
})

export const consentOperation: DescribedOperation = {
  path: '/auth/consent',
  method: 'get',
  operationId: 'consent',
  summary: 'Start the browser authorization flow',
  query: consentParameters,
  responses: {
    302: {
      description: 'To a page of the flow, or back to the redirect URI with code, or error, and state.',
      headers: { Location: 'Where the browser goes next.' },
    },
    400: { description: 'A page: the client is unknown or the redirect URI is not registered, so nothing redirects.' },
  },
}
