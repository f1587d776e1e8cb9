import { eventIdMaxCharacters } from '../../domain/limits/limits.ts'
import type { ApiDescription } from '../../rest/document.ts'
import type { Operation } from '../../rest/operation.ts'
import { botIdText, idText, scopeText } from '../../rest/schemas.ts'

/** Returns the description of the provisioning API, except for its operations. */
export function provisioningDescription(controlUrl: string): ApiDescription<Operation> {
  return {
    info: {
      title: 'Gatehouse provisioning',
      version: '1',
      description:
        'For operators: manages users, applications, bots with their flows and collaborators (coworkers), runtimes, scopes, ' +
        'deliveries, subscriptions and operator keys. PUT creates (201) or changes (200) a record. Absent members keep their ' +
        'value; null clears it. Lists are paginated: to get the next page, send the value of next as after.',
    },
    serverUrl: controlUrl,
    security: {
      name: 'operatorKey',
      scheme: { type: 'http', scheme: 'bearer', description: 'An operator key.' },
    },
    problems: {
      400: 'The path, query or body is invalid. Nothing was changed.',
      401: 'The operator key is missing or wrong.',
      403: 'The operator key has read access only. Nothing was changed.',
      404: 'The record or the URL doesn’t exist.',
      409: 'Another record has a value that must be unique, there are too many records, or the record’s state doesn’t allow the call. Nothing was changed.',
      429: 'Too many wrong operator keys from this address. Retry-After says when to try again.',
      503: 'The service can’t reach its database or queue, or is overloaded. Retry-After says when to try again.',
    },
    canHave({ method, conflicts }, problemStatus) {
      if (problemStatus === 409) return method === 'put' || conflicts === true
      return problemStatus !== 403 || method !== 'get'
    },
    parameters: {
      userId: { description: idText },
      applicationId: { description: idText },
      botId: { description: botIdText },
      flowId: { description: idText },
      runtimeId: { description: idText },
      subscriptionId: { description: idText },
      keyNumber: { description: 'number of the key', maxLength: 15 },
      id: { description: idText },
      scope: { description: scopeText, maxLength: 100 },
      eventId: { description: 'the event’s ID, from the list of deliveries', maxLength: eventIdMaxCharacters },
    },
  }
}
