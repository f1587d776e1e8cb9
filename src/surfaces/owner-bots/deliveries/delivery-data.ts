import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import type { Flow } from '../../../domain/bots/flows/flow.ts'
import { logLevels, type NumberedLogEntry } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { causeName, type DeadLetterCause, type DeadLetterCauses } from '../../../domain/webhooks/dead-letter-causes.ts'
import type { BodyStarts, EventAccess, SearchOutcome, ShownEvent } from '../../../domain/webhooks/event-access.ts'
import type {
  EventState,
  EventSummary,
  EventsWaitedFor,
  HourlyCount,
  StateCount,
} from '../../../domain/webhooks/event-log.ts'
import type { RefusalLog } from '../../../domain/webhooks/refusal-log.ts'
import type { BotPageServices, BotVisit } from '../on-bot.ts'
import { filterOf, type ListQuery } from './list-query.ts'

export interface DeliveryServices extends BotPageServices {
  eventAccess: EventAccess
  refusalLog: RefusalLog
  apiUrl: string
}

export interface ListData {
  query: ListQuery
  events: readonly EventSummary[]
  /** The list's position for the next page. `undefined` on the last page. */
  next: string | undefined
  /** How far back a search for text has reached. `undefined` if the list wasn't searched for text. */
  searched: SearchOutcome | undefined
  behind: EventsWaitedFor
  starts: BodyStarts
  counts: readonly HourlyCount[]
  states: Record<EventState, StateCount>
  /** Causes of the dead letters in the list. `undefined` if the list can't have dead letters, or was searched. */
  causes: DeadLetterCauses | undefined
  apiUrl: string
  /** Number of refused webhooks. `undefined` if the user isn't allowed to see them. */
  refused: number | undefined
  flows: readonly Flow[]
  may: { open: boolean; replay: boolean }
}

type Reader = Pick<BotVisit, 'bot' | 'by' | 'role' | 'capabilities' | 'nowMs'>

export const chartHours = 24

export async function loadList(services: DeliveryServices, reader: Reader, query: ListQuery): Promise<ListData> {
  const { eventAccess, refusalLog, bots } = services
  const { bot, by, nowMs } = reader
  const may = { open: mayDo(reader, 'read-bodies'), replay: mayDo(reader, 'replay') }
  const [listed, counts, states, causes, flows, refused] = await Promise.all([
    listedEvents(services, reader, query),
    eventAccess.counts(by.userId, bot.id, query.flowId, chartHours),
    eventAccess.countStates(by.userId, bot.id, filterOf(query, nowMs)),
    query.search === '' && (query.state ?? 'dead') === 'dead' ? causesOf(services, reader, query) : undefined,
    bots.flows.list(bot.id),
    may.open ? refusalLog.count(bot.id) : undefined,
  ])
  const starts = await eventAccess.bodyStarts(by.userId, bot.id, listed.events)
  return { query, ...listed, starts, counts, states, causes, refused, flows, may, apiUrl: services.apiUrl }
}

/** Returns the causes of the dead letters that match the query, ignoring its search text. */
export async function causesOf(
  { eventAccess }: DeliveryServices,
  { bot, by, nowMs }: Reader,
  query: ListQuery,
): Promise<DeadLetterCauses> {
  const { causes, more } = await eventAccess.deadLetterCauses(by.userId, bot.id, filterOf(query, nowMs))
  const isChosen = (each: DeadLetterCause) => query.cause === undefined || causeName(each) === query.cause
  return { causes: causes.filter(isChosen), more }
}

/**
 * Returns the events of the list. If the search text is an event's ID, returns that event, even if it doesn't match the
 * other filters.
 */
async function listedEvents({ eventAccess }: DeliveryServices, reader: Reader, query: ListQuery) {
  const { bot, by, nowMs } = reader
  const { search, before } = query
  const filter = filterOf(query, nowMs)
  const most = limits.deliveriesPerPage
  if (search === '') {
    return { ...(await eventAccess.page(by.userId, bot.id, filter, { before, most })), searched: undefined }
  }
  const named = await eventAccess.withId(by.userId, bot.id, search)
  const found = (events: readonly EventSummary[], searched: SearchOutcome | undefined) => ({
    events,
    searched,
    next: searched?.next,
    behind: new Map(),
  })
  if (named !== undefined) return found([named], undefined)
  if (!mayDo(reader, 'read-bodies')) return found([], undefined)
  const searched = await eventAccess.search(by.userId, bot.id, filter, search, { before, most })
  return found(searched.events, searched)
}

export interface DeliveryData {
  event: ShownEvent
  /** The webhook's flow. `undefined` if it has been removed. */
  flow: Flow | undefined
  mayReplay: boolean
  /** What the bot's runtime logged during the last attempt, oldest first. `undefined` if the user may not read the log. */
  log: { attempt: number; entries: NumberedLogEntry[] } | undefined
}

/** @throws EventRefusal `event-unknown`. */
export async function loadDelivery(
  { bots, eventAccess }: DeliveryServices,
  visit: Pick<BotVisit, 'bot' | 'by' | 'role' | 'capabilities' | 'request'>,
): Promise<DeliveryData> {
  const { eventId } = visit.request.params as { eventId: string }
  const event = await eventAccess.event(visit.by.userId, visit.bot.id, eventId)
  const flow = await bots.flows.find(visit.bot.id, event.flowId)
  const log = mayDo(visit, 'read-logs') ? await logOfAttempt(bots, visit.bot.id, event) : undefined
  return { event, flow, mayReplay: mayDo(visit, 'replay'), log }
}

/** A runtime may write its log just before or after its attempt, and its clock may differ a little. */
const logToleranceMs = 100

async function logOfAttempt(bots: Bots, botId: BotId, { history }: ShownEvent): Promise<DeliveryData['log']> {
  const last = history.at(-1)
  if (last === undefined) return undefined
  const entries = await bots.logs.page(botId, {
    levels: logLevels,
    sinceMs: last.beganAtMs - logToleranceMs,
    untilMs: last.endedAtMs === undefined ? undefined : last.endedAtMs + logToleranceMs,
    most: limits.attemptLogEntriesMax,
  })
  return { attempt: last.attempt, entries: entries.toReversed() }
}
