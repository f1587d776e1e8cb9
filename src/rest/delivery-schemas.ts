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
  finishedAt: nullable(timestamp('when it was delivered or became a dead letter')),
  lastError: nullable(Type.String({ description: 'error of the latest failed attempt' })),
  deadBecause: nullable(Type.String({ description: 'why it became a dead letter' })),
  bodyBytes: Type.Integer(),
  replayOf: nullable(Type.String({ description: 'the event that this one replays' })),
  replayedAs: nullable(Type.String({ description: 'the latest replay of this event' })),
}

export const listedDelivery = Type.Object(
  { ...members, attempts: Type.Integer({ description: 'number of attempts' }) },
  { title: 'ListedDelivery' },
)

export const attempt = Type.Object(
  {
    attempt: Type.Integer({ description: 'number of the attempt, from 1' }),
    beganAt: timestamp('when the event was sent to a runtime'),
    endedAt: nullable(timestamp('when the attempt ended')),
    outcome: Type.Enum(['delivered', 'failed', 'processing'], {
      type: 'string',
      description: 'delivered, failed or processing',
    }),
    error: nullable(Type.String({ description: 'the runtime’s error' })),
  },
  { title: 'DeliveryAttempt' },
)

export const delivery = Type.Object(
  {
    ...members,
    attempts: Type.Array(attempt, { description: 'oldest first' }),
    nextAttemptAt: nullable(timestamp('earliest time of the next attempt')),
    clientIp: Type.String({ description: 'IP address of the sender' }),
    headers: Type.Record(Type.String(), {
      description: 'those of content-type, user-agent, x-forwarded-for and x-request-id that were sent',
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
