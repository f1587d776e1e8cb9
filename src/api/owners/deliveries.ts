import * as limits from '../../domain/limits/limits.ts'
import type { DeliveryLog } from '../../domain/webhooks/delivery-log.ts'
import { listBody, listResponse, nameCursors, pageRequest, shortPages } from '../engine/lists.ts'
import { accepted, ok, type Parameters, removed } from '../engine/operation.ts'
import { botIdIn, readQuery } from '../engine/parameters.ts'
import {
  bulkOutcome,
  bulkResponse,
  discardFilter,
  filterOf,
  replay,
  replayFilter,
} from '../resources/delivery-actions.ts'
import {
  delivery,
  deliveryFilter,
  deliveryQuery,
  deliveryRecord,
  listedDelivery,
  listedDeliveryRecord,
} from '../resources/delivery-records.ts'
import { type OwnerOperation, type OwnerRoute, ownerRoute } from './owner-operation.ts'

const listDeliveries = {
  method: 'get',
  path: '/api/v1/bots/{botId}/deliveries',
  operationId: 'listDeliveries',
  scope: 'deliveries.read',
  summary: 'List a bot’s deliveries',
  description: `Newest first. ${shortPages}`,
  query: deliveryQuery,
  responses: { 200: { description: 'A page of deliveries.', schema: listBody('Deliveries', listedDelivery) } },
} as const satisfies OwnerOperation

const getDelivery = {
  method: 'get',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}',
  operationId: 'getDelivery',
  scope: 'deliveries.read',
  summary: 'Read a delivery with its headers, body and attempts',
  responses: { 200: { description: 'The delivery.', schema: delivery } },
} as const satisfies OwnerOperation

const replayDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/replay',
  operationId: 'replayDelivery',
  scope: 'deliveries.write',
  summary: 'Replay an event',
  description:
    'Stores the event again with a new ID, and delivers it as a new event. Each call creates another replay.',
  responses: { 202: { description: 'The replay is stored.', schema: replay } },
} as const satisfies OwnerOperation

const retryDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/retry',
  operationId: 'retryDelivery',
  scope: 'deliveries.write',
  summary: 'Skip the delay of a waiting event',
  description:
    'A runtime with free capacity receives the event at once. Has no effect while a runtime is processing it.',
  responses: { 204: { description: 'The event is due now.' } },
} as const satisfies OwnerOperation

const discardDelivery = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/{eventId}/discard',
  operationId: 'discardDelivery',
  scope: 'deliveries.write',
  summary: 'Discard a waiting event or a dead letter',
  responses: { 204: { description: 'Discarded.' } },
} as const satisfies OwnerOperation

const replayDeliveries = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/replay',
  operationId: 'replayDeliveries',
  scope: 'deliveries.write',
  summary: 'Replay all matching events',
  description: `Replays events that have not been replayed before, oldest first, at most ${limits.eventsPerBulk} per call.`,
  body: replayFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies OwnerOperation

const discardDeliveries = {
  method: 'post',
  path: '/api/v1/bots/{botId}/deliveries/discard',
  operationId: 'discardDeliveries',
  scope: 'deliveries.write',
  summary: 'Discard all matching dead letters',
  description: `Oldest first, at most ${limits.eventsPerBulk} per call. This can’t be undone.`,
  body: discardFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies OwnerOperation

export function deliveryRoutes({ deliveryLog }: { deliveryLog: DeliveryLog }): OwnerRoute[] {
  return [
    ownerRoute(listDeliveries, async ({ caller, parameters, query }) => {
      const { limit, after, ...filter } = readQuery(listDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const at = { before: request.after, most: request.most }
      const page = await deliveryLog.page(caller.by.userId, botIdIn(parameters), deliveryFilter(filter), at)
      return ok(listResponse({ items: page.events, next: page.next }, nameCursors, listedDeliveryRecord))
    }),
    ownerRoute(getDelivery, async ({ caller, parameters }) => {
      return ok(deliveryRecord(await deliveryLog.whole(caller.by.userId, botIdIn(parameters), eventIdIn(parameters))))
    }),
    ownerRoute(replayDelivery, async ({ caller, parameters }) => {
      const id = await deliveryLog.replay(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return accepted({ id })
    }),
    ownerRoute(retryDelivery, async ({ caller, parameters }) => {
      await deliveryLog.tryNow(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return removed
    }),
    ownerRoute(discardDelivery, async ({ caller, parameters }) => {
      await deliveryLog.discard(caller.by, botIdIn(parameters), eventIdIn(parameters))
      return removed
    }),
    ownerRoute(replayDeliveries, async ({ caller, parameters, body }) => {
      const filter = { ...filterOf(body), state: body.state === 'delivered' ? 'done' : 'dead' } as const
      return ok(bulkOutcome(await deliveryLog.replayAll(caller.by, botIdIn(parameters), filter, body.cursor)))
    }),
    ownerRoute(discardDeliveries, async ({ caller, parameters, body }) => {
      return ok(bulkOutcome(await deliveryLog.discardAll(caller.by, botIdIn(parameters), filterOf(body), body.cursor)))
    }),
  ]
}

/** Returns the event ID from the path. It isn't validated, because no event has a malformed ID. */
function eventIdIn({ eventId = '' }: Parameters): string {
  return eventId
}
