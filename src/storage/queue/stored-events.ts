import type { BotId } from '../../domain/ids-and-secrets.ts'
import type { DeadLetterCause } from '../../domain/webhooks/dead-letter-causes.ts'
import type { ReceivedWebhook } from '../../domain/webhooks/delivery-queue.ts'
import type { Attempt, EventFilter, EventSummary, EventsWaitedFor } from '../../domain/webhooks/event-log.ts'
import type { DeadReason } from '../../domain/webhooks/retry.ts'

const numbersPerMs = 2_048

/** Returns the number's acceptance time. It is too late if the clock was set back before the acceptance. */
export function acceptedAtMsOf(number: number): number {
  return Math.floor(number / numbersPerMs)
}

export function firstNumberOf(acceptedAtMs: number): number {
  return acceptedAtMs * numbersPerMs
}

/** Returns the number of the event after `last`. Numbers strictly increase, even if the clock is set back. */
export function numberAfter(last: number, acceptedAtMs: number): number {
  return Math.max(last + 1, firstNumberOf(acceptedAtMs))
}

/** Returns the event's ID on SQLite, where numbers are unique across all bots. */
export function idOf(number: number): string {
  return `ev${number.toString(36)}`
}

/** Returns the event's ID on PostgreSQL, where numbers are unique per bot. Bots' have up to 78 of `[A-Za-z0-9_-]`. */
export function idWithBot(botId: BotId, number: number): string {
  return `${idOf(number)}-${botId}`
}

export function numberOf(id: string): number | undefined {
  if (!/^ev[0-9a-z]{1,11}$/.test(id)) return undefined
  const number = Number.parseInt(id.slice(2), 36)
  return Number.isSafeInteger(number) && idOf(number) === id ? number : undefined
}

/** Event numbers from `from` (inclusive) to `below` (exclusive). */
export interface EventRange {
  from: number
  below: number
}

/**
 * Returns the event numbers within the filter's times and the page's bounds. If a bound is not an event ID, the range
 * is empty.
 *
 * @param numberOf parses the event IDs given as the page's bounds.
 */
export function rangeOf(
  { sinceMs, untilMs }: EventFilter,
  { before, after }: { before?: string | undefined; after?: string | undefined },
  numberOf: (id: string) => number | undefined,
): EventRange {
  const froms = [0]
  const belows = [Number.MAX_SAFE_INTEGER]
  if (sinceMs !== undefined) froms.push(firstNumberOf(sinceMs))
  if (untilMs !== undefined) belows.push(firstNumberOf(untilMs))
  if (after !== undefined) froms.push((numberOf(after) ?? Number.MAX_SAFE_INTEGER) + 1)
  if (before !== undefined) belows.push(numberOf(before) ?? 0)
  return { from: Math.max(...froms), below: Math.min(...belows) }
}

/** The columns of a received webhook, which event rows in both databases have in common. */
export interface PayloadColumns
  extends Pick<ReceivedWebhook, 'botId' | 'flowId' | 'path' | 'clientIp' | 'acceptedAtMs'> {
  contentType: string | null
  userAgent: string | null
  forwardedFor: string | null
  requestId: string | null
  /** 0 or 1. */
  test: number
}

/** @param body passed separately, because the row may not contain it. */
export function payloadOf(row: PayloadColumns, body: Uint8Array): ReceivedWebhook {
  return {
    botId: row.botId,
    flowId: row.flowId,
    path: row.path,
    headers: {
      contentType: row.contentType ?? undefined,
      userAgent: row.userAgent ?? undefined,
      forwardedFor: row.forwardedFor ?? undefined,
      requestId: row.requestId ?? undefined,
    },
    clientIp: row.clientIp,
    body,
    acceptedAtMs: row.acceptedAtMs,
    ...testOf(row),
  }
}

const testOf = ({ test }: { test: number }) => (test ? { test: true as const } : {})

/** The columns of an event in lists, which event rows in both databases have in common. */
export interface SummaryColumns
  extends Pick<EventSummary, 'flowId' | 'path' | 'state' | 'attempts' | 'acceptedAtMs' | 'bodyBytes'> {
  number: number
  /** 0 or 1. */
  test: number
  /** When the event is due. Meaningful only while the event is ready. */
  dueAtMs: number | null
  finishedAtMs: number | null
  deadBecause: DeadReason | null
  replayOf: number | null
  replayedAs: number | null
}

/** The columns of a cause of dead letters. The latest error is JSON on PostgreSQL, and a text on SQLite. */
export interface CauseColumns extends Omit<DeadLetterCause, 'error' | 'because'> {
  error: string | null
  because: DeadReason | null
}

/** Converts a row to an event summary, with the error of its latest failed attempt. */
export function summaryOf(
  row: SummaryColumns,
  lastError: string | undefined,
  idOf: (number: number) => string,
): EventSummary {
  return {
    id: idOf(row.number),
    flowId: row.flowId,
    path: row.path,
    ...testOf(row),
    state: row.state,
    attempts: row.attempts,
    acceptedAtMs: row.acceptedAtMs,
    dueAtMs: row.state === 'ready' ? (row.dueAtMs ?? undefined) : undefined,
    finishedAtMs: row.finishedAtMs ?? undefined,
    bodyBytes: row.bodyBytes,
    lastError,
    deadBecause: row.deadBecause ?? undefined,
    replayOf: row.replayOf === null ? undefined : idOf(row.replayOf),
    replayedAs: row.replayedAs === null ? undefined : idOf(row.replayedAs),
  }
}

/** Returns the event that each one waits for. `heads` are the first unfinished events of strictly ordered flows. */
export function behind(
  events: readonly EventSummary[],
  heads: readonly EventSummary[],
  numberOf: (id: string) => number | undefined,
): EventsWaitedFor {
  const isEarlier = (one: EventSummary, other: EventSummary) => (numberOf(one.id) ?? 0) < (numberOf(other.id) ?? 0)
  const pairs = events.flatMap((event) => {
    if (event.state !== 'ready') return []
    const head = heads.find((each) => each.flowId === event.flowId && isEarlier(each, event))
    return head === undefined ? [] : [[event.id, head] as const]
  })
  return new Map(pairs)
}

export interface RecordedFailure {
  attempt: number
  beganAtMs: number
  endedAtMs: number
  error?: string | null | undefined
}

/** Returns all counted attempts, oldest first: the failed ones, and one in progress or acknowledged, if any. */
export function historyOf(
  failed: readonly RecordedFailure[],
  row: Pick<SummaryColumns, 'state' | 'attempts' | 'finishedAtMs'> & { beganAtMs: number | null },
): Attempt[] {
  const history = failed.map((each): Attempt => ({ ...each, outcome: 'failed', error: each.error ?? undefined }))
  if (row.beganAtMs === null || (row.state !== 'done' && row.state !== 'leased')) return history
  const outcome = row.state === 'done' ? 'acknowledged' : 'under-way'
  const endedAtMs = row.finishedAtMs ?? undefined
  history.push({ attempt: row.attempts, beganAtMs: row.beganAtMs, endedAtMs, outcome, error: undefined })
  return history
}
