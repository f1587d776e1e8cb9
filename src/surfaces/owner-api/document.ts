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
        'For owners of bots and their collaborators: deliveries, flows, keys, runtimes and logs. A call needs a personal ' +
        'access token with the scope that the call names, and does only what its user may do. ' +
        'Lists have pages: send the next of a page as after.',
    },
    serverUrl: baseUrl,
    security: {
      name: 'personalToken',
      scheme: { type: 'http', scheme: 'bearer', description: 'A personal access token, from your account page.' },
    },
    scopesOf: ({ scope }) => (scope === null ? [] : [scope]),
    problems: {
      400: 'The path, query or body is invalid. Nothing was changed.',
      401: 'The token is missing, wrong, revoked or expired.',
      403: 'The token lacks the scope, or your role doesn’t allow the call. Nothing was changed.',
      404: 'There is no such record, or you have no access to it.',
      409: 'The state of the record doesn’t allow the call. Nothing was changed.',
      429: 'The token has sent too many requests, or too many wrong tokens came from this address. Retry-After says when to continue.',
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
