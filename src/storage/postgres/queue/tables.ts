import { bisectFailures, type OnFault } from '../../../domain/attempt.ts'
import type { BotId } from '../../../domain/ids.ts'
import { eventAgeLimitMs } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { NewEvent, QueueFigures } from '../../../domain/webhooks/delivery-queue.ts'
import { firstNumberOf, idOf } from '../../queue/event-number.ts'
import { payloadOf } from '../../queue/event-payload.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { type DayPartitions, isShown } from './day-partitions.ts'
import { type EventToFinish, type FinishedEvent, finishNow } from './finishing.ts'
import { attemptNamed, type QueueRow } from './queue-row.ts'

type BotRow = { bot_id: BotId }
type Waiting = Pick<QueueFigures, 'leasedEvents' | 'oldestAcceptedAtMs'>

/** Maximum number of rows per transaction, so that other statements don't wait long for locks. */
const rowsAtOnce = 500
/** Maximum number of bots checked for due events at a time. */
const botsAtOnce = 2_000
/** A bot's row of counters is deleted after this long without events. */
const idleBotMs = 2 * 24 * 3_600_000

/** The queue's statements, except those for accepting, claiming and finishing events. */
export class Tables {
  readonly #pool: PostgresPool
  readonly #days: DayPartitions
  readonly #onFault: OnFault
  #nextBotIndex = 0
  #waiting: Waiting = { leasedEvents: 0, oldestAcceptedAtMs: undefined }

  constructor(pool: PostgresPool, days: DayPartitions, onFault: OnFault) {
    this.#pool = pool
    this.#days = days
    this.#onFault = onFault
  }

