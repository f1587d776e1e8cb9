import { parseSubscriptionId, type SubscriptionId, type UserId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import { pageOf } from '../../domain/list-page.ts'
import { subscriptionFormats } from '../../domain/subscriptions/chat-messages.ts'
import { eventTypes, testType } from '../../domain/subscriptions/outgoing-event.ts'
import type { Subscription } from '../../domain/subscriptions/subscription-store.ts'
import type { EventSummary } from '../../domain/webhooks/event-log.ts'
import { Type } from '../../http/json-schema.ts'
import { accepted, created, done, ok, replaced } from '../engine/api.ts'
import { type Cursors, nameCursors, shortPages } from '../engine/lists.ts'
import * as schemas from '../engine/schemas.ts'
import * as deliveries from '../resources/delivery-records.ts'
import { api, type OperatorServices } from './api.ts'

const type = Type.Enum(eventTypes, `one of ${eventTypes.join(', ')}`)

const change = schemas.bodyOf('NewSubscription', {
  url: Type.String({
    minLength: 1,
    maxLength: limits.subscriptionUrlMaxCharacters,
    description: 'an https:// URL that receives the events',
  }),
  types: Type.Array(type, { minItems: 1, maxItems: eventTypes.length, description: 'the types of events to send' }),
  ownerId: schemas.clearable(
    schemas.internalId<UserId>('user ID of the owner'),
    'user whose events are sent, or null for the events of all users',
  ),
  enabled: schemas.clearable(Type.Boolean(), 'false stops sending; true by default, or if null'),
  format: schemas.clearable(
    Type.Enum(subscriptionFormats),
    'standard (default, or if null): signed events; discord or slack: unsigned, readable messages to an incoming-webhook URL',
  ),
})

const members = {
  id: Type.String(),
  ownerId: schemas.nullable(Type.String(), 'the owner, or null for a subscription of the platform'),
  url: Type.String(
    'shortened if the format is discord or slack, because such URLs are secret; sent again, it keeps the URL',
  ),
  types: Type.Array(Type.String()),
  format: Type.Enum(subscriptionFormats, 'what is sent: standard, discord or slack'),
  enabled: Type.Boolean(),
  disabledBecause: schemas.nullable(
    Type.String(),
    '"switched-off", "gone" if the URL responded with 410, or a chat with 404, or null',
  ),
  previousSecretEndsAt: schemas.nullableTime('until then, the previous secret signs too; null if there is none'),
  createdAt: schemas.timestamp('when the subscription was created'),
}
const record = Type.Object(members, { title: 'Subscription' })
const withSecret = Type.Object(
  { ...members, secret: Type.String('the signing secret, whsec_…, returned only once') },
  { title: 'CreatedSubscription' },
)

const deliveryMembers = {
  id: Type.String(),
  type: Type.String(),
  webhookId: Type.String('the webhook-id header, which a replay keeps'),
  state: deliveries.state,
  acceptedAt: schemas.timestamp('when the event was queued'),
  lastError: schemas.nullable(Type.String(), 'the failed response’s status and the beginning of its body, or null'),
  nextAttemptAt: deliveries.nextAttemptAt,
  replayOf: schemas.nullable(Type.String(), 'ID of the delivery that this one replays; null if it isn’t a replay'),
}
const listedDelivery = Type.Object(
  { ...deliveryMembers, attempts: Type.Integer('number of attempts') },
  { title: 'ListedSubscriptionDelivery' },
)
const delivery = Type.Object(
  {
    ...deliveryMembers,
    attempts: Type.Array(deliveries.attempt, 'oldest first'),
    body: Type.String('the request body, as JSON text'),
  },
  { title: 'SubscriptionDelivery' },
)

const one = '/subscriptions/{subscriptionId}'

const cursors: Cursors<SubscriptionId> = {
  ...nameCursors,
  placeOf: (parts) => parseSubscriptionId(nameCursors.placeOf(parts) ?? ''),
}

export const subscriptionRoutes = ({ events: { subscriptions, log } }: OperatorServices) => [
  api.put(
    one,
    'Create or change a subscription to events',
    {
      description:
        'Events are sent as signed POST requests (Standard Webhooks). The owner can’t be changed. A user has at most ' +
        `${limits.subscriptionsPerOwner} subscriptions, the platform ${limits.subscriptionsOfPlatform}.`,
      body: change,
      200: ['The updated subscription.', record],
      201: ['The new subscription, with its signing secret.', withSecret],
    },
    async ({ subscriptionId, body: { ownerId, enabled, format, ...others } }) => {
      const form = {
        ...others,
        enabled: schemas.orDefault(enabled, true),
        format: schemas.orDefault(format, 'standard'),
      }
      const put = await subscriptions.put(subscriptionId, ownerId, form)
      if (!('clearTextSecret' in put)) return replaced(put.kind, shown(put.subscription))
      return created({ ...shown(put.subscription), secret: put.clearTextSecret })
    },
  ),
  api.list(
    '/subscriptions',
    'List subscriptions',
    { description: 'Sorted by ID.', cursors, 200: ['A page of subscriptions.', record] },
    (_, page) =>
      pageOf(page, {
        read: ({ after, most }) => subscriptions.list(after, most),
        placeOf: ({ id }) => id,
      }),
    shown,
  ),
  api.get(one, 'Read a subscription', { 200: ['The subscription.', record] }, async ({ subscriptionId }) =>
    ok(shown(await subscriptions.find('operator', subscriptionId))),
  ),
  api.delete(
    one,
    'Remove a subscription',
    { description: 'Its waiting events are discarded.', 204: 'Removed.' },
    ({ subscriptionId }) => done(subscriptions.remove('operator', subscriptionId)),
  ),
  api.post(
    `${one}/secret`,
    'Rotate a signing secret',
    {
      description: 'For 24 hours, requests are signed with both the new and the previous secret.',
      201: ['The subscription, with its new signing secret.', withSecret],
    },
    async ({ subscriptionId }) => {
      const { subscription, clearTextSecret } = await subscriptions.rotateSecret('operator', subscriptionId)
      return created({ ...shown(subscription), secret: clearTextSecret })
    },
  ),
  api.post(
    `${one}/test`,
    'Send a test event',
    { audited: false, 202: 'The event is queued. The deliveries of the subscription show the response.' },
    async ({ subscriptionId }) => {
      await subscriptions.test('operator', subscriptionId)
      return { status: 202 }
    },
  ),
  api.list(
    `${one}/deliveries`,
    'List the deliveries of a subscription',
    {
      description: `Newest first. ${shortPages}`,
      query: {
        state: deliveries.state,
        type: Type.Enum([...eventTypes, testType], `one of ${[...eventTypes, testType].join(', ')}`),
      },
      cursors: nameCursors,
      200: ['A page of deliveries.', listedDelivery],
    },
    async ({ subscriptionId, query: { state, type } }, page) => {
      const filter = { state: state && deliveries.eventStateOf[state], type }
      return deliveries.eventPage(page, (at) => log.page('operator', subscriptionId, filter, at))
    },
    (event) => ({ ...summary(event), attempts: event.attempts }),
  ),
  api.get(
    `${one}/deliveries/{eventId}`,
    'Read an outgoing event with its attempts',
    { 200: ['The event.', delivery] },
    async ({ subscriptionId, eventId }) => {
      const event = await log.event('operator', subscriptionId, eventId)
      return ok({
        ...summary(event),
        attempts: event.history.map(deliveries.shownAttempt),
        body: Buffer.from(event.body).toString('utf8'),
      })
    },
  ),
  api.post(
    `${one}/deliveries/{eventId}/replay`,
    'Replay an outgoing event',
    {
      operationId: 'postSubscriptionReplay',
      description: 'The replay has the same webhook-id header.',
      202: ['Queued.', Type.Object({ id: Type.String() }, { title: 'SubscriptionReplay' })],
    },
    async ({ subscriptionId, eventId }) => accepted({ id: await log.replay('operator', subscriptionId, eventId) }),
  ),
]

function shown({ language: _, ...subscription }: Subscription) {
  return { ...schemas.inIsoTimes(subscription), enabled: subscription.disabledBecause === null }
}

function summary({ id, flowId, path, state, acceptedAtMs, lastError, dueAtMs, replayOf }: EventSummary) {
  return {
    id,
    type: flowId,
    webhookId: path,
    state: deliveries.stateNames[state],
    acceptedAt: schemas.iso(acceptedAtMs),
    lastError: lastError ?? null,
    nextAttemptAt: schemas.isoOrNull(dueAtMs),
    replayOf: replayOf ?? null,
  }
}
