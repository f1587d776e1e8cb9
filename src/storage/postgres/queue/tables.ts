import { bisectFailures } from '../../../domain/attempt.ts'
import type { BotId } from '../../../domain/ids.ts'
import { eventAgeLimitMs } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { QueueFigures } from '../../../domain/webhooks/delivery-queue.ts'
import { firstNumberOf, idOf } from '../../queue/event-number.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import { byBot } from './by-bot.ts'
import { columnsOf } from './columns-of.ts'
import { statement } from './distribution.ts'
import { type FinishedEvent, finishNow } from './finishing.ts'
import type { QueueParts } from './queue-parts.ts'
import { type AttemptName, attemptNamed } from './queue-row.ts'

type BotRow = { bot_id: BotId }
type DiscardedRow = { number: number; body_bytes: number; ordered: number }
type Waiting = Pick<QueueFigures, 'leasedEvents' | 'oldestAcceptedAtMs'>

/** Maximum number of rows per transaction, so that other statements don't wait long for locks. */
const rowsAtOnce = 500
/** Maximum number of bots checked for due events at a time. */
const botsAtOnce = 2_000
/** A bot's row of counters is deleted after this long without events. */
const idleBotMs = 2 * 24 * 3_600_000

/** The queue's statements, except those for accepting, claiming and finishing events. */
export class Tables {
  readonly #parts: QueueParts
  readonly #pool: PostgresPool
  #nextBotIndex = 0
  #waiting: Waiting = { leasedEvents: 0, oldestAcceptedAtMs: undefined }

  constructor(parts: QueueParts) {
    this.#parts = parts
    this.#pool = parts.pool
  }

  async botsWithEvents(botIds: readonly BotId[]): Promise<BotId[]> {
    if (botIds.length === 0) return []
    const found = new Set(bots(await this.#pool.rows<BotRow>(withEvents, [botIds])))
    return botIds.filter((botId) => found.has(botId))
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
    return bots(await this.#parts.distribution.readEvents<BotRow>(this.#pool, withRetriesDue, [sinceMs, nowMs]))
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
    const rows = await this.#parts.distribution.run<BotRow, AttemptName>(this.#pool, release, names, (some) => [
      ...columnsOf(some, 'botId', 'number', 'lease'),
      holder,
    ])
    return [...new Set(bots(rows))]
  }

  /**
   * Moves events past the age limit to the dead letters.
   *
   * @param onExpired called with each batch of moved events.
   */
  async expire(nowMs: number, most: number, onExpired: (expired: FinishedEvent[]) => void): Promise<void> {
    const old = await this.#pool.rows<BotRow & { number: number }>(pastAge, [nowMs - eventAgeLimitMs, most])
    const ending = { lease: undefined, holder: undefined, finishedAtMs: nowMs, because: 'expired' } as const
    await bisectFailures(
      old.map(({ bot_id: botId, number }) => ({ botId, number, ...ending })),
      async (part) => onExpired([...(await finishNow(this.#parts, 'queue_dead', part)).values()]),
      ({ botId, number }, error) => this.#parts.onFault(error, 'event expiry', { botId, event: idOf(number) }),
    )
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
    for (;;) {
      const gone = await this.#discard([botId, 0, upTo, states, rowsAtOnce])
      if (gone.length === 0) return
      onRemoved(gone.length, bytesOf(gone))
    }
  }

  /** Deletes an event that is not leased. Returns `undefined` if it is unknown, leased or finished. */
  async discardReady(
    botId: BotId,
    number: number,
  ): Promise<Pick<FinishedEvent, 'botId' | 'bodyBytes' | 'ordered'> | undefined> {
    const [gone] = await this.#discard([botId, number, number, ['ready'], 1])
    return gone && { botId, bodyBytes: gone.body_bytes, ordered: gone.ordered === 1 }
  }

  /** @param which selects the rows, as in {@link lockFirst}. */
  #discard(which: readonly [BotId, ...unknown[]]): Promise<DiscardedRow[]> {
    const [botId] = which
    return this.#pool.transaction(async (transaction) => {
      const gone = await transaction.rows<DiscardedRow>(lockFirst, which)
      if (gone.length === 0) return []
      await Promise.all([
        transaction.rows(removeUnfinished, [botId, gone.map(({ number }) => number)]),
        transaction.rows(countDiscarded, [botId, gone.length, bytesOf(gone)]),
        transaction.commit(),
      ])
      return gone
    })
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
    const expired = await this.#pool.rows<BotRow & { digest: Uint8Array }>(expiredMarks, [nowMs, most])
    const deleted = await this.#pool.transaction((transaction) =>
      Promise.all(
        byBot(expired, ({ bot_id }) => bot_id).map(([botId, marks]) =>
          transaction.rows(pruneMarks, [botId, marks.map(({ digest }) => Buffer.from(digest)), nowMs]),
        ),
      ),
    )
    return deleted.flat().length
  }

  /**
   * Deletes the rows of bots that have had no events for a long time. A bot's row in `queue_entered` is locked, so that
   * no event is accepted meanwhile. The next event adds a new row.
   */
  async forgetIdleBots(nowMs: number, most: number): Promise<number> {
    const before = firstNumberOf(nowMs - idleBotMs)
    const idle = bots(await this.#pool.rows<BotRow>(idleBots, [before, most]))
    return this.#pool.transaction(async (transaction) => {
      const forgotten = await Promise.all(
        byBot(idle, (botId) => botId).map(([botId]) => transaction.rows<BotRow>(forgetEntered, [botId, before])),
      )
      await Promise.all(bots(forgotten.flat()).map((botId) => transaction.rows(forgetLeft, [botId])))
      return forgotten.flat().length
    })
  }
}