  async botsWithEvents(botIds: readonly BotId[]): Promise<BotId[]> {
    if (botIds.length === 0) return []
    return bots(await this.#pool.rows<BotRow>(withEvents, [botIds]))
  }

  /**
   * Returns which of the bots have an event due. If there are very many bots, each call checks only the next group of
   * them.
   */
  async botsWithDue(botIds: readonly BotId[], nowMs: number): Promise<BotId[]> {
    if (this.#nextBotIndex >= botIds.length) this.#nextBotIndex = 0
    const some = botIds.slice(this.#nextBotIndex, this.#nextBotIndex + botsAtOnce)
    this.#nextBotIndex += botsAtOnce
    return some.length === 0 ? [] : bots(await this.#pool.rows<BotRow>(withDue, [some, nowMs]))
  }

  async botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]> {
    return bots(await this.#pool.rows<BotRow>(withRetriesDue, [sinceMs, nowMs]))
  }

  /**
   * Returns the number of leased events and when the oldest unfinished one was accepted. While the database is
   * unreachable, returns the last known values, so that the other metrics stay available.
   */
  async waiting(): Promise<Waiting> {
    try {
      const [row] = await this.#pool.rows<{ leased: number; oldest: number | null }>(waiting)
      this.#waiting = { leasedEvents: row?.leased ?? 0, oldestAcceptedAtMs: row?.oldest ?? undefined }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
    }
    return this.#waiting
  }

  /** Releases leases. Resolves with the bots whose events were released. */
  async release(holder: string, deliveries: readonly string[]): Promise<BotId[]> {
    const names = deliveries.flatMap((delivery) => attemptNamed(delivery) ?? [])
    if (names.length === 0) return []
    const values = [
      names.map(({ botId }) => botId),
      names.map(({ number }) => number),
      names.map(({ lease }) => lease),
      holder,
    ]
    return bots(await this.#pool.rows<BotRow>(release, values))
  }

  async payload(botId: BotId, number: number): Promise<NewEvent | undefined> {
    const [row] = await this.#pool.rows<QueueRow>(payload, [botId, number])
    return row && payloadOf(row, row.body)
  }

  /**
   * Moves events past the age limit to the dead letters.
   *
   * @param onExpired called with each batch of moved events.
   */
  async expire(nowMs: number, most: number, onExpired: (expired: FinishedEvent[]) => void): Promise<void> {
    const old = await this.#pool.rows<BotRow & { number: number }>(pastAge, [nowMs - eventAgeLimitMs, most])
    const toFinish = old.map(
      ({ bot_id: botId, number }): EventToFinish => ({
        botId,
        number,
        lease: undefined,
        finishedAtMs: nowMs,
        because: 'expired',
      }),
    )
    await bisectFailures(
      toFinish,
      async (part) => onExpired(await finishNow(this.#pool, this.#days, 'queue_dead', part)),
      ({ botId, number }, error) => this.#onFault(error, 'event expiry', { botId, event: idOf(number) }),
    )
  }

  /** Returns the number of the last event accepted for the bot, or 0 if there is none. */
  async lastNumber(botId: BotId): Promise<number> {
    const [row] = await this.#pool.rows<{ last_number: number }>(lastNumber, [botId])
    return row?.last_number ?? 0
  }

  /**
   * Removes the bot's unfinished events in these states.
   *
   * @param onRemoved called with the number of events and bytes removed in each batch.
   */
  async discardUnfinished(
    botId: BotId,
    { upTo, states }: { upTo: number; states: readonly string[] },
    onRemoved: (events: number, bytes: number) => void,
  ): Promise<void> {
    const values = [botId, rowsAtOnce, upTo, states]
    for (;;) {
      const [gone] = await this.#pool.rows<{ events: number; bytes: number }>(discardUnfinished, values)
      if (gone === undefined || gone.events === 0) return
      onRemoved(gone.events, gone.bytes)
    }
  }

  /** Deletes an event that is not leased. Returns `undefined` if it is unknown, leased or finished. */
  async discardReady(
    botId: BotId,
    number: number,
  ): Promise<Pick<FinishedEvent, 'botId' | 'bodyBytes' | 'ordered'> | undefined> {
    const [gone] = await this.#pool.rows<{ body_bytes: number; ordered: number }>(discardReady, [botId, number])
    return gone && { botId, bodyBytes: gone.body_bytes, ordered: gone.ordered === 1 }
  }

  /** Reschedules the event's retry to `nowMs`. Returns false if no retry is scheduled after `nowMs`. */
  async makeDue(botId: BotId, number: number, nowMs: number): Promise<boolean> {
    return (await this.#pool.rows(makeDue, [botId, number, nowMs])).length === 1
  }

  /** Removes the bot's deduplication marks for webhooks accepted up to that time. */
  async discardMarks(botId: BotId, untilMs: number): Promise<void> {
    while ((await this.#pool.rows(discardMarks, [botId, rowsAtOnce, untilMs])).length === rowsAtOnce);
  }

  async pruneMarks(nowMs: number, most: number): Promise<number> {
    return (await this.#pool.rows(pruneMarks, [nowMs, most])).length
  }

  async forgetIdleBots(nowMs: number, most: number): Promise<number> {
    return (await this.#pool.rows(forgetIdleBots, [firstNumberOf(nowMs - idleBotMs), most])).length
  }
}

function bots(rows: readonly BotRow[]): BotId[] {
  return rows.map(({ bot_id }) => bot_id)
}

const withEvents = `SELECT bot_id FROM unnest($1::text[]) AS asked (bot_id)
    WHERE EXISTS (SELECT 1 FROM queue_events WHERE queue_events.bot_id = asked.bot_id)`
/** The outer query uses the index on leases; the inner one uses the index on the age of ready events. */
const waiting = `SELECT count(*) AS leased, least(min(accepted_at_ms),
      (SELECT min(accepted_at_ms) FROM queue_events WHERE state = 'ready')) AS oldest
    FROM queue_events WHERE state = 'leased'`
const withDue = `SELECT bot_id FROM unnest($1::text[]) AS asked (bot_id)
    WHERE EXISTS (SELECT 1 FROM queue_events AS event
        WHERE event.bot_id = asked.bot_id AND state = 'ready' AND attempts = 0 AND NOT ordered)
      OR EXISTS (SELECT 1 FROM queue_events AS event
        WHERE event.bot_id = asked.bot_id AND state = 'ready' AND attempts > 0 AND due_at_ms <= $2)
      OR EXISTS (SELECT 1 FROM queue_events AS event WHERE event.bot_id = asked.bot_id AND ordered)`
const withRetriesDue = `SELECT DISTINCT bot_id FROM queue_events
    WHERE state = 'ready' AND attempts > 0 AND due_at_ms > $1 AND due_at_ms <= $2`
const release = `WITH released AS (
      UPDATE queue_events AS event SET state = 'ready', holder = NULL, node_id = NULL, until_ms = NULL,
        attempts = attempts - 1
      FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS named (bot_id, number, lease)
      WHERE event.bot_id = named.bot_id AND event.number = named.number
        AND state = 'leased' AND leases = named.lease AND holder = $4
      RETURNING event.bot_id
    ) SELECT DISTINCT bot_id FROM released`
const payloadColumns = `bot_id, number, flow_id, path, ordered, attempts, accepted_at_ms, began_at_ms, replay_of, replayed_as,
  client_ip, content_type, user_agent, forwarded_for, request_id, failures, body_bytes, body`
const payload = `SELECT ${payloadColumns} FROM queue_events WHERE bot_id = $1 AND number = $2
    UNION ALL SELECT ${payloadColumns} FROM queue_done WHERE bot_id = $1 AND number = $2 AND ${isShown('queue_done')}
    UNION ALL SELECT ${payloadColumns} FROM queue_dead WHERE bot_id = $1 AND number = $2 AND ${isShown('queue_dead')}`
const pastAge = `SELECT bot_id, number FROM queue_events WHERE state = 'ready' AND accepted_at_ms <= $1
    ORDER BY accepted_at_ms LIMIT $2`
const lastNumber = 'SELECT last_number FROM queue_entered WHERE bot_id = $1'
const discardUnfinished = `WITH gone AS (
      DELETE FROM queue_events WHERE bot_id = $1 AND number = ANY (ARRAY(
        SELECT number FROM queue_events WHERE bot_id = $1 AND number <= $3 AND state = ANY ($4::text[])
        ORDER BY number LIMIT $2))
        AND state = ANY ($4::text[])
      RETURNING body_bytes
    ), sum AS (
      SELECT count(*) AS events, coalesce(sum(body_bytes), 0)::bigint AS bytes FROM gone
    )
    INSERT INTO queue_left AS gone (bot_id, events, bytes) SELECT $1, events, bytes FROM sum
    ON CONFLICT (bot_id) DO UPDATE SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes
    RETURNING (SELECT events FROM sum) AS events, (SELECT bytes FROM sum) AS bytes`
/**
 * If a concurrent claim has already locked the event, the event is leased and not deleted. Claims skip rows that this
 * statement has locked.
 */
const discardReady = `WITH gone AS (
      DELETE FROM queue_events WHERE bot_id = $1 AND number = $2 AND state = 'ready' RETURNING body_bytes, ordered
    ), counted AS (
      INSERT INTO queue_left AS gone (bot_id, events, bytes) SELECT $1, 1, body_bytes FROM gone
      ON CONFLICT (bot_id) DO UPDATE SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes
    )
    SELECT body_bytes, ordered FROM gone`
const makeDue = `UPDATE queue_events SET due_at_ms = $3
    WHERE bot_id = $1 AND number = $2 AND state = 'ready' AND attempts > 0 AND due_at_ms > $3 RETURNING 1 AS one`
const discardMarks = `DELETE FROM queue_marks WHERE bot_id = $1 AND digest = ANY (ARRAY(
      SELECT digest FROM queue_marks WHERE bot_id = $1 AND since_ms <= $3 LIMIT $2)) RETURNING 1 AS one`
const pruneMarks = `DELETE FROM queue_marks USING (
      SELECT bot_id, digest FROM queue_marks WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2 FOR UPDATE SKIP LOCKED
    ) AS old WHERE queue_marks.bot_id = old.bot_id AND queue_marks.digest = old.digest RETURNING 1 AS one`
/** Locks the bot's row in `queue_entered`, so that no event is accepted meanwhile. The next event adds a new row. */
const forgetIdleBots = `WITH idle AS (
      SELECT entered.bot_id FROM queue_entered AS entered JOIN queue_left AS gone USING (bot_id)
      WHERE last_number < $1 AND entered.events = gone.events AND done_events = 0 AND dead_events = 0
      LIMIT $2 FOR UPDATE SKIP LOCKED
    ), forgotten AS (
      DELETE FROM queue_left USING idle WHERE queue_left.bot_id = idle.bot_id
    )
    DELETE FROM queue_entered USING idle WHERE queue_entered.bot_id = idle.bot_id RETURNING 1 AS one`
