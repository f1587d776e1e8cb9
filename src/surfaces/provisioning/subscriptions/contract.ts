import {
  idMaxCharacters,
  subscriptionsOfPlatform,
  subscriptionsPerOwner,
  subscriptionUrlMaxCharacters,
} from '../../../domain/limits/limits.ts'
import { eventTypes } from '../../../domain/subscriptions/event-type.ts'
import { Type } from '../../../http/json-schema.ts'
import { attempt, state } from '../../../rest/deliveries.ts'
import { listBody, pageParameters, shortPages } from '../../../rest/lists.ts'
import type { Operation } from '../../../rest/operation.ts'
import { internalId, nullable, timestamp } from '../../../rest/schemas.ts'

const type = Type.Enum(eventTypes, { type: 'string', description: `one of ${eventTypes.join(', ')}` })

const subscriptionBody = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: subscriptionUrlMaxCharacters,
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

export const putSubscription = {
  method: 'put',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'putSubscription',
  summary: 'Create or change a subscription to events',
  description:
    'Events are sent as signed POST requests (Standard Webhooks). The owner can’t be changed. A user has at most ' +
    `${subscriptionsPerOwner} subscriptions, the platform ${subscriptionsOfPlatform}.`,
  body: subscriptionBody,
  responses: {
    200: { description: 'The updated subscription.', schema: subscription },
    201: { description: 'The new subscription, with its signing secret.', schema: withSecret },
  },
} as const satisfies Operation

export const listSubscriptions = {
  method: 'get',
  path: '/v1/subscriptions',
  operationId: 'listSubscriptions',
  summary: 'List subscriptions',
  description: 'Sorted by ID.',
  query: pageParameters,
  responses: { 200: { description: 'A page of subscriptions.', schema: listBody('Subscriptions', subscription) } },
} as const satisfies Operation

export const getSubscription = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'getSubscription',
  summary: 'Read a subscription',
  responses: { 200: { description: 'The subscription.', schema: subscription } },
} as const satisfies Operation

export const deleteSubscription = {
  method: 'delete',
  path: '/v1/subscriptions/{subscriptionId}',
  operationId: 'deleteSubscription',
  summary: 'Remove a subscription',
  description: 'Its waiting events are discarded.',
  responses: { 204: { description: 'Removed.' } },
} as const satisfies Operation

export const postSubscriptionSecret = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/secret',
  operationId: 'postSubscriptionSecret',
  summary: 'Rotate a signing secret',
  description: 'For 24 hours, requests are signed with both the new and the previous secret.',
  responses: { 201: { description: 'The subscription, with its new signing secret.', schema: withSecret } },
} as const satisfies Operation

export const postSubscriptionTest = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/test',
  operationId: 'postSubscriptionTest',
  summary: 'Send a test event',
  audited: false,
  responses: { 202: { description: 'The event is queued. The deliveries of the subscription show the response.' } },
} as const satisfies Operation

export const listSubscriptionDeliveries = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}/deliveries',
  operationId: 'listSubscriptionDeliveries',
  summary: 'List the deliveries of a subscription',
  description: `Newest first. ${shortPages}`,
  query: {
    ...pageParameters,
    state,
    type: Type.String({ maxLength: idMaxCharacters, description: 'an event type' }),
  },
  responses: {
    200: { description: 'A page of deliveries.', schema: listBody('SubscriptionDeliveries', listedDelivery) },
  },
} as const satisfies Operation

export const getSubscriptionDelivery = {
  method: 'get',
  path: '/v1/subscriptions/{subscriptionId}/deliveries/{eventId}',
  operationId: 'getSubscriptionDelivery',
  summary: 'Read an outgoing event with its attempts',
  responses: { 200: { description: 'The event.', schema: delivery } },
} as const satisfies Operation

export const postSubscriptionReplay = {
  method: 'post',
  path: '/v1/subscriptions/{subscriptionId}/deliveries/{eventId}/replay',
  operationId: 'postSubscriptionReplay',
  summary: 'Replay an outgoing event',
  description: 'The replay has the same webhook-id header.',
  responses: {
    202: { description: 'Queued.', schema: Type.Object({ id: Type.String() }, { title: 'SubscriptionReplay' }) },
  },
} as const satisfies Operation
