import { yieldToOthers } from '../../../domain/background-work.ts'
import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import { causeName, type DeadLetterCause, mostFrequentFirst } from '../../../domain/webhooks/dead-letter-causes.ts'
import type { Attempt, EventFilter, EventLog, EventState, EventSummary } from '../../../domain/webhooks/event-log.ts'
import { type FinishedState, finishedStates } from '../../queue/queue-figures.ts'
import {
  behind,
  type CauseColumns,
  historyOf,
  idOf,
  numberOf,
  type RecordedFailure,
  rangeOf,
  type SummaryColumns,
  summaryOf,
} from '../../queue/stored-events.ts'
import { sql } from '../../sql/sql.ts'
import type { EventRow, FinishedRange } from './event-rows.ts'
import type { QueueParts } from './queue-parts.ts'

type SummaryRow = SummaryColumns & { lastError: string | null }

/** Dead letters whose causes are read in one tick. Reading a long error takes up to 60 µs. */
const causesReadAtOnce = 100

/** The error of an event's latest failed attempt. */
const lastError = sql`CASE WHEN error_bytes > 0 THEN (SELECT error FROM failed_attempts
    WHERE failed_attempts.number = events.number ORDER BY lease DESC LIMIT 1) END`

/** Maximum rows read per page. Otherwise, a page could read 100,000 waiting events to find a few of one flow. */
const rowsPerPageMax = 2_000

/**
 * The delivery log. Finds unfinished events through the queue's in-memory state, and finished ones through their index.
 */
