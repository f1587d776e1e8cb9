import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import type { PostgresPool, Queries } from '../postgres-pool.ts'
import { type DayPartitions, type FinishedTable, keptIn } from './day-partitions.ts'
import type { Distribution } from './distribution.ts'

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

interface FinishedRow {
  bot_id: BotId
  flow_id: FlowId
  number: number
  leases: number
  holder: string | null
  ordered: number
  body_bytes: number
}

interface KeptRow {
  bot_id: BotId
  kept_events: number
  kept_bytes: number
}

/**
 * Moves events to a table of finished events and subtracts them from the queue's counters. `on` must be a transaction
 * if the tables are distributed.
 */
export async function finish(
  on: Queries,
  distribution: Distribution,
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  const finishPart = distribution.isDistributed ? finishInSteps : finishAtOnce
  const parts = distribution.parts(toFinish, ({ botId }) => botId)
  const moved = await Promise.all(parts.map((part) => finishPart(on, table, valuesOf(part))))
  const rows = moved.flatMap(({ finished }) => finished)
  const kept = new Map(moved.flatMap((part) => part.kept).map((row) => [row.bot_id, row]))
  const reasons =
    table === 'queue_dead' ? new Map(toFinish.map((each) => [`${each.botId} ${each.number}`, each.because])) : undefined
  return rows.map(({ bot_id: botId, flow_id: flowId, number, leases, holder, ordered, body_bytes: bodyBytes }) => {
    const lease = holder === null ? undefined : { lease: leases, holder }
    const { kept_events: keptEvents = 0, kept_bytes: keptBytes = 0 } = kept.get(botId) ?? {}
    const because = reasons?.get(`${botId} ${number}`)
    return { botId, flowId, number, lease, ordered: ordered === 1, bodyBytes, because, keptEvents, keptBytes }
  })
}

function valuesOf(toFinish: readonly EventToFinish[]): unknown[] {
  return [
    toFinish.map(({ botId }) => botId),
    toFinish.map(({ number }) => number),
    toFinish.map(({ lease }) => lease?.lease ?? null),
    toFinish.map(({ lease }) => lease?.holder ?? null),
    toFinish.map(({ finishedAtMs }) => finishedAtMs),
    toFinish.map(({ because }) => because ?? null),
    toFinish.map(({ failures }) => failures ?? null),
  ]
}

async function finishAtOnce(on: Queries, table: FinishedTable, values: unknown[]) {
  type Row = ({ number: null } & KeptRow) | FinishedRow
  const rows = await on.rows<Row>(statements[table].atOnce, values)
  const kept = rows.flatMap((row) => (row.number === null ? [row] : []))
  return { finished: rows.flatMap((row) => (row.number === null ? [] : [row])), kept }
}

