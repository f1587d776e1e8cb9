import { parseFlowId } from '../domain/ids.ts'
import type { Attempt, EventFilter, EventRecord, EventState, EventSummary } from '../domain/webhooks/event-log.ts'
import type { ForwardedHeaders } from '../domain/webhooks/request-headers.ts'
import type { DeliveryState } from './delivery-schemas.ts'
import { iso, isoOrNull } from './instant.ts'
import { msOf } from './lists.ts'

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

/** Converts the query parameters of a list of deliveries. */
export function deliveryFilter(query: {
  state: DeliveryState | undefined
  flowId: string | undefined
  since: string | undefined
  until: string | undefined
}): EventFilter {
  const { state, flowId, since, until } = query
  return {
    state: state && eventStateOf[state],
    flowId: parseFlowId(flowId ?? ''),
    sinceMs: msOf(since),
    untilMs: msOf(until),
  }
}

/** Returns an event as it appears in a list of deliveries. */
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
    replayOf: event.replayOf ?? null,
    replayedAs: event.replayedAs ?? null,
  }
}

/** Returns an event with its attempts, headers and body. */
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

function sentHeaders({ contentType, userAgent, forwardedFor, requestId }: ForwardedHeaders): Record<string, string> {
  const kept = {
    'content-type': contentType,
    'user-agent': userAgent,
    'x-forwarded-for': forwardedFor,
    'x-request-id': requestId,
  }
  return Object.fromEntries(
    Object.entries(kept).filter((header): header is [string, string] => header[1] !== undefined),
  )
}