export function embeddedLog(parts: QueueParts): EventLog {
  const { file, rows, finished, backlog, leases, transitions, counts, strictFlows } = parts
  return {
    async page(botId, filter, { before, most }) {
      const numbers = numbersIn(botId, filter, { before }, (range) => finished.newest(botId, range, most + 1))
      numbers.sort((one, other) => other - one)
      return pageOf(numbers, filter, most)
    },

    async pageAfter(botId, filter, { after, most }) {
      const numbers = numbersIn(botId, filter, { after }, (range) => finished.oldest(botId, range, most))
      numbers.sort((one, other) => one - other)
      return pageOf(numbers, filter, most).events
    },

    async bodyStarts(botId, ids, mostBytes) {
      const numbers = ids.flatMap((id) => numberOf(id) ?? [])
      const starts = numbers.flatMap((number) => {
        const start = rows.bodyStart(botId, number, mostBytes)
        return start === undefined ? [] : [[idOf(number), start] as const]
      })
      return new Map(starts)
    },

    async countStates(botId, filter, most) {
      const { from, below } = rangeOf(filter, {}, numberOf)
      const unfinished = (state: EventState) => {
        const numbers = unfinishedNumbers(botId, state).filter((each) => each >= from && each < below)
        const more = numbers.length > most
        if (filter.flowId === undefined) return { events: Math.min(numbers.length, most), more }
        numbers.sort((one, other) => other - one)
        const matching = numbers.slice(0, most).filter((each) => headOf(each)?.flowId === filter.flowId)
        return { events: matching.length, more }
      }
      const ended = (state: FinishedState) => {
        const events = finished.count(botId, { state, flowId: filter.flowId, from, below }, most + 1)
        return { events: Math.min(events, most), more: events > most }
      }
      return { ready: unfinished('ready'), leased: unfinished('leased'), done: ended('done'), dead: ended('dead') }
    },

    async deadLetterCauses(botId, filter, most) {
      const range = { state: 'dead', flowId: filter.flowId, ...rangeOf(filter, {}, numberOf) } as const
      const numbers = finished.newest(botId, range, most + 1)
      const causes = new Map<string, DeadLetterCause>()
      for (let at = 0; at < Math.min(numbers.length, most); at += causesReadAtOnce) {
        if (at > 0) await yieldToOthers()
        for (const each of causesOf(numbers.slice(at, Math.min(at + causesReadAtOnce, most)))) {
          const name = causeName(each)
          const known = causes.get(name)
          causes.set(name, {
            ...each,
            events: each.events + (known?.events ?? 0),
            unreplayed: each.unreplayed + (known?.unreplayed ?? 0),
            lastAtMs: Math.max(each.lastAtMs, known?.lastAtMs ?? 0),
          })
        }
      }
      return { causes: mostFrequentFirst([...causes.values()]), more: numbers.length > most }
    },

    async botOf(botIds, id) {
      const number = numberOf(id)
      const botId = number === undefined ? undefined : headOf(number)?.botId
      return botId !== undefined && botIds.includes(botId) ? botId : undefined
    },

    async find(botId, id) {
      const number = numberOf(id)
      const found = number === undefined ? undefined : rows.findWithPayload(botId, number)
      const summary = found && summaryOfEvent(found.row.number)
      if (found === undefined || summary === undefined) return undefined
      const { headers, clientIp, body } = found.payload
      return { ...summary, headers, clientIp, body, history: history(found.row) }
    },

    async waitedFor(botId, events) {
      const heads = strictFlows(botId).flatMap((flow) => summaryOfEvent(backlog.headOf(flow)) ?? [])
      return behind(events, heads, numberOf)
    },

    /** Scans the file's events of all bots after `cursor`, which advances even if only other bots receive events. */
    async follow(botId, cursor, most) {
      const newest = file.first<{ last: number }>(sql`SELECT coalesce(max(number), 0) AS last FROM events`)
      const last = newest?.last ?? 0
      if (cursor === undefined) return { events: [], cursor: String(last) }
      const found = file.all<{ number: number }>(
        sql`SELECT number FROM events WHERE number > ${Number(cursor)} AND +bot_id = ${botId} ORDER BY number
          LIMIT ${most}`,
      )
      const numbers = found.map(({ number }) => number)
      const upTo = numbers.length < most ? Math.max(last, Number(cursor)) : numbers.at(-1)
      return { events: numbers.flatMap((number) => summaryOfEvent(number) ?? []), cursor: String(upTo) }
    },

    unfinishedOf: async (botIds) => new Map(botIds.map((botId) => [botId, backlog.eventsOf(botId)])),
    fullest: async (most) => backlog.fullest(most),
    counts: (botId, flowId, sinceMs) => counts.read(botId, flowId, sinceMs),
    deadLetters: (botIds, sinceMs) => counts.deadLetters(botIds, sinceMs),
  }

  /** Returns the first `most` of these events that match, in this order. */
  function pageOf(numbers: readonly number[], filter: EventFilter, most: number) {
    const events: EventSummary[] = []
    for (const [index, number] of numbers.entries()) {
      const last = numbers[index - 1]
      if (last !== undefined && (events.length === most || index === rowsPerPageMax)) {
        return { events, next: idOf(last) }
      }
      const summary = summaryOfEvent(number)
      if (summary !== undefined && matches(summary, filter)) events.push(summary)
    }
    return { events, next: undefined }
  }

  function headOf(number: number): { botId: BotId; flowId: FlowId } | undefined {
    return file.first(sql`SELECT bot_id, flow_id FROM events WHERE number = ${number}`)
  }

  function causesOf(numbers: readonly number[]): DeadLetterCause[] {
    const rows = file.all<CauseColumns>(
      sql`SELECT error, CASE WHEN error IS NULL THEN dead_because END AS because, count(*) AS events,
          count(*) FILTER (WHERE replayed_as IS NULL) AS unreplayed, max(finished_at_ms) AS last_at_ms
        FROM (SELECT dead_because, replayed_as, finished_at_ms, ${lastError} AS error FROM events
          WHERE number IN (SELECT value FROM json_each(${JSON.stringify(numbers)})) AND state = 'dead')
        GROUP BY 1, 2`,
    )
    return rows.map((row) => ({ ...row, error: row.error ?? undefined, because: row.because ?? undefined }))
  }

  /** Returns the numbers of unfinished events and of what `find` returns for each finished state, in no order. */
  function numbersIn(
    botId: BotId,
    filter: EventFilter,
    bounds: { before?: string | undefined; after?: string | undefined },
    find: (range: FinishedRange) => number[],
  ): number[] {
    const { from, below } = rangeOf(filter, bounds, numberOf)
    const states = finishedStates.filter((state) => (filter.state ?? state) === state)
    return [
      ...unfinishedNumbers(botId, filter.state).filter((each) => each >= from && each < below),
      ...states.flatMap((state) => find({ state, flowId: filter.flowId, from, below })),
    ]
  }

  function unfinishedNumbers(botId: BotId, state: EventState | undefined): number[] {
    const states = (['ready', 'leased'] as const).filter((each) => state === undefined || each === state)
    const moving = transitions.ofBot(botId)
    const settled = states.flatMap((each) =>
      each === 'ready' ? backlog.unleased(botId) : leases.ofBot(botId).map(({ number }) => number),
    )
    if (moving.size === 0) return settled
    return [
      ...settled.filter((number) => !moving.has(number)),
      ...[...moving].filter((number) => states.some((each) => rows.isIn(each, botId, number))),
    ]
  }

  function summaryOfEvent(number: number): EventSummary | undefined {
    const row = file.first<SummaryRow>(
      sql`SELECT number, flow_id, path, test, state, attempts, due_at_ms, accepted_at_ms, finished_at_ms,
          body_bytes, dead_because, replay_of, replayed_as, ${lastError} AS last_error
        FROM events WHERE number = ${number}`,
    )
    return row && summaryOf(row, row.lastError ?? undefined, idOf)
  }

  function history(row: EventRow): Attempt[] {
    const failed = file.all<RecordedFailure>(
      sql`SELECT attempt, began_at_ms, ended_at_ms, error FROM failed_attempts WHERE number = ${row.number} ORDER BY lease`,
    )
    return historyOf(failed, row)
  }
}

/** Returns whether the stored event matches. It can be newer than the in-memory state that led to it. */
function matches({ state, flowId }: EventSummary, filter: EventFilter): boolean {
  return (filter.state ?? state) === state && (filter.flowId ?? flowId) === flowId
}
