import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import type { FinishedState } from '../../queue/queue-figures.ts'
import { TickBatch } from '../batches.ts'
import type { Queries } from '../postgres-pool.ts'
import { columnsOf, type Distribution } from './distribution.ts'
import { attemptsNamed, type EventName } from './event-ids.ts'
import type { FinishedEvent, QueueParts } from './queue-parts.ts'
import type { KeptOfBot, Retention } from './retention.ts'

export interface EventToFinish extends EventName {
  /** The required lease and holder; `undefined`: the event must not be leased. Other events are left unchanged. */
  lease: number | undefined
  holder: string | undefined
  finishedAtMs: number
  because?: DeadReason | undefined
  /** Failed attempts, as JSON, to be stored. `undefined` leaves the stored ones unchanged. */
  failures?: string | undefined
}

/** A finished event with its 1-based position among the statement's events, or the new totals of one of the bots. */
type Row = ({ nth: number } & Pick<FinishedEvent, 'flowId' | 'ordered' | 'bodyBytes'>) | ({ nth: null } & KeptOfBot)

/** Writes acknowledgements in batches, because runtimes tend to send them one by one. */
export function newAcknowledgements(parts: QueueParts) {
  const perform = async (toFinish: readonly EventToFinish[]) => {
    parts.books.delivered(await finishNow(parts, 'done', toFinish))
    return []
  }
  const partyOf = ({ botId }: EventToFinish) => botId
  const batches = new TickBatch<EventToFinish, void>({ perform, maxItems: 500, partyOf, concurrency: 2 })
  return {
    /** Finishes what the holder still leases. Throws StoreUnavailable or the first error; the others are written. */
    async store(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
      const finishing = attemptsNamed(new Set(deliveries)).map((name) =>
        batches.add({ ...name, holder, finishedAtMs: nowMs }),
      )
      await Promise.all(finishing)
    },

    /** Resolves once the acknowledgements of the holder so far are written or have failed. */
    settled: (holder: string) => batches.handled((event) => event.holder === holder),

    close(): Promise<void> {
      return batches.idle()
    },
  }
}

/**
 * Moves events to a table of finished events and subtracts them from the queue's counters. `on` must be a transaction
 * if the tables are distributed.
 *
 * @returns the events that were finished.
 */
export async function finish(
  on: Queries,
  distribution: Distribution,
  state: FinishedState,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  const { atOnce, steps } = statements[state]
  const finishing = distribution.parts(toFinish).map(async (part) => {
    const values = columnsOf(part, 'botId', 'number', 'lease', 'holder', 'finishedAtMs', 'because', 'failures')
    const sent = (distribution.isDistributed ? steps : [atOnce]).map((sql) => on.rows<Row>(sql, values))
    // Only the last two steps return rows.
    const rows = (await Promise.all(sent)).slice(-2).flat()
    const keptOf = new Map(rows.flatMap((row) => (row.nth === null ? [[row.botId, row]] : [])))
    return rows.flatMap((row) => {
      if (row.nth === null) return []
      const { botId, number, finishedAtMs, because } = part[row.nth - 1] as EventToFinish
      const { keptEvents = 0, keptBytes = 0 } = keptOf.get(botId) ?? {}
      return { botId, number, finishedAtMs, because, ...row, keptEvents, keptBytes }
    })
  })
  return (await Promise.all(finishing)).flat()
}

/** Runs `work`, which moves these events. If a day's partition is missing, creates it and retries once. */
export async function withPartitions<T>(
  retention: Retention,
  events: readonly EventName[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code !== noPartition) throw error
    await retention.makePartitions(events.map(({ number }) => number))
    return work()
  }
}

/** Like {@link finish}, in one transaction, or one per shard. Throws the first error, once all have ended. */
export async function finishNow(
  { pool, retention, distribution }: QueueParts,
  state: FinishedState,
  toFinish: readonly EventToFinish[],
): Promise<FinishedEvent[]> {
  const finishPart = (part: readonly EventToFinish[]) => {
    if (!distribution.isDistributed) return finish(pool, distribution, state, part)
    return pool.transaction(async (transaction) => {
      const [finished] = await Promise.all([finish(transaction, distribution, state, part), transaction.commit()])
      return finished
    })
  }
  await distribution.learn(pool, toFinish)
  const finishing = distribution.parts(toFinish).map((part) => withPartitions(retention, part, () => finishPart(part)))
  await Promise.allSettled(finishing)
  return (await Promise.all(finishing)).flat()
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
  body_bytes, kept_bytes, body, test`
/** The values of {@link finishedColumns}, from a row and the parameters for it. */
const finishedValues = `event.bot_id, event.number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, ended_at_ms,
  because, replay_of, replayed_as, client_ip, content_type, user_agent, forwarded_for, request_id, ${failed},
  body_bytes, ${keptBytes}, body, test`

function statementsFor(state: FinishedState) {
  const countInto = `INSERT INTO queue_left AS gone (bot_id, events, bytes, ${state}_events, ${state}_bytes)`
  const addCounts = `ON CONFLICT (bot_id) DO UPDATE
    SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes,
      ${state}_events = gone.${state}_events + excluded.${state}_events,
      ${state}_bytes = gone.${state}_bytes + excluded.${state}_bytes
    RETURNING NULL::bigint AS nth, bot_id AS "botId", ${state}_events AS "keptEvents", ${state}_bytes AS "keptBytes"`
  const ofShard = `FROM queue_events AS event JOIN ${named} ON ${matches} WHERE event.bot_id = ANY ($1::text[])`
  const finished = 'nth, flow_id AS "flowId", ordered, body_bytes AS "bodyBytes"'
  return {
    atOnce: `WITH finished AS (
        DELETE FROM queue_events AS event USING ${named} WHERE ${matches}
        RETURNING event.*, ended_at_ms, because, all_failures, nth, ${keptBytes} AS kept_bytes
      ), kept AS (
        INSERT INTO queue_${state} (${finishedColumns}) SELECT ${finishedValues.replace(keptBytes, 'kept_bytes')}
        FROM finished AS event
      ), counted AS (
        ${countInto} SELECT bot_id, count(*), sum(body_bytes), count(*), sum(kept_bytes)
        FROM finished GROUP BY bot_id ORDER BY bot_id ${addCounts}
      )
      SELECT ${finished}, bot_id AS "botId", NULL::bigint AS "keptEvents", NULL::bigint AS "keptBytes" FROM finished
      UNION ALL
      SELECT nth, NULL, NULL, NULL, "botId", "keptEvents", "keptBytes" FROM counted`,
    // Citus allows no INSERT within another statement.
    steps: [
      `SELECT event.number ${ofShard} ORDER BY event.bot_id, event.number FOR UPDATE OF event`,
      `INSERT INTO queue_${state} (${finishedColumns}) SELECT ${finishedValues} ${ofShard}`,
      `${countInto} SELECT event.bot_id, count(*), sum(body_bytes), count(*), sum(${keptBytes}) ${ofShard}
        GROUP BY event.bot_id ORDER BY event.bot_id ${addCounts}`,
      `DELETE FROM queue_events AS event USING ${named} WHERE ${matches} AND event.bot_id = ANY ($1::text[])
        RETURNING ${finished}`,
    ],
  }
}

const statements = { done: statementsFor('done'), dead: statementsFor('dead') }
