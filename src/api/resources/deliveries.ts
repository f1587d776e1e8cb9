import type { BotId, FlowId } from '../../domain/ids-and-secrets.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { EventAccess } from '../../domain/webhooks/event-access.ts'
import {
  type BulkFilter,
  type BulkOutcome,
  bulkCursorPattern,
  type EventActor,
} from '../../domain/webhooks/event-changes.ts'
import type { EventFilter, EventPage, EventRecord } from '../../domain/webhooks/event-log.ts'
import { Type } from '../../http/json-schema.ts'
import { type Api, accepted, done, ok } from '../engine/api.ts'
import { nameCursors, shortPages, timeParameter } from '../engine/lists.ts'
import { bodyOf, instant, instantOf, internalId, nullable } from '../engine/schemas.ts'
import * as records from './delivery-records.ts'

const replay = Type.Object({ id: Type.String('ID of the new event') }, { title: 'Replay' })

const filter = {
  flowId: Type.Optional(internalId<FlowId>('the flow')),
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
const filterText = 'a JSON object with a filter, which may be empty'

const replayFilter = bodyOf(
  'ReplayFilter',
  {
    state: Type.Optional(Type.Enum(['dead', 'delivered'], '"dead" (default) or "delivered"')),
    ...filter,
  },
  filterText,
)

const discardFilter = bodyOf(
  'DiscardFilter',
  {
    state: Type.Optional(Type.Literal('dead', '"dead", the only state that this call discards')),
    ...filter,
  },
  filterText,
)

const bulkResponse = Type.Object(
  {
    events: Type.Integer('number of events that this call replayed or discarded'),
    next: nullable(Type.String(), 'to continue, send it as cursor with the same filter; null if nothing is left'),
    stopped: nullable(
      Type.Enum(['queue-full', 'gateway-unavailable']),
      'why the call stopped early, so wait before you continue; null if it didn’t',
    ),
  },
  { title: 'BulkOutcome' },
)

/** Reads a bot's events, and says in whose name they are changed. Each method checks the bot and the caller's rights. */
export interface DeliveryAuthority<Caller> {
  actor(caller: Caller, botId: BotId): Promise<EventActor>
  page(
    caller: Caller,
    botId: BotId,
    filter: EventFilter,
    at: { before?: string | undefined; most: number },
  ): Promise<EventPage>
  whole(caller: Caller, botId: BotId, eventId: string): Promise<EventRecord>
}

const deliveries = '/bots/{botId}/deliveries'

/** @param texts what one API's document adds to a description. */
export const deliveryRoutes = <Caller>(
  api: Pick<Api<Caller>, 'get' | 'post' | 'list'>,
  events: Pick<EventAccess, 'replay' | 'discard' | 'replayAll' | 'discardAll'>,
  { actor, page, whole }: DeliveryAuthority<Caller>,
  texts: { discard?: string; replayAll?: string } = {},
) => [
  api.list(
    deliveries,
    'List a bot’s deliveries',
    {
      description: `Newest first. ${shortPages}`,
      query: {
        state: records.state,
        flowId: internalId<FlowId>('the flow that received them'),
        since: timeParameter('only webhooks accepted at or after it'),
        until: timeParameter('only webhooks accepted before it'),
      },
      cursors: nameCursors,
      200: ['A page of deliveries.', records.listedDelivery],
    },
    ({ caller, botId, query: { state, flowId, since: sinceMs, until: untilMs } }, request) => {
      const filter = { state: state && records.eventStateOf[state], flowId, sinceMs, untilMs }
      return records.eventPage(request, (at) => page(caller, botId, filter, at))
    },
    records.listedDeliveryRecord,
  ),
  api.get(
    `${deliveries}/{eventId}`,
    'Read a delivery with its headers, body and attempts',
    { 200: ['The delivery.', records.delivery] },
    async ({ caller, botId, eventId }) => ok(records.deliveryRecord(await whole(caller, botId, eventId))),
  ),
  api.post(
    `${deliveries}/{eventId}/replay`,
    'Replay an event',
    {
      description:
        'Stores the event again with a new ID, and delivers it as a new event. Each call creates another replay.',
      202: ['The replay is stored.', replay],
    },
    async ({ caller, botId, eventId }) =>
      accepted({ id: await events.replay(await actor(caller, botId), botId, eventId) }),
  ),
  api.post(
    `${deliveries}/{eventId}/discard`,
    'Discard a waiting event or a dead letter',
    { description: texts.discard, conflicts: true, 204: 'Discarded.' },
    async ({ caller, botId, eventId }) => done(events.discard(await actor(caller, botId), botId, eventId)),
  ),
  api.post(
    `${deliveries}/replay`,
    'Replay all matching events',
    {
      description: `Replays events that have not been replayed before, oldest first, at most ${limits.eventsPerBulk} per call.${texts.replayAll ?? ''}`,
      body: replayFilter,
      200: ['The number of events, and how to continue.', bulkResponse],
    },
    async ({ caller, botId, body: { state, cursor, ...sent } }) => {
      const filter: BulkFilter = { ...filterOf(sent), state: state === 'delivered' ? 'done' : 'dead' }
      return ok(bulkOutcome(await events.replayAll(await actor(caller, botId), botId, filter, cursor)))
    },
  ),
  api.post(
    `${deliveries}/discard`,
    'Discard all matching dead letters',
    {
      description: `Oldest first, at most ${limits.eventsPerBulk} per call. This can’t be undone.`,
      body: discardFilter,
      200: ['The number of events, and how to continue.', bulkResponse],
    },
    async ({ caller, botId, body: { cursor, ...sent } }) =>
      ok(bulkOutcome(await events.discardAll(await actor(caller, botId), botId, filterOf(sent), cursor))),
  ),
]

/** Converts the filter in a body. Throws Problem 400 for a date or time that does not exist. */
function filterOf({ flowId, since, until }: { flowId?: FlowId; since?: string; until?: string }): EventFilter {
  return {
    flowId,
    sinceMs: since === undefined ? since : instantOf(since, '#/since'),
    untilMs: until === undefined ? until : instantOf(until, '#/until'),
  }
}

function bulkOutcome({ events, next, stopped }: BulkOutcome) {
  return { events, next: next ?? null, stopped: stopped ?? null }
}
