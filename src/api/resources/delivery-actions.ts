import { type FlowId, parseFlowId } from '../../domain/ids.ts'
import { type BulkOutcome, bulkCursorPattern } from '../../domain/webhooks/event-actions.ts'
import { Type } from '../../http/json-schema.ts'
import { instant, instantOf, internalId, nullable } from '../engine/schemas.ts'

export const replay = Type.Object({ id: Type.String({ description: 'ID of the new event' }) }, { title: 'Replay' })

const filter = {
  flowId: Type.Optional(internalId('the flow')),
  since: Type.Optional(instant('only events accepted at or after this time')),
  until: Type.Optional(instant('only events accepted before this time')),
  cursor: Type.Optional(
    Type.String({
      pattern: bulkCursorPattern,
      maxLength: 100,
      description: 'the value of next in the previous response',
    }),
  ),
}

export const bulkResponse = Type.Object(
  {
    events: Type.Integer({ description: 'number of events that this call replayed or discarded' }),
    next: nullable(Type.String(), 'to continue, send it as cursor with the same filter; null if nothing is left'),
    stopped: nullable(
      Type.Enum(['queue-full', 'gateway-unavailable'], { type: 'string' }),
      'why the call stopped early, so wait before you continue; null if it didn’t',
    ),
  },
  { title: 'BulkOutcome' },
)

export const replayFilter = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(['dead', 'delivered'], { type: 'string', description: '"dead" (default) or "delivered"' }),
    ),
    ...filter,
  },
  {
    additionalProperties: false,
    title: 'ReplayFilter',
    description: 'a JSON object with a filter, which may be empty',
  },
)

export const discardFilter = Type.Object(
  {
    state: Type.Optional(Type.Literal('dead', { description: '"dead", the only state that this call discards' })),
    ...filter,
  },
  {
    additionalProperties: false,
    title: 'DiscardFilter',
    description: 'a JSON object with a filter, which may be empty',
  },
)

interface FilterBody {
  flowId?: string
  since?: string
  until?: string
}

/** Converts the filter in a body. @throws Problem 400 for a date or time that does not exist. */
export function filterOf({ flowId, since, until }: FilterBody): {
  flowId?: FlowId
  sinceMs?: number
  untilMs?: number
} {
  const flow = flowId === undefined ? undefined : parseFlowId(flowId)
  return {
    ...(flow !== undefined && { flowId: flow }),
    ...(since !== undefined && { sinceMs: instantOf(since, '#/since') }),
    ...(until !== undefined && { untilMs: instantOf(until, '#/until') }),
  }
}

export function bulkOutcome({ events, next, stopped }: BulkOutcome) {
  return { events, next: next ?? null, stopped: stopped ?? null }
}
