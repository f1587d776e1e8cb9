import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import type { PostgresPool, Queries } from '../postgres-pool.ts'
import { type DayPartitions, type FinishedTable, keptIn } from './day-partitions.ts'

export interface EventToFinish {
  botId: BotId
  number: number
  /**
   * The lease that the event must have, or `undefined` if it must not be leased. An event that doesn't match is left
   * unchanged.
   */
  lease: { lease: number; holder: string } | undefined
  finishedAtMs: number
  /** Set only for dead letters. */
  because?: DeadReason
  /** Failed attempts, as JSON, to be stored. `undefined` leaves the stored ones unchanged. */
  failures?: string
}

export interface FinishedEvent {
  botId: BotId
  flowId: FlowId
  number: number
  /** `undefined` if the event was not leased. */
  lease: { lease: number; holder: string } | undefined
  ordered: boolean
  bodyBytes: number
  /** Set only for dead letters. */
  because: DeadReason | undefined
  /** The bot's totals in the target table after this batch. */
  keptEvents: number
  keptBytes: number
}

type FinishedRow = { bot_id: BotId } & (
  | { number: null; kept_events: number; kept_bytes: number }
  | { number: number; flow_id: FlowId; leases: number; holder: string | null; ordered: number; body_bytes: number }
)

/**
 * Moves events to a table of finished events and subtracts them from the queue's counters, atomically in one statement.
 */
export async function finish(
  on: Queries,
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  const rows = await on.rows<FinishedRow>(statements[table], [
    toFinish.map(({ botId }) => botId),
    toFinish.map(({ number }) => number),
    toFinish.map(({ lease }) => lease?.lease ?? null),
    toFinish.map(({ lease }) => lease?.holder ?? null),
    toFinish.map(({ finishedAtMs }) => finishedAtMs),
    toFinish.map(({ because }) => because ?? null),
    toFinish.map(({ failures }) => failures ?? null),
  ])
  const reasons =
    table === 'queue_dead' ? new Map(toFinish.map((each) => [`${each.botId} ${each.number}`, each.because])) : undefined
  const kept = new Map(rows.flatMap((row) => (row.number === null ? [[row.bot_id, row] as const] : [])))
  return rows.flatMap((row) => {
    if (row.number === null) return []
    const { bot_id: botId, flow_id: flowId, number, leases, holder, body_bytes: bodyBytes } = row
    const ordered = row.ordered === 1
    const lease = holder === null ? undefined : { lease: leases, holder }
    const { kept_events: keptEvents = 0, kept_bytes: keptBytes = 0 } = kept.get(botId) ?? {}
    const because = reasons?.get(`${botId} ${number}`)
    return [{ botId, flowId, number, lease, ordered, bodyBytes, because, keptEvents, keptBytes }]
  })
}

/** Runs `work`, which moves events with these numbers. If a day's partition is missing, creates it and retries once. */
export async function withPartitions<T>(
  days: DayPartitions,
  numbers: () => readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== noPartition) throw error
    await days.makeFor(numbers())
    return work()
  }
}

/** Like {@link finish}, in its own transaction. */
export function finishNow(
  pool: PostgresPool,
  days: DayPartitions,
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  return withPartitions(
    days,
    () => toFinish.map(({ number }) => number),
    () => finish(pool, table, toFinish),
  )
}

/** SQLSTATE for a row without a matching partition. */
const noPartition = '23514'

function finishStatement(table: FinishedTable): string {
  const kept = keptIn(table)
  return `
    WITH named AS (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::text[])
        AS named (bot_id, number, lease, lease_holder, ended_at_ms, because, all_failures)
    ), finished AS (
      DELETE FROM queue_events AS event USING named
      WHERE event.bot_id = named.bot_id AND event.number = named.number
        AND CASE WHEN lease IS NULL THEN event.state = 'ready'
          ELSE event.state = 'leased' AND event.leases = lease AND event.holder = lease_holder END
      RETURNING event.*, ended_at_ms, because, coalesce(all_failures, failures) AS failed,
        body_bytes + octet_length(path)
          + octet_length(concat(content_type, user_agent, forwarded_for, request_id, coalesce(all_failures, failures)))
          AS kept_bytes
    ), kept AS (
      INSERT INTO ${table} (bot_id, number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, finished_at_ms,
        dead_because, replay_of, replayed_as, client_ip, content_type, user_agent, forwarded_for, request_id, failures,
        body_bytes, kept_bytes, body)
      SELECT bot_id, number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, ended_at_ms,
        because, replay_of, replayed_as, client_ip, content_type, user_agent, forwarded_for, request_id, failed,
        body_bytes, kept_bytes, body
      FROM finished
    ), counted AS (
      INSERT INTO queue_left AS gone (bot_id, events, bytes, ${kept}_events, ${kept}_bytes)
      SELECT bot_id, count(*), sum(body_bytes), count(*), sum(kept_bytes)
      FROM finished GROUP BY bot_id ORDER BY bot_id
      ON CONFLICT (bot_id) DO UPDATE SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes,
        ${kept}_events = gone.${kept}_events + excluded.${kept}_events,
        ${kept}_bytes = gone.${kept}_bytes + excluded.${kept}_bytes
      RETURNING bot_id, ${kept}_events AS kept_events, ${kept}_bytes AS kept_bytes
    )
    SELECT bot_id, flow_id, number, leases, holder, ordered, body_bytes, NULL::bigint AS kept_events, NULL::bigint AS kept_bytes
    FROM finished
    UNION ALL
    SELECT bot_id, NULL, NULL, NULL, NULL, NULL, NULL, kept_events, kept_bytes FROM counted`
}

const statements: Record<FinishedTable, string> = {
  queue_done: finishStatement('queue_done'),
  queue_dead: finishStatement('queue_dead'),
}
