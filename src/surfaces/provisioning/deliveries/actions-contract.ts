import { eventsPerBulk } from '../../../domain/limits/limits.ts'
import { bulkResponse, discardFilter, replay, replayFilter } from '../../../rest/delivery-actions.ts'
import type { Operation } from '../../../rest/operation.ts'

export const replayDelivery = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/{eventId}/replay',
  operationId: 'replayDelivery',
  outcome: 'replayed',
  summary: 'Replay an event',
  description:
    'Stores the event again with a new ID, and delivers it as a new event. Each call creates another replay.',
  responses: {
    202: {
      description: 'The replay is stored.',
      schema: replay,
    },
  },
} as const satisfies Operation

export const discardDelivery = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/{eventId}/discard',
  operationId: 'discardDelivery',
  outcome: 'discarded',
  summary: 'Discard a waiting event or a dead letter',
  description: 'A discarded waiting event is never delivered. This can’t be undone.',
  conflicts: true,
  responses: { 204: { description: 'Discarded.' } },
} as const satisfies Operation

export const replayDeliveries = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/replay',
  operationId: 'replayDeliveries',
  outcome: 'replayed',
  summary: 'Replay all matching events',
  description:
    `Replays events that have not been replayed before, oldest first, at most ${eventsPerBulk} per call. Events accepted ` +
    'after the first call are not included.',
  body: replayFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies Operation

export const discardDeliveries = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/discard',
  operationId: 'discardDeliveries',
  outcome: 'discarded',
  summary: 'Discard all matching dead letters',
  description: `Oldest first, at most ${eventsPerBulk} per call. This can’t be undone.`,
  body: discardFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies Operation
