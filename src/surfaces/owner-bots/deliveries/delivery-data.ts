import { mayDo } from '../../../domain/bots/bot-access.ts'
import type { Bots } from '../../../domain/bots/bots.ts'
import { logLevels } from '../../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { causeName, type DeadLetterCause, type DeadLetterCauses } from '../../../domain/webhooks/dead-letter-causes.ts'
import type { ShownEvent } from '../../../domain/webhooks/event-access.ts'
import type { EventsWaitedFor } from '../../../domain/webhooks/event-log.ts'
import type { BotVisit } from '../bot-pages.ts'
import { filterOf, type ListQuery } from './list-query.ts'

export type ListData = Awaited<ReturnType<typeof loadList>>

export async function loadList(visit: BotVisit, query: ListQuery) {
  const { eventAccess, refusalLog, bots } = visit.services
  const { bot, by, nowMs } = visit
  const may = { open: mayDo(visit, 'read-bodies'), replay: mayDo(visit, 'replay') }
  const [listed, counts, states, causes, flows, refused] = await Promise.all([
    listedEvents(visit, query),
    eventAccess.counts(by.userId, bot.id, query.flowId),
    eventAccess.countStates(by.userId, bot.id, filterOf(query, nowMs)),
    query.search === '' && (query.state ?? 'dead') === 'dead' ? causesOf(visit, query) : undefined,
    bots.flows.list(bot.id),
    may.open ? refusalLog.count(bot.id) : undefined,
  ])
  const starts = await eventAccess.bodyStarts(by.userId, bot.id, listed.events)
  return { query, ...listed, starts, counts, states, causes, refused, flows, may }
}

/** Returns the causes of the dead letters that match the query, ignoring its search text. */
export async function causesOf({ services, bot, by, nowMs }: BotVisit, query: ListQuery): Promise<DeadLetterCauses> {
  const { causes, more } = await services.eventAccess.deadLetterCauses(by.userId, bot.id, filterOf(query, nowMs))
  const isChosen = (each: DeadLetterCause) => query.cause === undefined || causeName(each) === query.cause
  return { causes: causes.filter(isChosen), more }
}

/** Returns the list's events or, if the search text is an event's ID, that event, whatever the other filters. */
async function listedEvents(visit: BotVisit, query: ListQuery) {
  const { services, bot, by, nowMs } = visit
  const { eventAccess } = services
  const { search, before } = query
  const filter = filterOf(query, nowMs)
  const most = limits.deliveriesPerPage
  if (search === '') {
    return { ...(await eventAccess.page(by.userId, bot.id, filter, { before, most })), searched: undefined }
  }
  const named = await eventAccess.withId(by.userId, bot.id, search)
  const searched =
    named === undefined && mayDo(visit, 'read-bodies')
      ? await eventAccess.search(by.userId, bot.id, filter, search, { before, most })
      : undefined
  const behind: EventsWaitedFor = new Map()
  return { events: named === undefined ? (searched?.events ?? []) : [named], searched, next: searched?.next, behind }
}

export type DeliveryData = Awaited<ReturnType<typeof loadDelivery>>

/** @throws EventRefusal `event-unknown`. */
export async function loadDelivery(visit: BotVisit) {
  const { bots, eventAccess } = visit.services
  const { eventId } = visit.request.params as { eventId: string }
  const event = await eventAccess.event(visit.by.userId, visit.bot.id, eventId)
  const flow = await bots.flows.find(visit.bot.id, event.flowId)
  const log = mayDo(visit, 'read-logs') ? await logOfAttempt(bots, visit.bot.id, event) : undefined
  return { event, flow, mayReplay: mayDo(visit, 'replay'), log }
}

/** A runtime may write its log just before or after its attempt, and its clock may differ a little. */
const logToleranceMs = 100

/** Returns what the bot's runtime logged during the last attempt, oldest first. */
async function logOfAttempt(bots: Bots, botId: BotId, { history }: ShownEvent) {
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
