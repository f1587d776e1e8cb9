import { bisectFailures } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { QueueFigures } from '../../../domain/webhooks/delivery-queue.ts'
import { rowsPerTransaction } from '../../queue/queue-figures.ts'
import { firstNumberOf, idOf } from '../../queue/stored-events.ts'
import { byBot, statement } from './distribution.ts'
import type { EventName } from './event-ids.ts'
import { finishNow } from './finishing.ts'
import type { QueueParts, RemovedEvent } from './queue-parts.ts'

type BotRow = { botId: BotId }
type Waiting = Pick<QueueFigures, 'leasedEvents' | 'oldestAcceptedAtMs'>

/** Maximum number of bots checked for due events at a time. */
const botsAtOnce = 2_000
/** A bot's row of counters is deleted after this long without events. */
const idleBotMs = 2 * 24 * 3_600_000

/** The queue's statements, except those for accepting, leasing and finishing events. */
export function newTables(parts: QueueParts) {
  const { pool, distribution, books, onFault } = parts
  let nextBotIndex = 0
  let lastWaiting: Waiting = { leasedEvents: 0, oldestAcceptedAtMs: undefined }

  return {
    async botsWithEvents(botIds: readonly BotId[]): Promise<BotId[]> {
      const named = botIds.map((botId) => ({ botId }))
      await distribution.learn(pool, named)
      const found = new Set(bots(await distribution.run<BotRow, BotRow>(pool, withEvents, named, ['botId'])))
      return botIds.filter((botId) => found.has(botId))
    },

    /** Returns which of the bots have an event due. Of very many bots, each call checks the next group. */
    async botsWithDue(botIds: readonly BotId[], nowMs: number): Promise<BotId[]> {
      if (nextBotIndex >= botIds.length) nextBotIndex = 0
      const some = botIds.slice(nextBotIndex, nextBotIndex + botsAtOnce)
      nextBotIndex += botsAtOnce
      return some.length === 0 ? [] : bots(await pool.rows<BotRow>(withDue, [some, nowMs]))
    },

    async botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]> {
      return bots(await distribution.readEvents<BotRow>(pool, withRetriesDue, [sinceMs, nowMs]))
    },

    /** Counts leased events and dates the oldest unfinished one. During an outage, returns the last values. */
    async waiting(): Promise<Waiting> {
      try {
        const [row] = await pool.rows<{ leased: number; oldest: number | null }>(waiting)
        lastWaiting = { leasedEvents: row?.leased ?? 0, oldestAcceptedAtMs: row?.oldest ?? undefined }
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
      }
      return lastWaiting
    },

    async expire(nowMs: number, most: number): Promise<number> {
      const old = await pool.rows<EventName>(pastAge, [nowMs - limits.eventAgeLimitMs, most])
      const ending = { lease: undefined, holder: undefined, finishedAtMs: nowMs, because: 'expired' } as const
      let count = 0
      await bisectFailures(
        old.map((event) => ({ ...event, ...ending })),
        async (part) => {
          const expired = await finishNow(parts, 'dead', part)
          books.deadLettered(expired)
          count += expired.length
        },
        ({ botId, number }, error) => onFault(error, 'event expiry', { botId, event: idOf(number) }),
      )
      return count
    },

    /** Removes up to 500 of the bot's unfinished events in these states. Resolves with the events removed. */
    discard(botId: BotId, range: { from: number; upTo: number }, states: readonly string[]): Promise<RemovedEvent[]> {
      return pool.transaction(async (transaction) => {
        const gone = await transaction.rows<RemovedEvent>(lockFirst, [botId, range.from, range.upTo, states])
        if (gone.length === 0) return []
        const bytes = gone.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
        await Promise.all([
          transaction.rows(removeUnfinished, [botId, gone.map(({ number }) => number)]),
          transaction.rows(countDiscarded, [botId, gone.length, bytes]),
          transaction.commit(),
        ])
        return gone
      })
    },

    /** Reschedules the event's retry to `nowMs`. Returns false if no retry is scheduled after `nowMs`. */
    async makeDue(botId: BotId, number: number, nowMs: number): Promise<boolean> {
      return (await pool.rows(makeDue, [botId, number, nowMs])).length === 1
    },

    async discardMarks(botId: BotId, untilMs: number): Promise<void> {
      while ((await pool.rows(discardMarks, [botId, rowsPerTransaction, untilMs])).length === rowsPerTransaction);
    },

    async pruneMarks(nowMs: number, most: number): Promise<number> {
      const expired = await pool.rows<BotRow & { digest: Uint8Array }>(expiredMarks, [nowMs, most])
      const deleted = await pool.transaction((transaction) =>
        Promise.all(
          byBot(expired).map(({ botId, items }) =>
            transaction.rows(pruneMarks, [botId, items.map(({ digest }) => Buffer.from(digest)), nowMs]),
          ),
        ),
      )
      return deleted.flat().length
    },

    /** Deletes the rows of bots long without events. Locks each, so that no event is accepted meanwhile. */
    async forgetIdleBots(nowMs: number, most: number): Promise<number> {
      const before = firstNumberOf(nowMs - idleBotMs)
      const idle = byBot(await pool.rows<BotRow>(idleBots, [before, most]))
      return pool.transaction(async (transaction) => {
        const forgetting = idle.map(({ botId }) => transaction.rows<BotRow>(forgetEntered, [botId, before]))
        const forgotten = (await Promise.all(forgetting)).flat()
        await Promise.all(forgotten.map(({ botId }) => transaction.rows(forgetLeft, [botId])))
        return forgotten.length
      })
    },
  }
}

