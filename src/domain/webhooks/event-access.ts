import { yieldToOthers } from '../background-work.ts'
import { mayDo } from '../bots/bot-access.ts'
import type { BotId, FlowId, UserId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { type BodyPreview, previewBody } from './body-preview.ts'
import { type DeadLetterCauses, hasCause } from './dead-letter-causes.ts'
import { type CauseFilter, createEventChanges, type EventParts, EventRefusal } from './event-changes.ts'
import type {
  EventFilter,
  EventLog,
  EventPage,
  EventRecord,
  EventState,
  EventSummary,
  EventsWaitedFor,
  HourlyCount,
  StateCount,
} from './event-log.ts'

export type ShownEvent = Omit<EventRecord, 'body'> & {
  preview: BodyPreview
  /** The flow's first unfinished event, if strict order makes this event wait for it. */
  behind: EventSummary | undefined
}

/** By event ID, on one line: text, or bytes in hexadecimal. */
export type BodyStarts = ReadonlyMap<string, string>

export interface SearchOutcome {
  /** Newest first. */
  events: EventSummary[]
  examined: number
  /** Acceptance time of the oldest event examined. */
  backToMs: number | undefined
  /** `undefined` if no older event matches the filter. */
  next: string | undefined
}

export interface DeliveryGlance {
  unfinished: number
  latest: EventSummary | undefined
  /** The newest undelivered event with a failed attempt, among the newest dead letter and the newest waiting events. */
  failed: EventSummary | undefined
}

const searchBatch = 50
const waitingExamined = 50
const hourMs = 3_600_000
/** Of the counts that pages show: the current hour and those before it. */
const countedHours = 24

export type EventAccess = ReturnType<typeof createEventAccess>

/** The events of a bot, as far as users may see them. Every method throws BotRefusal `bot-unknown` or `not-allowed`. */
export function createEventAccess(parts: EventParts) {
  const { access, clock } = parts
  const { log } = parts.queue

  async function read(actor: UserId, botId: BotId, id: string): Promise<EventRecord> {
    await access.demand(actor, botId, 'read-bodies')
    const event = await log.find(botId, id)
    if (event === undefined) throw new EventRefusal('event-unknown', { detail: `bot ${botId}` })
    return event
  }

  return {
    ...createEventChanges(parts),

    /** Like {@link EventLog.page}, of at most `eventsPerPageMax` events. */
    async page(
      actor: UserId,
      botId: BotId,
      filter: CauseFilter,
      at: { before?: string | undefined; most: number },
    ): Promise<EventPage & { behind: EventsWaitedFor }> {
      await access.demand(actor, botId, 'read-deliveries')
      const page = await listByCause(log, botId, filter, { ...at, most: Math.min(at.most, limits.eventsPerPageMax) })
      return { ...page, behind: await log.waitedFor(botId, page.events) }
    },

    /** @throws EventRefusal `event-unknown`. */
    async event(actor: UserId, botId: BotId, id: string): Promise<ShownEvent> {
      const { body, ...event } = await read(actor, botId, id)
      const behind = (await log.waitedFor(botId, [event])).get(event.id)
      return { ...event, preview: previewBody(body, limits.bodyPreviewMaxBytes), behind }
    },

    /** Like {@link event}, with the whole body. */
    whole: read,

    /** Returns the counts of the last 24 hours, oldest first and without gaps, ending with the current hour. */
    async counts(actor: UserId, botId: BotId, flowId?: FlowId): Promise<HourlyCount[]> {
      await access.demand(actor, botId, 'read-deliveries')
      const presentMs = Math.floor(clock.nowMs() / hourMs) * hourMs
      const sinceMs = presentMs - (countedHours - 1) * hourMs
      const counted = new Map((await log.counts(botId, flowId, sinceMs)).map((count) => [count.hourMs, count]))
      return Array.from({ length: countedHours }, (_, hour) => {
        const atMs = sinceMs + hour * hourMs
        return counted.get(atMs) ?? { hourMs: atMs, accepted: 0, delivered: 0, failed: 0, dead: 0 }
      })
    },

    /** Counts a day's dead letters; a flow's entries add up. The caller checks that the user may see the bots. */
    deadLetters: (botIds: readonly BotId[]) => log.deadLetters(botIds, clock.nowMs() - (countedHours - 1) * hourMs),

    /** May omit bots without unfinished events. The caller must have checked that the user may see the bots. */
    unfinishedOf: (botIds: readonly BotId[]) => log.unfinishedOf(botIds),

    async countStates(
      actor: UserId,
      botId: BotId,
      filter: Omit<EventFilter, 'state'>,
    ): Promise<Record<EventState, StateCount>> {
      await access.demand(actor, botId, 'read-deliveries')
      return log.countStates(botId, filter, limits.eventsCountedMax)
    },

    async deadLetterCauses(actor: UserId, botId: BotId, filter: Omit<EventFilter, 'state'>): Promise<DeadLetterCauses> {
      await access.demand(actor, botId, 'read-deliveries')
      return log.deadLetterCauses(botId, filter, limits.eventsCountedMax)
    },

    /** Reads a bounded number of events, however many the bot has. */
    async glance(actor: UserId, botId: BotId): Promise<DeliveryGlance> {
      await access.demand(actor, botId, 'read-deliveries')
      const newest = async (state: EventState | undefined, most: number) =>
        (await log.page(botId, { state }, { most })).events
      const [unfinished, [latest], dead, waiting] = await Promise.all([
        log.unfinishedOf([botId]),
        newest(undefined, 1),
        newest('dead', 1),
        newest('ready', waitingExamined),
      ])
      const failed = [...dead, ...waiting.filter(({ lastError }) => lastError !== undefined)]
      failed.sort((one, other) => other.acceptedAtMs - one.acceptedAtMs)
      return { unfinished: unfinished.get(botId) ?? 0, latest, failed: failed[0] }
    },

    /** Returns an empty map if the user may not read bodies. */
    async bodyStarts(actor: UserId, botId: BotId, events: readonly EventSummary[]): Promise<BodyStarts> {
      if (!mayDo(await access.demand(actor, botId, 'read-deliveries'), 'read-bodies')) return new Map()
      const ids = events.map(({ id }) => id)
      // One byte more than is shown tells whether the body was cut.
      const starts = await log.bodyStarts(botId, ids, limits.bodyStartMaxBytes + 1)
      return new Map([...starts].map(([id, start]) => [id, lineOf(start)]))
    },

    async withId(actor: UserId, botId: BotId, id: string): Promise<EventSummary | undefined> {
      await access.demand(actor, botId, 'read-deliveries')
      return log.find(botId, id)
    },

    /** Returns which of these bots has the event, if the user may open it. Never throws: the ID may be any text. */
    async botOf(actor: UserId, botIds: readonly BotId[], id: string): Promise<BotId | undefined> {
      const botId = await log.botOf(botIds, id)
      return botId !== undefined && (await access.may(actor, botId, 'read-bodies')) ? botId : undefined
    },

    /**
     * Searches the beginnings of the bodies for a text, newest event first, ignoring case. Stops after `most` matches
     * or at the limits in `searchedPerRequest`, so that no call reads a bot's whole history.
     *
     * @param at.before the `next` of the previous call.
     */
    async search(
      actor: UserId,
      botId: BotId,
      filter: CauseFilter,
      text: string,
      at: { before?: string | undefined; most: number },
    ): Promise<SearchOutcome> {
      await access.demand(actor, botId, 'read-bodies')
      const wanted = text.toLowerCase()
      const found: EventSummary[] = []
      let { before } = at
      let [examined, bytes] = [0, 0]
      let backToMs: number | undefined
      // Limited by pages rather than events, because a page can be empty although older events match.
      for (let pages = 0; pages < limits.searchedPerRequest.events / searchBatch; pages += 1) {
        const page = await listByCause(log, botId, filter, { before, most: searchBatch })
        const ids = page.events.map(({ id }) => id)
        const starts = await log.bodyStarts(botId, ids, limits.searchedPerRequest.bytesPerBody)
        for (const event of page.events) {
          const start = starts.get(event.id)
          examined += 1
          bytes += start?.length ?? 0
          backToMs = event.acceptedAtMs
          before = event.id
          if (start !== undefined && Buffer.from(start).toString().toLowerCase().includes(wanted)) found.push(event)
          const isLast = event === page.events.at(-1) && page.next === undefined
          if (found.length === at.most && !isLast) return { events: found, examined, backToMs, next: before }
        }
        if (page.next === undefined) return { events: found, examined, backToMs, next: undefined }
        before = page.next
        if (bytes >= limits.searchedPerRequest.bytes) break
        await yieldToOthers()
      }
      return { events: found, examined, backToMs, next: before }
    },

    /** The matching events that were accepted right after and right before this one. */
    async neighbours(
      actor: UserId,
      botId: BotId,
      { cause, ...filter }: CauseFilter,
      id: string,
    ): Promise<{ newer: string | undefined; older: string | undefined }> {
      await access.demand(actor, botId, 'read-bodies')
      const [after, before] = await Promise.all([
        log.pageAfter(botId, filter, { after: id, most: cause === undefined ? 1 : limits.eventsPerPageMax }),
        listByCause(log, botId, { ...filter, cause }, { before: id, most: 1 }),
      ])
      const newer = after.find((event) => cause === undefined || hasCause(event, cause))
      return { newer: newer?.id, older: before.events[0]?.id }
    },

    /** Yields batches, newest first, up to `eventsExportedMax` events. If there are more, the last one has `before`. */
    async *export(
      actor: UserId,
      botId: BotId,
      filter: CauseFilter,
      start: string | undefined,
    ): AsyncGenerator<{ events: readonly EventSummary[]; continuesBefore: string | undefined }> {
      let left = limits.eventsExportedMax
      let before = start
      do {
        await access.demand(actor, botId, 'read-deliveries')
        const page = await listByCause(log, botId, filter, { before, most: Math.min(left, limits.eventsPerPageMax) })
        left -= page.events.length
        before = page.next
        yield { events: page.events, continuesBefore: left > 0 ? undefined : before }
      } while (before !== undefined && left > 0)
    },
  }
}

/** With a cause, examines at most `eventsCountedMax` dead letters per call. */
async function listByCause(
  log: EventLog,
  botId: BotId,
  { cause, ...filter }: CauseFilter,
  { before, most }: { before?: string | undefined; most: number },
): Promise<EventPage> {
  if (cause === undefined) return log.page(botId, filter, { before, most })
  const events: EventSummary[] = []
  let next = before
  for (let examined = 0; examined < limits.eventsCountedMax; examined += limits.eventsPerPageMax) {
    const page = await log.page(botId, { ...filter, state: 'dead' }, { before: next, most: limits.eventsPerPageMax })
    for (const event of page.events) {
      if (!hasCause(event, cause)) continue
      if (events.length === most) return { events, next: events.at(-1)?.id }
      events.push(event)
    }
    next = page.next
    if (next === undefined) break
    await yieldToOthers()
  }
  return { events, next }
}

function lineOf(start: Uint8Array): string {
  const { shown } = previewBody(start, limits.bodyStartMaxBytes)
  return shown.replace(/\s+/g, ' ').slice(0, limits.bodyStartMaxBytes)
}
