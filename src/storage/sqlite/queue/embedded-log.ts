import { yieldToOthers } from '../../../domain/background-work.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import {
  causeName,
  type DeadLetterCause,
  type DeadLetterCauses,
  mostFrequentFirst,
} from '../../../domain/webhooks/dead-letter-causes.ts'
import type { StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import type {
  Attempt,
  DeadLetterCount,
  EventFilter,
  EventLog,
  EventPage,
  EventRecord,
  EventState,
  EventSummary,
  EventsWaitedFor,
  FollowedEvents,
  HourlyCount,
  QueueDepth,
  StateCount,
} from '../../../domain/webhooks/event-log.ts'
import {
  behind,
  type CauseColumns,
  historyOf,
  idOf,
  numberOf,
  rangeOf,
  type SummaryColumns,
  summaryOf,
} from '../../queue/stored-events.ts'
import { sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog } from './backlog.ts'
import type { EventRow, EventRows } from './event-rows.ts'
import type { FinishedEvents, FinishedState } from './finished-events.ts'
import type { HourlyCounts } from './hourly-counts.ts'
import type { Leases, Transitions } from './leases.ts'

type SummaryRow = SummaryColumns & { lastError: string | null }

/** Dead letters whose causes are read in one tick. Reading a long error takes up to 60 µs. */
const causesReadAtOnce = 100

/** The error of an event's latest failed attempt. */
const lastError = sql`CASE WHEN error_bytes > 0 THEN (SELECT error FROM failed_attempts
    WHERE failed_attempts.number = events.number ORDER BY lease DESC LIMIT 1) END`

interface AttemptRow {
  attempt: number
  beganAtMs: number
  endedAtMs: number
  error: string | null
}

/**
 * Maximum number of rows read per page. Without this limit, a page could read 100,000 waiting events to find the few
 * that belong to the requested flow.
 */
const rowsPerPageMax = 2_000

interface EmbeddedLogParts {
  file: SqliteFile
  rows: EventRows
  finished: FinishedEvents
  backlog: Backlog
  leases: Leases
  transitions: Transitions
  counts: HourlyCounts
  strictFlows: (botId: BotId) => readonly StrictFlow[]
}

/**
 * The delivery log. Finds unfinished events through the queue's in-memory state, and finished ones through their index.
 */
export class EmbeddedLog implements EventLog {
  readonly #parts: EmbeddedLogParts

  constructor(parts: EmbeddedLogParts) {
    this.#parts = parts
  }

  async page(botId: BotId, filter: EventFilter, at: { before?: string | undefined; most: number }): Promise<EventPage> {
    const { from, below } = rangeOf(filter, { before: at.before }, numberOf)
    const numbers = [...this.#unfinishedNumbers(botId, filter.state)].filter((each) => each >= from && each < below)
    for (const state of ['done', 'dead'] as const) {
      if (filter.state !== undefined && filter.state !== state) continue
      const range = { state, flowId: filter.flowId, from, below }
      numbers.push(...this.#parts.finished.newest(botId, range, at.most + 1))
    }
    numbers.sort((one, other) => other - one)
    const events: EventSummary[] = []
    for (const [index, number] of numbers.entries()) {
      const last = numbers[index - 1]
      if (last !== undefined && (events.length === at.most || index === rowsPerPageMax))
        return { events, next: idOf(last) }
      const summary = this.#summary(number)
      if (summary !== undefined && matches(summary, filter)) events.push(summary)
    }
    return { events, next: undefined }
  }

  async following(botId: BotId, filter: EventFilter, id: string): Promise<string | undefined> {
    const { from, below } = rangeOf(filter, { after: id }, numberOf)
    const numbers = [...this.#unfinishedNumbers(botId, filter.state)].filter((each) => each >= from && each < below)
    for (const state of ['done', 'dead'] as const) {
      if (filter.state !== undefined && filter.state !== state) continue
      numbers.push(...this.#parts.finished.oldest(botId, { state, flowId: filter.flowId, from, below }, 1))
    }
    numbers.sort((one, other) => one - other)
    for (const number of numbers.slice(0, rowsPerPageMax)) {
      const summary = this.#summary(number)
      if (summary !== undefined && matches(summary, filter)) return summary.id
    }
    return undefined
  }

  async bodyStarts(botId: BotId, ids: readonly string[], mostBytes: number): Promise<ReadonlyMap<string, Uint8Array>> {
    const numbers = ids.flatMap((id) => numberOf(id) ?? [])
    const starts = numbers.flatMap((number) => {
      const start = this.#parts.rows.bodyStart(botId, number, mostBytes)
      return start === undefined ? [] : [[idOf(number), start] as const]
    })
    return new Map(starts)
  }

  async countStates(
    botId: BotId,
    filter: Omit<EventFilter, 'state'>,
    most: number,
  ): Promise<Record<EventState, StateCount>> {
    const { from, below } = rangeOf(filter, {}, numberOf)
    const unfinished = (state: EventState) => {
      const numbers = this.#unfinishedNumbers(botId, state).filter((each) => each >= from && each < below)
      const more = numbers.length > most
      if (filter.flowId === undefined) return { events: Math.min(numbers.length, most), more }
      numbers.sort((one, other) => other - one)
      const matching = numbers.slice(0, most).filter((each) => this.#parts.rows.flowOf(each) === filter.flowId)
      return { events: matching.length, more }
    }
    const finished = (state: FinishedState) => {
      const events = this.#parts.finished.count(botId, { state, flowId: filter.flowId, from, below }, most + 1)
      return { events: Math.min(events, most), more: events > most }
    }
    return { ready: unfinished('ready'), leased: unfinished('leased'), done: finished('done'), dead: finished('dead') }
  }

  async deadLetterCauses(botId: BotId, filter: Omit<EventFilter, 'state'>, most: number): Promise<DeadLetterCauses> {
    const range = { state: 'dead', flowId: filter.flowId, ...rangeOf(filter, {}, numberOf) } as const
    const numbers = this.#parts.finished.newest(botId, range, most + 1)
    const causes = new Map<string, DeadLetterCause>()
    for (let at = 0; at < Math.min(numbers.length, most); at += causesReadAtOnce) {
      if (at > 0) await yieldToOthers()
      for (const each of this.#causesOf(numbers.slice(at, Math.min(at + causesReadAtOnce, most)))) {
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
  }

  #causesOf(numbers: readonly number[]): DeadLetterCause[] {
    const rows = this.#parts.file.all<CauseColumns>(
      sql`SELECT error, CASE WHEN error IS NULL THEN dead_because END AS because, count(*) AS events,
          count(*) FILTER (WHERE replayed_as IS NULL) AS unreplayed, max(finished_at_ms) AS last_at_ms
        FROM (SELECT dead_because, replayed_as, finished_at_ms, ${lastError} AS error FROM events
          WHERE number IN (SELECT value FROM json_each(${JSON.stringify(numbers)})) AND state = 'dead')
        GROUP BY 1, 2`,
    )
    return rows.map(({ error, because, ...counts }) => ({
      ...counts,
      error: error ?? undefined,
      because: because ?? undefined,
    }))
  }

  async botOf(botIds: readonly BotId[], id: string): Promise<BotId | undefined> {
    const number = numberOf(id)
    const botId = number === undefined ? undefined : this.#parts.rows.botOf(number)
    return botId !== undefined && botIds.includes(botId) ? botId : undefined
  }

  async find(botId: BotId, id: string): Promise<EventRecord | undefined> {
    const number = numberOf(id)
    const found = number === undefined ? undefined : this.#parts.rows.findWithPayload(botId, number)
    const summary = found && this.#summary(found.row.number)
    if (found === undefined || summary === undefined) return undefined
    const { headers, clientIp, body } = found.payload
    return { ...summary, headers, clientIp, body, history: this.#history(found.row) }
  }

  async finished(
    botId: BotId,
    filter: EventFilter & { state: FinishedState },
    at: { after?: string | undefined; most: number },
  ): Promise<EventSummary[]> {
    const range = { state: filter.state, flowId: filter.flowId, ...rangeOf(filter, { after: at.after }, numberOf) }
    const numbers = this.#parts.finished.oldest(botId, range, at.most)
    return numbers.flatMap((number) => this.#summary(number) ?? [])
  }

  async waitedFor(botId: BotId, events: readonly EventSummary[]): Promise<EventsWaitedFor> {
    const heads = this.#parts.strictFlows(botId).map((flow) => this.#parts.backlog.headOf(flow))
    return behind(
      events,
      heads.flatMap((number) => this.#summary(number) ?? []),
      numberOf,
    )
  }

  /**
   * Finds events in the file, because they may be in any state. The query scans the events of all bots after `cursor`.
   * The returned cursor therefore advances even if only other bots receive events.
   */
  async follow(botId: BotId, cursor: string | undefined, most: number): Promise<FollowedEvents> {
    const newest = this.#parts.file.first<{ last: number }>(sql`SELECT coalesce(max(number), 0) AS last FROM events`)
    const last = newest?.last ?? 0
    if (cursor === undefined) return { events: [], cursor: String(last) }
    const found = this.#parts.file.all<{ number: number }>(
      sql`SELECT number FROM events WHERE number > ${Number(cursor)} AND +bot_id = ${botId} ORDER BY number
        LIMIT ${most}`,
    )
    const numbers = found.map(({ number }) => number)
    const upTo = numbers.length < most ? Math.max(last, Number(cursor)) : numbers.at(-1)
    return { events: numbers.flatMap((number) => this.#summary(number) ?? []), cursor: String(upTo) }
  }

  async unfinishedOf(botIds: readonly BotId[]): Promise<ReadonlyMap<BotId, number>> {
    return new Map(botIds.map((botId) => [botId, this.#parts.backlog.eventsOf(botId)]))
  }

  async fullest(most: number): Promise<QueueDepth[]> {
    return this.#parts.backlog.fullest(most)
  }

  async counts(botId: BotId, flowId: FlowId | undefined, sinceMs: number): Promise<HourlyCount[]> {
    return this.#parts.counts.read(botId, flowId, sinceMs)
  }

  async deadLetters(botIds: readonly BotId[], sinceMs: number): Promise<DeadLetterCount[]> {
    return this.#parts.counts.deadLetters(botIds, sinceMs)
  }

  #unfinishedNumbers(botId: BotId, state: EventState | undefined): number[] {
    const states = (['ready', 'leased'] as const).filter((each) => state === undefined || each === state)
    const moving = this.#parts.transitions.ofBot(botId)
    const settled = states.flatMap((each) =>
      each === 'ready'
        ? this.#parts.backlog.unleased(botId)
        : this.#parts.leases.ofBot(botId).map(({ number }) => number),
    )
    if (moving.size === 0) return settled
    return [
      ...settled.filter((number) => !moving.has(number)),
      ...[...moving].filter((number) => states.some((each) => this.#parts.rows.isIn(each, botId, number))),
    ]
  }

  #summary(number: number): EventSummary | undefined {
    const row = this.#parts.file.first<SummaryRow>(
      sql`SELECT number, flow_id, path, test, state, attempts, due_at_ms, accepted_at_ms, finished_at_ms,
          body_bytes, dead_because, replay_of, replayed_as, ${lastError} AS last_error
        FROM events WHERE number = ${number}`,
    )
    return row && summaryOf(row, row.lastError ?? undefined, idOf)
  }

  #history(row: EventRow): Attempt[] {
    const failed = this.#parts.file.all<AttemptRow>(
      sql`SELECT attempt, began_at_ms, ended_at_ms, error FROM failed_attempts WHERE number = ${row.number} ORDER BY lease`,
    )
    return historyOf(
      failed.map((each) => ({ ...each, error: each.error ?? undefined })),
      row,
    )
  }
}

/**
 * Returns whether the stored event matches the filter. The stored event can be newer than the in-memory state by which
 * it was found.
 */
function matches({ state, flowId }: EventSummary, filter: EventFilter): boolean {
  return (filter.state ?? state) === state && (filter.flowId ?? flowId) === flowId
}
