import { parseSubscriptionId, parseUserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import { pageOf } from '../../domain/list-page.ts'
import { eventTypes } from '../../domain/subscriptions/outgoing-event.ts'
import type { OutgoingEvents } from '../../domain/subscriptions/outgoing-events.ts'
import type { Subscription } from '../../domain/subscriptions/subscription-store.ts'
import type { EventSummary } from '../../domain/webhooks/event-log.ts'
import { Type } from '../../http/json-schema.ts'
import { listBody, listResponse, nameCursors, pageParameters, pageRequest, shortPages } from '../engine/lists.ts'
import { accepted, created, type Operation, ok, type Route, removed, replaced, route } from '../engine/operation.ts'
import { readQuery, subscriptionIdIn } from '../engine/parameters.ts'
import { internalId, iso, isoOrNull, nullable, timestamp } from '../engine/schemas.ts'
import { attempt, eventStateOf, shownAttempt, state, stateNames } from '../resources/delivery-records.ts'

const type = Type.Enum(eventTypes, { type: 'string', description: `one of ${eventTypes.join(', ')}` })

const subscriptionBody = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: limits.subscriptionUrlMaxCharacters,
      description: 'an https:// URL that receives the events',
    }),
    types: Type.Array(type, { minItems: 1, maxItems: eventTypes.length, description: 'the types of events to send' }),
    ownerId: Type.Optional(
      nullable(internalId('user ID of the owner'), 'user whose events are sent, or null for the events of all users'),
    ),
    enabled: Type.Optional(Type.Boolean({ description: 'false stops sending; true by default' })),
  },
  { additionalProperties: false, title: 'NewSubscription', description: 'a JSON object with url and types' },
)

const members = {
  id: Type.String(),
  ownerId: nullable(Type.String(), 'the owner, or null for a subscription of the platform'),
  url: Type.String(),
  types: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  disabledBecause: nullable(Type.String(), '"switched-off", "gone" if the URL responded with 410, or null'),
  previousSecretEndsAt: nullable(
    Type.String({ format: 'date-time' }),
    'until then, the previous secret signs too; null if there is none',
  ),
  createdAt: timestamp('when the subscription was created'),
}
const subscription = Type.Object(members, { title: 'Subscription' })
const withSecret = Type.Object(
  { ...members, secret: Type.String({ description: 'the signing secret, whsec_…, returned only once' }) },
  { title: 'CreatedSubscription' },
)

const deliveryMembers = {
  id: Type.String(),
  type: Type.String(),
  webhookId: Type.String({ description: 'the webhook-id header, which a replay keeps' }),
  state,
  acceptedAt: timestamp('when the event was queued'),
  lastError: nullable(Type.String(), 'the failed response’s status and the beginning of its body, or null'),
  nextAttemptAt: nullable(
    timestamp('earliest time of the next attempt'),
    'earliest time of the next attempt; null if none follows',
  ),
  replayOf: nullable(Type.String(), 'ID of the delivery that this one replays; null if it isn’t a replay'),
}
const listedDelivery = Type.Object(
  { ...deliveryMembers, attempts: Type.Integer({ description: 'number of attempts' }) },
  { title: 'ListedSubscriptionDelivery' },
)
const delivery = Type.Object(
  {
    ...deliveryMembers,
    attempts: Type.Array(attempt, { description: 'oldest first' }),
    body: Type.String({ description: 'the request body, as JSON text' }),
  },
  { title: 'SubscriptionDelivery' },
)

const putSubscription = {
  method: 'put',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'putSubscription',
  summary: 'Create or change a subscription to events',
  description:
    'Events are sent as signed POST requests (Standard Webhooks). The owner can’t be changed. A user has at most ' +
    `${limits.subscriptionsPerOwner} subscriptions, the platform ${limits.subscriptionsOfPlatform}.`,
  body: subscriptionBody,
  responses: {
    200: { description: 'The updated subscription.', schema: subscription },
    201: { description: 'The new subscription, with its signing secret.', schema: withSecret },
  },
} as const satisfies Operation

const listSubscriptions = {
  method: 'get',
  path: '/v1/subscriptions',
  operationId: 'listSubscriptions',
  summary: 'List subscriptions',
  description: 'Sorted by ID.',
  query: pageParameters,
  responses: { 200: { description: 'A page of subscriptions.', schema: listBody('Subscriptions', subscription) } },
} as const satisfies Operation

const getSubscription = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'getSubscription',
  summary: 'Read a subscription',
  responses: { 200: { description: 'The subscription.', schema: subscription } },
} as const satisfies Operation

const deleteSubscription = {
  method: 'delete',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'deleteSubscription',
  summary: 'Remove a subscription',
  description: 'Its waiting events are discarded.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

const postSubscriptionSecret = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/secret',
  operationId: 'postSubscriptionSecret',
  summary: 'Rotate a signing secret',
  description: 'For 24 hours, requests are signed with both the new and the previous secret.',
  responses: { 201: { description: 'The subscription, with its new signing secret.', schema: withSecret } },
} as const satisfies Operation

