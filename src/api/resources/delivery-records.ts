import type { ListPage, PageRequest } from '../../domain/list-page.ts'
import type {
  Attempt,
  EventRecord,
  EventState,
  EventSummary,
  ForwardedHeaders,
} from '../../domain/webhooks/event-log.ts'
import { Type } from '../../http/json-schema.ts'
import { iso, isoOrNull, nullable, timestamp, timeUnless } from '../engine/schemas.ts'

const deliveryStates = ['waiting', 'processing', 'delivered', 'dead'] as const
type DeliveryState = (typeof deliveryStates)[number]

export const state = Type.Enum(deliveryStates, 'waiting, processing, delivered or dead')

const members = {
  id: Type.String('the event’s ID, the same for all attempts'),
  flowId: Type.String(),
  path: Type.String('the path that received the webhook'),
  state,
  acceptedAt: timestamp('when the webhook was accepted'),
  finishedAt: timeUnless('when it was delivered or became a dead letter', 'until then'),
  lastError: nullable(Type.String(), 'error of the latest failed attempt; null if none has failed'),
  deadBecause: nullable(Type.String(), 'why it became a dead letter; null if it isn’t one'),
  bodyBytes: Type.Integer(),
  test: Type.Optional(
    Type.Literal(true, 'present if a user sent it with the tester, past the flow’s key and signature'),
  ),
  replayOf: nullable(Type.String(), 'ID of the event that this one replays; null if it isn’t a replay'),
  replayedAs: nullable(Type.String(), 'ID of the latest replay of this event; null if there is none'),
}

export const listedDelivery = Type.Object(
  { ...members, attempts: Type.Integer('number of attempts') },
  { title: 'ListedDelivery' },
)

export const attempt = Type.Object(
  {
    attempt: Type.Integer('number of the attempt, from 1'),
    beganAt: timestamp('when the attempt began'),
    endedAt: timeUnless('when the attempt ended', 'while it is in progress'),
    outcome: Type.Enum(['delivered', 'failed', 'processing'], 'delivered, failed or processing'),
    error: nullable(Type.String(), 'why the attempt failed; null if it didn’t'),
  },
  { title: 'DeliveryAttempt' },
)

export const nextAttemptAt = timeUnless('earliest time of the next attempt', 'if none follows')

export const delivery = Type.Object(
  {
    ...members,
    attempts: Type.Array(attempt, 'oldest first'),
    nextAttemptAt,
    clientIp: Type.String('IP address of the sender'),
    headers: Type.Record(
      Type.String(),
      'content-type, user-agent, x-forwarded-for and x-request-id, as far as they were sent',
    ),
    body: Type.String({ contentEncoding: 'base64', description: 'the body as received, in base64' }),
  },
  { title: 'Delivery' },
)

export const stateNames: Record<EventState, DeliveryState> = {
  ready: 'waiting',
  leased: 'processing',
  done: 'delivered',
  dead: 'dead',
}
export const eventStateOf = Object.fromEntries(
  Object.entries(stateNames).map(([state, name]) => [name, state]),
) as Record<DeliveryState, EventState>
const outcomeNames = { acknowledged: 'delivered', failed: 'failed', 'under-way': 'processing' } as const

export async function eventPage<Event>(
  { after: before, most }: PageRequest<string>,
  read: (at: { before: string | undefined; most: number }) => Promise<{ events: Event[]; next: string | undefined }>,
): Promise<ListPage<Event, string>> {
  const { events: items, next } = await read({ before, most })
  return { items, next }
}

export function listedDeliveryRecord(event: EventSummary) {
  return { ...shown(event), attempts: event.attempts }
}

function shown(event: EventSummary) {
  const { id, flowId, path, state, acceptedAtMs, finishedAtMs, lastError, deadBecause, bodyBytes } = event
  return {
    id,
    flowId,
    path,
    state: stateNames[state],
    acceptedAt: iso(acceptedAtMs),
    finishedAt: isoOrNull(finishedAtMs),
    lastError: lastError ?? null,
    deadBecause: deadBecause ?? null,
    bodyBytes,
    ...(event.test && { test: event.test }),
    replayOf: event.replayOf ?? null,
    replayedAs: event.replayedAs ?? null,
  }
}

export function deliveryRecord(event: EventRecord) {
  return {
    ...shown(event),
    attempts: event.history.map(shownAttempt),
    nextAttemptAt: isoOrNull(event.dueAtMs),
    clientIp: event.clientIp,
    headers: sentHeaders(event.headers),
    body: Buffer.from(event.body).toString('base64'),
  }
}

export function shownAttempt({ attempt, beganAtMs, endedAtMs, outcome, error }: Attempt) {
  return {
    attempt,
    beganAt: iso(beganAtMs),
    endedAt: isoOrNull(endedAtMs),
    outcome: outcomeNames[outcome],
    error: error ?? null,
  }
}

export function sentHeaders(headers: ForwardedHeaders): Record<string, string> {
  const { contentType, userAgent, forwardedFor, requestId } = headers
  return {
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
    ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  }
}
