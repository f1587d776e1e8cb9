import { Type } from 'typebox'
import type { DescribedOperation } from '../../oauth/described-operation.ts'
import { oauthErrorBody, slowDownDescribed, unavailableDescribed } from '../../oauth/error-reply.ts'
import { oauthText } from '../../oauth/text-parameter.ts'

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
    request_uri: Type.Optional(Type.Never({ description: 'A pushed request can not refer to another.' })),
  },
  { title: 'PushedRequest' },
)

export const pushedResponse = Type.Object(
  {
    request_uri: Type.String({ description: 'Send it with client_id to the consent address.' }),
    expires_in: Type.Integer({ const: 90, description: 'Seconds.' }),
  },
  { title: 'PushedResponse' },
)

export const pushedRequestOperation: DescribedOperation = {
  path: '/api/oauth/par',
  method: 'post',
  operationId: 'pushRequest',
  summary: 'Push an authorization request, so that its parameters do not travel through the browser',
  body: pushedRequest,
  security: [{}, { clientBasic: [] }],
  responses: {
    201: { description: 'The request is valid and kept.', schema: pushedResponse },
    400: { description: 'The request is at fault.', schema: oauthErrorBody },
    401: { description: 'The client did not authenticate.', schema: oauthErrorBody },
    429: slowDownDescribed,
    503: unavailableDescribed,
  },
}
