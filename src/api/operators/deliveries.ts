import type { Bots } from '../../domain/bots/bots.ts'
import * as limits from '../../domain/limits/limits.ts'
import { subscriptionOf } from '../../domain/subscriptions/subscription-store.ts'
import type { DeliveryQueue } from '../../domain/webhooks/delivery-queue.ts'
import type { EventActions } from '../../domain/webhooks/event-actions.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageParameters, pageRequest, shortPages } from '../engine/lists.ts'
import { accepted, type Operation, ok, type Route, removed, route } from '../engine/operation.ts'
import { readQuery } from '../engine/parameters.ts'
import { Problem } from '../engine/problem.ts'
import { nullable } from '../engine/schemas.ts'
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
import { existingBotIn } from './bots.ts'

const listDeliveries = {
  method: 'get',
  path: '/v1/bots/{botId}/deliveries',
  operationId: 'listDeliveries',
  summary: 'List a bot’s deliveries',
  description: `Newest first. ${shortPages}`,
  query: deliveryQuery,
  responses: { 200: { description: 'A page of deliveries.', schema: listBody('Deliveries', listedDelivery) } },
} as const satisfies Operation

const getDelivery = {
  method: 'get',
  path: '/v1/bots/{botId}/deliveries/{eventId}',
  operationId: 'getDelivery',
  summary: 'Read a delivery with its headers, body and attempts',
  responses: { 200: { description: 'The delivery.', schema: delivery } },
} as const satisfies Operation

export function deliveryRoutes({
  bots,
  queue,
}: {
  bots: Pick<Bots, 'records'>
  queue: Pick<DeliveryQueue, 'log'>
}): Route[] {
  return [
    route(listDeliveries, async ({ parameters, query }) => {
      const { limit, after, ...filter } = readQuery(listDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const botId = await existingBotIn(parameters, bots)
      const at = { before: request.after, most: request.most }
      const { events, next } = await queue.log.page(botId, deliveryFilter(filter), at)
      return ok(listResponse({ items: events, next }, nameCursors, listedDeliveryRecord))
    }),
    route(getDelivery, async ({ parameters }) => {
      const botId = await existingBotIn(parameters, bots)
      const { eventId = '' } = parameters
      const event = await queue.log.find(botId, eventId)
      if (event !== undefined) return ok(deliveryRecord(event))
      throw new Problem(
        404,
        `There is no event ${eventId} of bot ${botId}. GET /v1/bots/${botId}/deliveries lists them.`,
      )
    }),
  ]
}

const replayDelivery = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/{eventId}/replay',
  operationId: 'replayDelivery',
  outcome: 'replayed',
  summary: 'Replay an event',
  description:
    'Stores the event again with a new ID, and delivers it as a new event. Each call creates another replay.',
  responses: { 202: { description: 'The replay is stored.', schema: replay } },
} as const satisfies Operation

const discardDelivery = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/{eventId}/discard',
  operationId: 'discardDelivery',
  outcome: 'discarded',
  summary: 'Discard a waiting event or a dead letter',
  description: 'A discarded waiting event is never delivered. This can’t be undone.',
  conflicts: true,
  responses: { 204: { description: 'Discarded.' } },
} as const satisfies Operation

const replayDeliveries = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/replay',
  operationId: 'replayDeliveries',
  outcome: 'replayed',
  summary: 'Replay all matching events',
  description:
    `Replays events that have not been replayed before, oldest first, at most ${limits.eventsPerBulk} per call. Events accepted ` +
    'after the first call are not included.',
  body: replayFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies Operation

const discardDeliveries = {
  method: 'post',
  path: '/v1/bots/{botId}/deliveries/discard',
  operationId: 'discardDeliveries',
  outcome: 'discarded',
  summary: 'Discard all matching dead letters',
  description: `Oldest first, at most ${limits.eventsPerBulk} per call. This can’t be undone.`,
  body: discardFilter,
  responses: { 200: { description: 'The number of events, and how to continue.', schema: bulkResponse } },
} as const satisfies Operation

/** Replays and discards events of any bot, as owners do on the bot's pages. */
export function deliveryActionRoutes({
  bots,
  eventActions,
}: {
  bots: Pick<Bots, 'records'>
  eventActions: EventActions
}): Route[] {
  return [
    route(replayDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBotIn(parameters, bots)
      return accepted({ id: await eventActions.replay(botId, eventId) })
    }),
    route(discardDelivery, async ({ parameters: { eventId = '', ...parameters } }) => {
      const botId = await existingBotIn(parameters, bots)
      await eventActions.discard(botId, eventId)
      return removed
    }),
    route(replayDeliveries, async ({ parameters, body }) => {
      const botId = await existingBotIn(parameters, bots)
      const state = body.state === 'delivered' ? 'done' : 'dead'
      return ok(bulkOutcome(await eventActions.replayAll(botId, { ...filterOf(body), state }, body.cursor)))
    }),
    route(discardDeliveries, async ({ parameters, body }) => {
      const botId = await existingBotIn(parameters, bots)
      return ok(bulkOutcome(await eventActions.discardAll(botId, filterOf(body), body.cursor)))
    }),
  ]
}

const queueDepth = Type.Object(
  {
    botId: nullable(Type.String(), 'the bot, or null for a subscription'),
    subscriptionId: nullable(Type.String(), 'the subscription whose outgoing events wait, or null for a bot'),
    waiting: Type.Integer({
      description: 'number of events that are neither delivered nor dead letters, including those being processed',
    }),
    bytes: Type.Integer({ description: 'total size of the events’ bodies' }),
  },
  { title: 'QueueDepth' },
)

const listQueues = {
  method: 'get',
  path: '/v1/queues',
  operationId: 'listQueues',
  summary: 'List the fullest queues',
  description:
    'Bots and subscriptions with waiting events, the fullest first. There is only one page: next is always null.',
  query: { limit: pageParameters.limit },
  responses: { 200: { description: 'The fullest queues.', schema: listBody('Queues', queueDepth) } },
} as const satisfies Operation

export function queueRoutes({ queue }: { queue: Pick<DeliveryQueue, 'log'> }): Route[] {
  return [
    route(listQueues, async ({ query }) => {
      const { limit } = readQuery(listQueues.query, query)
      const fullest = await queue.log.fullest(limit ?? limits.listItemsDefault)
      const items = fullest.map(({ botId, events: waiting, bytes }) => {
        const subscriptionId = subscriptionOf(botId) ?? null
        return { botId: subscriptionId === null ? botId : null, subscriptionId, waiting, bytes }
      })
      return ok({ items, next: null })
    }),
  ]
}
