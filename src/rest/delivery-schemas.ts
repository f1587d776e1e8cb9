import { Type } from '../http/json-schema.ts'
import { pageParameters, timeParameter } from './lists.ts'
import { internalId, nullable, timestamp } from './schemas.ts'

const deliveryStates = ['waiting', 'processing', 'delivered', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const state = Type.Enum(deliveryStates, {
  type: 'string',
  description: 'waiting, processing, delivered or dead',
})

const members = {
  id: Type.String({ description: 'the event’s ID, the same for all attempts' }),
  flowId: Type.String(),
  path: Type.String({ description: 'the path that received the webhook' }),
  state,
  acceptedAt: timestamp('when the webhook was accepted'),
  finishedAt: nullable(
    timestamp('when it was delivered or became a dead letter'),
    'when it was delivered or became a dead letter; null until then',
  ),
  lastError: nullable(Type.String(), 'error of the latest failed attempt; null if none has failed'),
  deadBecause: nullable(Type.String(), 'why it became a dead letter; null if it isn’t one'),
  bodyBytes: Type.Integer(),
  replayOf: nullable(Type.String(), 'ID of the event that this one replays; null if it isn’t a replay'),
  replayedAs: nullable(Type.String(), 'ID of the latest replay of this event; null if there is none'),
}

export const listedDelivery = Type.Object(
  { ...members, attempts: Type.Integer({ description: 'number of attempts' }) },
  { title: 'ListedDelivery' },
)

export const attempt = Type.Object(
  {
    attempt: Type.Integer({ description: 'number of the attempt, from 1' }),
    beganAt: timestamp('when the attempt began'),
    endedAt: nullable(timestamp('when the attempt ended'), 'when the attempt ended; null while it is in progress'),
    outcome: Type.Enum(['delivered', 'failed', 'processing'], {
      type: 'string',
      description: 'delivered, failed or processing',
    }),
    error: nullable(Type.String(), 'why the attempt failed; null if it didn’t'),
  },
  { title: 'DeliveryAttempt' },
)

export const delivery = Type.Object(
  {
    ...members,
    attempts: Type.Array(attempt, { description: 'oldest first' }),
    nextAttemptAt: nullable(
      timestamp('earliest time of the next attempt'),
      'earliest time of the next attempt; null if none follows',
    ),
    clientIp: Type.String({ description: 'IP address of the sender' }),
    headers: Type.Record(Type.String(), {
      description: 'content-type, user-agent, x-forwarded-for and x-request-id, as far as they were sent',
    }),
    body: Type.String({ contentEncoding: 'base64', description: 'the body as received, in base64' }),
  },
  { title: 'Delivery' },
)

/** Query parameters of a list of deliveries. */
export const deliveryQuery = {
  ...pageParameters,
  state,
  flowId: internalId('the flow that received them'),
  since: timeParameter('only webhooks accepted at or after it'),
  until: timeParameter('only webhooks accepted before it'),
}
