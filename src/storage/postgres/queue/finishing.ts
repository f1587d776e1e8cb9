import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import type { Queries } from '../postgres-pool.ts'
import { columnsOf } from './columns-of.ts'
import { type DayPartitions, type FinishedTable, keptIn } from './day-partitions.ts'
import type { Distribution } from './distribution.ts'
import type { QueueParts } from './queue-parts.ts'

export interface EventToFinish {
  botId: BotId
  number: number
  /**
   * The lease that the event must have and its holder, or `undefined` if the event must not be leased. An event that
   * doesn't match is left unchanged.
   */
  lease: number | undefined
  holder: string | undefined
  finishedAtMs: number
  /** Set only for dead letters. */
  because?: DeadReason | undefined
  /** Failed attempts, as JSON, to be stored. `undefined` leaves the stored ones unchanged. */
  failures?: string | undefined
}

export interface FinishedEvent extends Pick<EventToFinish, 'botId' | 'number' | 'because'> {
  flowId: FlowId
  ordered: boolean
  bodyBytes: number
  /** The bot's totals in the target table after this batch. */
  keptEvents: number
  keptBytes: number
}

interface FinishedRow {
  /** 1-based position among the statement's events. */
  nth: number
  flow_id: FlowId
  ordered: number
  body_bytes: number
}

interface KeptRow {
  bot_id: BotId
  kept_events: number
  kept_bytes: number
}

/** The events that were finished. */
export type Finished = ReadonlyMap<EventToFinish, FinishedEvent>

/**
 * Moves events to a table of finished events and subtracts them from the queue's counters. `on` must be a transaction
 * if the tables are distributed.
 */
export async function finish(
  on: Queries,
  distribution: Distribution,
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<Finished> {
  const finishPart = distribution.isDistributed ? finishInSteps : finishAtOnce
  const finishing = distribution
    .parts(toFinish, ({ botId }) => botId)
    .map(async (part) => {
      const values = columnsOf(part, 'botId', 'number', 'lease', 'holder', 'finishedAtMs', 'because', 'failures')
      const { finished, kept } = await finishPart(on, table, values)
      const keptOf = new Map(kept.map((row) => [row.bot_id, row]))
      return finished.map(({ nth, flow_id: flowId, ordered, body_bytes: bodyBytes }) => {
        const event = part[nth - 1] as EventToFinish
        const { botId, number, because } = event
        const { kept_events: keptEvents = 0, kept_bytes: keptBytes = 0 } = keptOf.get(botId) ?? {}
        const known = { botId, number, because, flowId, ordered: ordered === 1, bodyBytes, keptEvents, keptBytes }
        return [event, known] as const
      })
    })
  return new Map((await Promise.all(finishing)).flat())
}

async function finishAtOnce(on: Queries, table: FinishedTable, values: unknown[]) {
  const rows = await on.rows<FinishedRow | ({ nth: null } & KeptRow)>(statements[table].atOnce, values)
  const kept = rows.flatMap((row) => (row.nth === null ? [row] : []))
  return { finished: rows.flatMap((row) => (row.nth === null ? [] : [row])), kept }
}

/** Like {@link finishAtOnce} for bots of one shard. Citus allows no INSERT within another statement. */
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

/** Runs `work`, which moves these events. If a day's partition is missing, creates it and retries once. */
export async function withPartitions<T>(
  days: DayPartitions,
  events: readonly { number: number }[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== noPartition) throw error
    await days.makeFor(events.map(({ number }) => number))
    return work()
  }
}

/**
 * Like {@link finish}, in a transaction of its own; where the tables are distributed, in one per shard.
 *
 * @throws the first error, once all transactions have ended.
 */
export async function finishNow(
  { pool, days, distribution }: QueueParts,
  table: FinishedTable,
  toFinish: readonly EventToFinish[],
): Promise<Finished> {
  const finishPart = (part: readonly EventToFinish[]) => {
    if (!distribution.isDistributed) return finish(pool, distribution, table, part)
    return pool.transaction(async (transaction) => {
      const [finished] = await Promise.all([finish(transaction, distribution, table, part), transaction.commit()])
      return finished
    })
  }
  await distribution.learn(pool, toFinish)
  const finishing = distribution
    .parts(toFinish, ({ botId }) => botId)
    .map((part) => withPartitions(days, part, () => finishPart(part)))
  const outcomes = await Promise.allSettled(finishing)
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return new Map(outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [...outcome.value] : [])))
}

/** SQLSTATE for a row without a matching partition. */
const noPartition = '23514'

const named = `unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::text[])
  WITH ORDINALITY AS named (bot_id, number, lease, lease_holder, ended_at_ms, because, all_failures, nth)`
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
  const ofShard = `FROM queue_events AS event JOIN ${named} ON ${matches} WHERE event.bot_id = ANY ($1::text[])`
  return {
    atOnce: `WITH finished AS (
        DELETE FROM queue_events AS event USING ${named} WHERE ${matches}
        RETURNING event.*, ended_at_ms, because, all_failures, nth, ${keptBytes} AS kept_bytes
      ), kept AS (
        INSERT INTO ${table} (${finishedColumns}) SELECT ${finishedValues.replace(keptBytes, 'kept_bytes')}
        FROM finished AS event
      ), counted AS (
        ${countInto} SELECT bot_id, count(*), sum(body_bytes), count(*), sum(kept_bytes)
        FROM finished GROUP BY bot_id ORDER BY bot_id ${addCounts}
      )
      SELECT nth, flow_id, ordered, body_bytes, bot_id, NULL::bigint AS kept_events, NULL::bigint AS kept_bytes
      FROM finished
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, bot_id, kept_events, kept_bytes FROM counted`,
    lock: `SELECT event.number ${ofShard} ORDER BY event.bot_id, event.number FOR UPDATE OF event`,
    keep: `INSERT INTO ${table} (${finishedColumns}) SELECT ${finishedValues} ${ofShard}`,
    count: `${countInto} SELECT event.bot_id, count(*), sum(body_bytes), count(*), sum(${keptBytes}) ${ofShard}
      GROUP BY event.bot_id ORDER BY event.bot_id ${addCounts}`,
    remove: `DELETE FROM queue_events AS event USING ${named} WHERE ${matches} AND event.bot_id = ANY ($1::text[])
      RETURNING nth, flow_id, ordered, body_bytes`,
  }
}

const statements = { queue_done: statementsFor('queue_done'), queue_dead: statementsFor('queue_dead') }
