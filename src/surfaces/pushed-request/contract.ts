import { Type } from '../../http/json-schema.ts'
import type { DescribedOperation } from '../../oauth/oauth-endpoints.ts'
import { oauthText } from '../../oauth/parameters.ts'
import { oauthErrorBody, slowDownDescribed, unavailableDescribed } from '../../oauth/responses.ts'

/** Body of `POST {base_url}/api/oauth/par` (RFC 9126). */
export const pushedRequest = Type.Object(
  {
    client_id: oauthText(),
    client_secret: oauthText(),
    redirect_uri: oauthText(),
    response_type: Type.Literal('code'),
    scope: oauthText(),
    state: Type.Optional(oauthText()),
    consent: Type.Optional(Type.Literal('skip')),
    prompt: Type.Optional(Type.Literal('none')),
    code_challenge: Type.Optional(oauthText()),
    code_challenge_method: Type.Optional(Type.Literal('S256')),
    request_uri: Type.Optional(Type.Never({ description: 'Not allowed in a pushed request.' })),
  },
  { title: 'PushedRequest' },
)

export const pushedResponse = Type.Object(
  {
    request_uri: Type.String({ description: 'Send it with client_id to the consent endpoint.' }),
    expires_in: Type.Integer({ const: 90, description: 'Lifetime of request_uri in seconds.' }),
  },
  { title: 'PushedResponse' },
)

export const pushedRequestOperation: DescribedOperation = {
  path: '/api/oauth/par',
  method: 'post',
  operationId: 'pushRequest',
  summary: 'Push an authorization request, so that its parameters bypass the browser',
  body: pushedRequest,
  security: [{}, { clientBasic: [] }],
  responses: {
    201: { description: 'The request is valid and stored.', schema: pushedResponse },
    400: { description: 'The request is invalid.', schema: oauthErrorBody },
    401: { description: 'The client did not authenticate.', schema: oauthErrorBody },
    429: slowDownDescribed,
    503: unavailableDescribed,
  },
}
