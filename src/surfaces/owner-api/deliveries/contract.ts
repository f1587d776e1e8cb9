import { eventsPerBulk } from '../../../domain/limits/limits.ts'
import { delivery, deliveryQuery, listedDelivery } from '../../../rest/deliveries.ts'
import { bulkResponse, discardFilter, replay, replayFilter } from '../../../rest/delivery-actions.ts'
import { listBody, shortPages } from '../../../rest/lists.ts'
import type { OwnerOperation } from '../owner-operation.ts'

export const listDeliveries = {
  method: 'get',
  path: '/api/v1/bots/{botId}/deliveries',
  operationId: 'listDeliveries',
  scope: 'deliveries.read',
  summary: 'List a bot’s deliveries',
  description: `Newest first. ${shortPages}`,
  query: deliveryQuery,
  responses: { 200: { description: 'A page of deliveries.', schema: listBody('Deliveries', listedDelivery) } },
} as const satisfies OwnerOperation

export const getDelivery = {
  method: 'get',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}',
  operationId: 'getDelivery',
  scope: 'deliveries.read',
  summary: 'Read a delivery with its headers, body and attempts',
  responses: { 200: { description: 'The delivery.', schema: delivery } },
} as const satisfies OwnerOperation

export const replayDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/replay',
  operationId: 'replayDelivery',
  scope: 'deliveries.write',
  summary: 'Replay an event',
  description:
    'Stores the event again with a new ID, and delivers it as a new event. Each call creates another replay.',
  responses: {
    202: {
      description: 'The replay is stored.',
      schema: replay,
    },
  },
} as const satisfies OwnerOperation

export const retryDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/retry',
  operationId: 'retryDelivery',
  scope: 'deliveries.write',
  summary: 'Skip the delay of a waiting event',
  description:
    'A runtime with free capacity receives the event at once. Has no effect while a runtime is processing it.',
  responses: { 204: { description: 'The event is due now.' } },
} as const satisfies OwnerOperation

export const discardDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/discard',
  operationId: 'discardDelivery',
  scope: 'deliveries.write',
  summary: 'Discard a waiting event or a dead letter',
  responses: { 204: { description: 'Discarded.' } },
} as const satisfies OwnerOperation

export const replayDeliveries = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/replay',
  operationId: 'replayDeliveries',
  scope: 'deliveries.write',
  summary: 'Replay all matching events',
  description: `Replays events that have not been replayed before, oldest first, at most ${eventsPerBulk} per call.`,
  body: replayFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies OwnerOperation

export const discardDeliveries = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/discard',
  operationId: 'discardDeliveries',
  scope: 'deliveries.write',
  summary: 'Discard all matching dead letters',
  description: `Oldest first, at most ${eventsPerBulk} per call. This can’t be undone.`,
  body: discardFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies OwnerOperation
