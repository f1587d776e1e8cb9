import * as limits from '../../domain/limits/limits.ts'
import { type Static, Type } from '../../http/json-schema.ts'
import {
  type DescribedOperation,
  type OAuthEndpoint,
  oauthText,
  requestUriPrefix,
} from '../../oauth/oauth-endpoints.ts'
import type { OAuthServices } from '../../oauth/oauth-services.ts'
import * as oauth from '../../oauth/responses.ts'

/** `POST /api/oauth/par` (RFC 9126). Parses the request like the consent endpoint, but responds with its faults. */
export function pushedRequestEndpoint(services: Pick<OAuthServices, 'authorization' | 'clients'>): OAuthEndpoint {
  return {
    operation: pushedRequestOperation,
    async answer(request) {
      const { parameters } = request
      const client = await services.clients.authenticate(request)
      const fault = (error: string, description: string) => oauth.oauthError(400, error, description)
      if (parameters.has('request_uri')) {
        return fault('invalid_request', 'A pushed request cannot contain request_uri. Remove it.')
      }
      const query = new Map(
        [...parameters, ['client_id', client.clientId] as const].map(([name, text]) => [
          name,
          [{ text, encoded: encodeURIComponent(text) }],
        ]),
      )
      const reading = await services.authorization.attempts.readRequest(query)
      if (reading.kind === 'redirect') return fault(reading.error, reading.description)
      if (reading.kind !== 'valid') return fault('invalid_request', oauth.requestFaultDescriptions[reading.kind])
      const body: Static<typeof pushedResponse> = {
        request_uri:
          requestUriPrefix + (await services.authorization.attempts.begin(reading.request, { clientOf: client.id })),
        expires_in: limits.pushedRequestLifetimeSeconds,
      }
      return oauth.oauthJson(201, body)
    },
  }
}

const pushedRequest = Type.Object(
  {
    client_id: oauthText(),
    client_secret: oauthText(),
    redirect_uri: oauthText(),
    response_type: Type.Literal('code'),
    scope: oauthText(),
    state: Type.Optional(oauthText('Returned unchanged.', limits.stateMaxCharacters)),
    consent: Type.Optional(Type.Literal('skip')),
    prompt: Type.Optional(Type.Literal('none')),
    code_challenge: Type.Optional(oauthText()),
    code_challenge_method: Type.Optional(Type.Literal('S256')),
    request_uri: Type.Optional(Type.Never('Not allowed in a pushed request.')),
  },
  { title: 'PushedRequest' },
)

const pushedResponse = Type.Object(
  {
    request_uri: Type.String('Send it with client_id to the consent endpoint.'),
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
    ...oauth.errorsDescribed({
      invalid: 'The request is invalid.',
      unauthenticated: 'The client did not authenticate.',
    }),
  },
}
