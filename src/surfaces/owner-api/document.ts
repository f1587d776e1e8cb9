import { eventIdMaxCharacters } from '../../domain/limits/limits.ts'
import type { ApiDescription } from '../../rest/document.ts'
import { botIdText, idText } from '../../rest/schemas.ts'
import type { OwnerOperation } from './owner-operation.ts'

/** Returns the description of the API for owners, except for its operations. */
export function ownerApiDescription(baseUrl: string): ApiDescription<OwnerOperation> {
  return {
    info: {
      title: 'Gatehouse API for owners',
      version: '1',
      description:
        'For bot owners and collaborators: deliveries, flows, keys, runtimes and logs. Each call needs a personal access ' +
        'token with the scope named there, and can do only what the token’s user can do. ' +
        'Lists are paginated: to get the next page, send the value of next as after.',
    },
    serverUrl: baseUrl,
    security: {
      name: 'personalToken',
      scheme: {
        type: 'http',
        scheme: 'bearer',
        description: 'A personal access token. Create one on your account page.',
      },
    },
    scopesOf: ({ scope }) => (scope === null ? [] : [scope]),
    problems: {
      400: 'The path, query or body is invalid. Nothing was changed.',
      401: 'The token is missing, wrong, revoked or expired.',
      403: 'The token doesn’t have the scope, or your role doesn’t allow the call. Nothing was changed.',
      404: 'There is no such record, or you have no access to it.',
      409: 'The record’s state doesn’t allow the call. Nothing was changed.',
      429: 'Too many requests with this token, or too many wrong tokens from this address. Retry-After says when to try again.',
      503: 'The queue is full or unavailable, or the service can’t reach its database. Retry-After says when to try again.',
    },
    canHave: ({ method }, problemStatus) => problemStatus !== 409 || method !== 'get',
    parameters: {
      botId: { description: botIdText },
      flowId: { description: idText },
      runtimeId: { description: idText },
      eventId: { description: 'the event’s ID, from the list of deliveries', maxLength: eventIdMaxCharacters },
      keyNumber: { description: 'number of the key', maxLength: 15 },
    },
  }
}