function bots(rows: readonly BotRow[]): BotId[] {
  return rows.map(({ botId }) => botId)
}

const withEvents = statement(
  (and) => `SELECT bot_id AS "botId" FROM queue_entered AS bot WHERE bot_id = ANY ($1::text[])
      AND EXISTS (SELECT 1 FROM queue_events AS event WHERE event.bot_id = bot.bot_id ${and('event.bot_id')})`,
)
const waiting = `SELECT leased, least(oldest_leased, oldest_ready) AS oldest
    FROM (SELECT count(*) AS leased, min(accepted_at_ms) AS oldest_leased FROM queue_events WHERE state = 'leased') AS leases,
      (SELECT min(accepted_at_ms) AS oldest_ready FROM queue_events WHERE state = 'ready') AS waiting`
const withDue = [
  "state = 'ready' AND attempts = 0 AND NOT ordered",
  "state = 'ready' AND attempts > 0 AND due_at_ms <= $2",
  'ordered',
]
  .map(
    (due) => `SELECT bot_id AS "botId" FROM queue_entered AS bot WHERE bot_id = ANY ($1::text[])
      AND EXISTS (SELECT 1 FROM queue_events AS event WHERE event.bot_id = bot.bot_id AND ${due})`,
  )
  .join(' UNION ')
const withRetriesDue = `SELECT DISTINCT bot_id AS "botId" FROM %s
    WHERE state = 'ready' AND attempts > 0 AND due_at_ms > $1 AND due_at_ms <= $2`
const pastAge = `SELECT bot_id AS "botId", number FROM queue_events WHERE state = 'ready' AND accepted_at_ms <= $1
    ORDER BY accepted_at_ms LIMIT $2`
const lockFirst = `SELECT bot_id AS "botId", number, ordered, body_bytes AS "bodyBytes" FROM queue_events
    WHERE bot_id = $1 AND number >= $2 AND number <= $3 AND state = ANY ($4::text[])
    ORDER BY number LIMIT ${rowsPerTransaction} FOR UPDATE`
const removeUnfinished = 'DELETE FROM queue_events WHERE bot_id = $1 AND number = ANY ($2::bigint[])'
const countDiscarded = `INSERT INTO queue_left AS gone (bot_id, events, bytes) VALUES ($1, $2, $3)
    ON CONFLICT (bot_id) DO UPDATE SET events = gone.events + excluded.events, bytes = gone.bytes + excluded.bytes`
const makeDue = `UPDATE queue_events SET due_at_ms = $3
    WHERE bot_id = $1 AND number = $2 AND state = 'ready' AND attempts > 0 AND due_at_ms > $3 RETURNING 1 AS one`
const discardMarks = `DELETE FROM queue_marks WHERE bot_id = $1 AND digest = ANY (ARRAY(
      SELECT digest FROM queue_marks WHERE bot_id = $1 AND since_ms <= $3 LIMIT $2)) RETURNING 1 AS one`
const expiredMarks = 'SELECT bot_id AS "botId", digest FROM queue_marks WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2'
const pruneMarks = `DELETE FROM queue_marks WHERE bot_id = $1 AND digest = ANY ($2::bytea[]) AND until_ms <= $3
    RETURNING 1 AS one`
const idleBots = `SELECT bot_id AS "botId" FROM queue_entered AS entered JOIN queue_left AS gone USING (bot_id)
    WHERE last_number < $1 AND entered.events = gone.events AND done_events = 0 AND dead_events = 0 LIMIT $2`
const forgetEntered = `DELETE FROM queue_entered WHERE bot_id = $1 AND last_number < $2 AND events =
      (SELECT events FROM queue_left AS gone WHERE gone.bot_id = $1 AND done_events = 0 AND dead_events = 0)
    RETURNING bot_id AS "botId"`
const forgetLeft = 'DELETE FROM queue_left WHERE bot_id = $1'
