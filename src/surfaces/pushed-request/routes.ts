import type { Authorization } from '../../domain/authorization/authorization.ts'
import type { RequestPageFault } from '../../domain/authorization/authorization-request.ts'
import { pushedRequestLifetimeSeconds } from '../../domain/limits/limits.ts'
import type { Static } from '../../http/json-schema.ts'
import type { ClientAuthentication } from '../../oauth/client-authentication.ts'
import type { OAuthEndpoint } from '../../oauth/oauth-endpoints.ts'
import { readOAuthParameters, requestUriPrefix } from '../../oauth/parameters.ts'
import { oauthJson } from '../../oauth/responses.ts'
import { pushedRequest, type pushedResponse } from './contract.ts'

const known = Object.keys(pushedRequest.properties)

/**
 * `POST /api/oauth/par` (RFC 9126). Parses the request like the consent endpoint, but reports faults in the response.
 */
export function pushedRequestEndpoint(services: {
  authorization: Pick<Authorization, 'attempts'>
  clients: ClientAuthentication
}): OAuthEndpoint {
  return {
    method: 'POST',
    path: '/api/oauth/par',
    async answer(request) {
      const parameters = readOAuthParameters(request, known)
      const client = await services.clients.authenticate(request, parameters)
      const fault = (error: string, description: string) => oauthJson(400, { error, error_description: description })
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
      if (reading.kind !== 'valid') return fault('invalid_request', descriptions[reading.kind])
      const body: Static<typeof pushedResponse> = {
        request_uri:
          requestUriPrefix + (await services.authorization.attempts.begin(reading.request, { clientOf: client.id })),
        expires_in: pushedRequestLifetimeSeconds,
      }
      return oauthJson(201, body)
    },
  }
}

const descriptions: Record<RequestPageFault['kind'], string> = {
  'client-id-missing': 'The parameter client_id is missing.',
  'client-id-repeated': 'The parameter client_id is repeated. Send it once.',
  'client-unknown': 'The client_id is unknown.',
  'redirect-uri-missing': 'The parameter redirect_uri is missing.',
  'redirect-uri-repeated': 'The parameter redirect_uri is repeated. Send it once.',
  'redirect-uri-unregistered': 'The redirect_uri is not registered for this client. It must match exactly.',
}
