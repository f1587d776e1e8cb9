import type { BotId, FlowId } from '../../domain/ids.ts'
import type { ReceivedWebhook } from '../../domain/webhooks/delivery-queue.ts'
import type { Attempt, EventState, EventSummary, EventsWaitedFor } from '../../domain/webhooks/event-log.ts'
import type { DeadReason } from '../../domain/webhooks/retry.ts'

/** The columns of a received webhook, which event rows in both databases have in common. */
export interface PayloadColumns {
  bot_id: BotId
  flow_id: FlowId
  path: string
  client_ip: string
  content_type: string | null
  user_agent: string | null
  forwarded_for: string | null
  request_id: string | null
  accepted_at_ms: number
  /** 0 or 1. */
  test: number
}

/**
 * Returns the webhook as it was received.
 *
 * @param body passed separately, because the row may not contain it.
 */
export function payloadOf(row: PayloadColumns, body: Uint8Array): ReceivedWebhook {
  return {
    botId: row.bot_id,
    flowId: row.flow_id,
    path: row.path,
    headers: {
      contentType: row.content_type ?? undefined,
      userAgent: row.user_agent ?? undefined,
      forwardedFor: row.forwarded_for ?? undefined,
      requestId: row.request_id ?? undefined,
    },
    clientIp: row.client_ip,
    body,
    acceptedAtMs: row.accepted_at_ms,
    ...testOf(row),
  }
}

const testOf = ({ test }: { test: number }) => (test ? { test: true as const } : {})

/** The columns of an event in lists, which event rows in both databases have in common. */
export interface SummaryColumns {
  number: number
  flow_id: FlowId
  path: string
  /** 0 or 1. */
  test: number
  state: EventState
  attempts: number
  accepted_at_ms: number
  /** When the event is due. Meaningful only while the event is ready. */
  due_at_ms: number | null
  finished_at_ms: number | null
  body_bytes: number
  dead_because: DeadReason | null
  replay_of: number | null
  replayed_as: number | null
}

/**
 * Converts a row to an event summary.
 *
 * @param lastError error from the latest failed attempt.
 * @param idOf returns the event ID for one of the bot's event numbers.
 */
export function summaryOf(
  row: SummaryColumns,
  lastError: string | undefined,
  idOf: (number: number) => string,
): EventSummary {
  return {
    id: idOf(row.number),
    flowId: row.flow_id,
    path: row.path,
    ...testOf(row),
    state: row.state,
    attempts: row.attempts,
    acceptedAtMs: row.accepted_at_ms,
    dueAtMs: row.state === 'ready' ? (row.due_at_ms ?? undefined) : undefined,
    finishedAtMs: row.finished_at_ms ?? undefined,
    bodyBytes: row.body_bytes,
    lastError,
    deadBecause: row.dead_because ?? undefined,
    replayOf: row.replay_of === null ? undefined : idOf(row.replay_of),
    replayedAs: row.replayed_as === null ? undefined : idOf(row.replayed_as),
  }
}

/**
 * Returns the first event that each of these waiting events waits for in its flow.
 *
 * @param heads the first unfinished events of flows with strict order.
 */
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
  error?: string | undefined
}

/**
 * Returns all counted attempts, oldest first: the failed ones, followed by the attempt that is in progress or was
 * acknowledged, if there is one.
 */
export function historyOf(
  failed: readonly RecordedFailure[],
  row: Pick<SummaryColumns, 'state' | 'attempts' | 'finished_at_ms'> & { began_at_ms: number | null },
): Attempt[] {
  const history = failed.map(
    ({ attempt, beganAtMs, endedAtMs, error }): Attempt => ({
      attempt,
      beganAtMs,
      endedAtMs,
      outcome: 'failed',
      error,
    }),
  )
  if (row.began_at_ms === null || (row.state !== 'done' && row.state !== 'leased')) return history
  const outcome = row.state === 'done' ? 'acknowledged' : 'under-way'
  const endedAtMs = row.finished_at_ms ?? undefined
  history.push({ attempt: row.attempts, beganAtMs: row.began_at_ms, endedAtMs, outcome, error: undefined })
  return history
}