const postSubscriptionTest = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/test',
  operationId: 'postSubscriptionTest',
  summary: 'Send a test event',
  audited: false,
  responses: { 202: { description: 'The event is queued. The deliveries of the subscription show the response.' } },
} as const satisfies Operation

const listSubscriptionDeliveries = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}/deliveries',
  operationId: 'listSubscriptionDeliveries',
  summary: 'List the deliveries of a subscription',
  description: `Newest first. ${shortPages}`,
  query: {
    ...pageParameters,
    state,
    type: Type.String({ maxLength: limits.idMaxCharacters, description: 'an event type' }),
  },
  responses: {
    200: { description: 'A page of deliveries.', schema: listBody('SubscriptionDeliveries', listedDelivery) },
  },
} as const satisfies Operation

const getSubscriptionDelivery = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}/deliveries/{eventId}',
  operationId: 'getSubscriptionDelivery',
  summary: 'Read an outgoing event with its attempts',
  responses: { 200: { description: 'The event.', schema: delivery } },
} as const satisfies Operation

const postSubscriptionReplay = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/deliveries/{eventId}/replay',
  operationId: 'postSubscriptionReplay',
  summary: 'Replay an outgoing event',
  description: 'The replay has the same webhook-id header.',
  responses: {
    202: { description: 'Queued.', schema: Type.Object({ id: Type.String() }, { title: 'SubscriptionReplay' }) },
  },
} as const satisfies Operation

export function subscriptionRoutes({ events }: { events: Pick<OutgoingEvents, 'subscriptions' | 'log'> }): Route[] {
  const { subscriptions, log } = events
  return [
    route(putSubscription, async ({ parameters, body: { ownerId, ...form } }) => {
      const owner = ownerId === undefined || ownerId === null ? ownerId : parseUserId(ownerId)
      const put = await subscriptions.put(subscriptionIdIn(parameters), owner, form)
      if (!('clearTextSecret' in put)) return replaced(put.kind, record(put.subscription))
      return created({ ...record(put.subscription), secret: put.clearTextSecret })
    }),
    route(listSubscriptions, async ({ query }) => {
      const { limit, after } = readQuery(listSubscriptions.query, query)
      const page = await pageOf(pageRequest({ limit, after }, nameCursors), {
        read: (request) => subscriptions.list(parseSubscriptionId(request.after ?? ''), request.most),
        placeOf: ({ id }): string => id,
      })
      return ok(listResponse(page, nameCursors, record))
    }),
    route(getSubscription, async ({ parameters }) =>
      ok(record(await subscriptions.find('operator', subscriptionIdIn(parameters)))),
    ),
    route(deleteSubscription, async ({ parameters }) => {
      await subscriptions.remove('operator', subscriptionIdIn(parameters))
      return removed
    }),
    route(postSubscriptionSecret, async ({ parameters }) => {
      const rotated = await subscriptions.rotateSecret('operator', subscriptionIdIn(parameters))
      return created({ ...record(rotated.subscription), secret: rotated.clearTextSecret })
    }),
    route(postSubscriptionTest, async ({ parameters }) => {
      await subscriptions.test('operator', subscriptionIdIn(parameters))
      return { status: 202 } as const
    }),
    route(listSubscriptionDeliveries, async ({ parameters, query }) => {
      const { limit, after, state, type } = readQuery(listSubscriptionDeliveries.query, query)
      const request = pageRequest({ limit, after }, nameCursors)
      const filter = { state: state && eventStateOf[state], type }
      const at = { before: request.after, most: request.most }
      const { events: items, next } = await log.page('operator', subscriptionIdIn(parameters), filter, at)
      const shown = (event: EventSummary) => ({ ...summary(event), attempts: event.attempts })
      return ok(listResponse({ items, next }, nameCursors, shown))
    }),
    route(getSubscriptionDelivery, async ({ parameters }) => {
      const event = await log.event('operator', subscriptionIdIn(parameters), parameters.eventId ?? '')
      return ok({
        ...summary(event),
        attempts: event.history.map(shownAttempt),
        body: Buffer.from(event.body).toString('utf8'),
      })
    }),
    route(postSubscriptionReplay, async ({ parameters }) => {
      const id = await log.replay('operator', subscriptionIdIn(parameters), parameters.eventId ?? '')
      return accepted({ id })
    }),
  ]
}

function record({ createdAtMs, previousSecretEndsAtMs, types, disabledBecause, ...others }: Subscription) {
  return {
    ...others,
    types: [...types],
    enabled: disabledBecause === null,
    disabledBecause,
    previousSecretEndsAt: isoOrNull(previousSecretEndsAtMs),
    createdAt: iso(createdAtMs),
  }
}

function summary(event: EventSummary) {
  const { id, flowId, path, state, acceptedAtMs, lastError, dueAtMs, replayOf } = event
  return {
    id,
    type: flowId as string,
    webhookId: path,
    state: stateNames[state],
    acceptedAt: iso(acceptedAtMs),
    lastError: lastError ?? null,
    nextAttemptAt: isoOrNull(dueAtMs),
    replayOf: replayOf ?? null,
  }
}