function bytesOf(rows: readonly DiscardedRow[]): number {
  return rows.reduce((sum, row) => sum + row.body_bytes, 0)
}

function bots(rows: readonly BotRow[]): BotId[] {
  return rows.map(({ bot_id }) => bot_id)
}

const withEvents = `SELECT bot_id FROM queue_entered AS bot WHERE bot_id = ANY ($1::text[])
      AND EXISTS (SELECT 1 FROM queue_events AS event WHERE event.bot_id = bot.bot_id)`
const waiting = `SELECT leased, least(oldest_leased, oldest_ready) AS oldest
    FROM (SELECT count(*) AS leased, min(accepted_at_ms) AS oldest_leased FROM queue_events WHERE state = 'leased') AS leases,
      (SELECT min(accepted_at_ms) AS oldest_ready FROM queue_events WHERE state = 'ready') AS waiting`
const withDue = ['attempts = 0 AND NOT ordered', 'attempts > 0 AND due_at_ms <= $2', 'ordered']
  .map(
    (due) => `SELECT bot_id FROM queue_entered AS bot WHERE bot_id = ANY ($1::text[]) AND EXISTS (
      SELECT 1 FROM queue_events AS event
      WHERE event.bot_id = bot.bot_id AND ${due === 'ordered' ? due : `state = 'ready' AND ${due}`})`,
  )
  .join(' UNION ')
const withRetriesDue = `SELECT DISTINCT bot_id FROM %s
    WHERE state = 'ready' AND attempts > 0 AND due_at_ms > $1 AND due_at_ms <= $2`
const release = statement(
  (and) => `UPDATE queue_events AS event SET state = 'ready', holder = NULL, node_id = NULL, until_ms = NULL,
      attempts = attempts - 1
    FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS named (bot_id, number, lease)
    WHERE event.bot_id = named.bot_id AND event.number = named.number
      AND state = 'leased' AND leases = named.lease AND holder = $4 ${and('event.bot_id')}
    RETURNING event.bot_id`,
)
const pastAge = `SELECT bot_id, number FROM queue_events WHERE state = 'ready' AND accepted_at_ms <= $1
    ORDER BY accepted_at_ms LIMIT $2`
const lockFirst = `SELECT number, body_bytes, ordered FROM queue_events
    WHERE bot_id = $1 AND number >= $2 AND number <= $3 AND state = ANY ($4::text[]) ORDER BY number LIMIT $5 FOR UPDATE`
const removeUnfinished = 'DELETE FROM queue_events WHERE bot_id = $1 AND number = ANY ($2::bigint[])'
const countDiscarded = `INSERT INTO queue_left AS gone (bot_id, events, bytes) VALUES ($1, $2, $3)
    ON CONFLICT (bot_id) DO UPDATE SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes`
const makeDue = `UPDATE queue_events SET due_at_ms = $3
    WHERE bot_id = $1 AND number = $2 AND state = 'ready' AND attempts > 0 AND due_at_ms > $3 RETURNING 1 AS one`
const discardMarks = `DELETE FROM queue_marks WHERE bot_id = $1 AND digest = ANY (ARRAY(
      SELECT digest FROM queue_marks WHERE bot_id = $1 AND since_ms <= $3 LIMIT $2)) RETURNING 1 AS one`
const expiredMarks = 'SELECT bot_id, digest FROM queue_marks WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2'
const pruneMarks = `DELETE FROM queue_marks WHERE bot_id = $1 AND digest = ANY ($2::bytea[]) AND until_ms <= $3
    RETURNING 1 AS one`
const idleBots = `SELECT bot_id FROM queue_entered AS entered JOIN queue_left AS gone USING (bot_id)
    WHERE last_number < $1 AND entered.events = gone.events AND done_events = 0 AND dead_events = 0 LIMIT $2`
const forgetEntered = `DELETE FROM queue_entered WHERE bot_id = $1 AND last_number < $2 AND events =
      (SELECT events FROM queue_left AS gone WHERE gone.bot_id = $1 AND done_events = 0 AND dead_events = 0)
    RETURNING bot_id`
const forgetLeft = 'DELETE FROM queue_left WHERE bot_id = $1'