/** Like {@link finishAtOnce} for events of one bot. Citus allows no INSERT within another statement. */
async function finishInSteps(on: Queries, table: FinishedTable, values: unknown[]) {
  const { lock, keep, count, remove } = statements[table]
  const [, , kept, finished] = await Promise.all([
    on.rows(lock, values),
    on.rows(keep, values),
    on.rows<KeptRow>(count, values),
    on.rows<FinishedRow>(remove, values),
  ])
  return { finished, kept }
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

/**
 * Like {@link finish}, in a transaction of its own; where the tables are distributed, in one per bot.
 *
 * @throws the first error, once all transactions have ended.
 */
export async function finishNow(
  { pool, days, distribution }: { pool: PostgresPool; days: DayPartitions; distribution: Distribution },
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  const finishPart = (part: readonly EventToFinish[]) => {
    if (!distribution.isDistributed) return finish(pool, distribution, table, part)
    return pool.transaction(async (transaction) => {
      const [finished] = await Promise.all([finish(transaction, distribution, table, part), transaction.commit()])
      return finished
    })
  }
  const finishing = distribution
    .parts(toFinish, ({ botId }) => botId)
    .map((part) =>
      withPartitions(
        days,
        () => part.map(({ number }) => number),
        () => finishPart(part),
      ),
    )
  const outcomes = await Promise.allSettled(finishing)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
}

/** SQLSTATE for a row without a matching partition. */
const noPartition = '23514'

const named = `unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::text[])
  AS named (bot_id, number, lease, lease_holder, ended_at_ms, because, all_failures)`
const matches = `event.bot_id = named.bot_id AND event.number = named.number
  AND CASE WHEN lease IS NULL THEN event.state = 'ready'
    ELSE event.state = 'leased' AND event.leases = lease AND event.holder = lease_holder END`
const failed = 'coalesce(all_failures, failures)'
const keptBytes = `body_bytes + octet_length(path)
  + octet_length(concat(content_type, user_agent, forwarded_for, request_id, ${failed}))`
const finishedColumns = `bot_id, number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, finished_at_ms,
  dead_because, replay_of, replayed_as, client_ip, content_type, user_agent, forwarded_for, request_id, failures,
  body_bytes, kept_bytes, body`
/** The values of {@link finishedColumns}, from a row and the parameters for it. */
const finishedValues = `event.bot_id, event.number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, ended_at_ms,
  because, replay_of, replayed_as, client_ip, content_type, user_agent, forwarded_for, request_id, ${failed},
  body_bytes, ${keptBytes}, body`

function statementsFor(table: FinishedTable) {
  const kept = keptIn(table)
  const countInto = `INSERT INTO queue_left AS gone (bot_id, events, bytes, ${kept}_events, ${kept}_bytes)`
  const addCounts = `ON CONFLICT (bot_id) DO UPDATE
    SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes,
      ${kept}_events = gone.${kept}_events + excluded.${kept}_events,
      ${kept}_bytes = gone.${kept}_bytes + excluded.${kept}_bytes
    RETURNING bot_id, ${kept}_events AS kept_events, ${kept}_bytes AS kept_bytes`
  const ofBot = `FROM queue_events AS event JOIN ${named} ON ${matches} WHERE event.bot_id = ($1::text[])[1]`
  return {
    atOnce: `WITH finished AS (
        DELETE FROM queue_events AS event USING ${named} WHERE ${matches}
        RETURNING event.*, ended_at_ms, because, all_failures, ${keptBytes} AS kept_bytes
      ), kept AS (
        INSERT INTO ${table} (${finishedColumns}) SELECT ${finishedValues.replace(keptBytes, 'kept_bytes')}
        FROM finished AS event
      ), counted AS (
        ${countInto} SELECT bot_id, count(*), sum(body_bytes), count(*), sum(kept_bytes)
        FROM finished GROUP BY bot_id ORDER BY bot_id ${addCounts}
      )
      SELECT bot_id, flow_id, number, leases, holder, ordered, body_bytes, NULL::bigint AS kept_events,
        NULL::bigint AS kept_bytes
      FROM finished
      UNION ALL
      SELECT bot_id, NULL, NULL, NULL, NULL, NULL, NULL, kept_events, kept_bytes FROM counted`,
    lock: `SELECT event.number ${ofBot} ORDER BY event.number FOR UPDATE OF event`,
    keep: `INSERT INTO ${table} (${finishedColumns}) SELECT ${finishedValues} ${ofBot}`,
    count: `${countInto} SELECT event.bot_id, count(*), sum(body_bytes), count(*), sum(${keptBytes}) ${ofBot}
      GROUP BY event.bot_id ${addCounts}`,
    remove: `DELETE FROM queue_events AS event USING ${named} WHERE ${matches} AND event.bot_id = ($1::text[])[1]
      RETURNING event.bot_id, flow_id, event.number, leases, holder, ordered, body_bytes`,
  }
}

const statements = { queue_done: statementsFor('queue_done'), queue_dead: statementsFor('queue_dead') }
