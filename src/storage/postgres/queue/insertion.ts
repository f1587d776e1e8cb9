import type { BotId } from '../../../domain/ids-and-secrets.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { NewEvent, Replay } from '../../../domain/webhooks/delivery-queue.ts'
import { numberAfter } from '../../queue/stored-events.ts'
import { bigintArray, booleanArray, byteaArray, textArray } from '../binary-array.ts'
import type { Queries } from '../postgres-pool.ts'
import { type Distribution, type OfBot, statement } from './distribution.ts'

export interface Entering {
  event: NewEvent
  replay: Replay | undefined
  mark: DedupeMark | undefined
}

/**
 * Locks the bots' rows in the given order, and reserves numbers and room for each bot's events. The locks are held
 * until the transaction ends, so each bot's events become visible in the order of their numbers.
 *
 * @param most maximum of a bot's unfinished events, and of their bytes.
 * @returns the numbers of each bot's events, or `undefined` if they don't all fit or the bot is unknown.
 */
export async function reserve(
  on: Queries,
  distribution: Distribution,
  bots: readonly OfBot<Entering>[],
  most: { events: number; bytes: number },
): Promise<(number[] | undefined)[]> {
  const reserving = bots.map(({ botId, items }) => {
    const least = leastNumbersOf(items)
    const first = least[0] as number
    const span = (least.at(-1) as number) - first + 1
    return {
      botId,
      events: items.length,
      bytes: bytesOf(items),
      offsets: least.map((each) => each - first + 1),
      before: first - 1,
      span,
    }
  })
  const keys = ['botId', 'events', 'bytes', 'before', 'span'] as const
  const taken: { botId: BotId; before: number }[] = await distribution.run(on, take, reserving, keys, [
    most.events,
    most.bytes,
  ])
  const firsts = new Map(taken.map(({ botId, before }) => [botId, before]))
  return reserving.map(({ botId, offsets }) => {
    const before = firsts.get(botId)
    return before === undefined ? undefined : offsets.map((offset) => before + offset)
  })
}

/** Returns the room reserved for events that are not stored after all. Their numbers stay unused. */
export async function giveBack(on: Queries, { botId, items }: OfBot<Entering>): Promise<void> {
  await on.rows(release, [botId, items.length, bytesOf(items)])
}

/** Adds rows for bots without one. Their first numbers are above `last`. */
export async function addBots(on: Queries, bots: readonly { botId: BotId }[], last: number): Promise<void> {
  await on.rows(add, [textArray(bots.map(({ botId }) => botId)), last])
}

/** Returns the number of the last event accepted for the bot, or 0 if there is none. */
export async function lastNumberOf(on: Queries, botId: BotId): Promise<number> {
  const [row] = await on.rows<{ last: number }>(lastNumber, [botId])
  return row?.last ?? 0
}

/**
 * Stores the event's deduplication mark, if any. Of a replay, records on the original event which event replays it, in
 * the table that holds the original.
 *
 * @returns false if the bot has that mark and it hasn't expired; of a replay, if the original is gone, or not to be
 * replayed again. The bot's row is locked, so of concurrent events with the same mark, only one is new.
 */
export async function isNew(on: Queries, { event, replay, mark }: Entering, number: number): Promise<boolean> {
  const { botId, acceptedAtMs } = event
  if (replay !== undefined) {
    const noting = noted.map((statement) => on.rows(statement, [botId, replay.of, number, replay.once]))
    return (await Promise.all(noting)).flat().length === 1
  }
  return mark === undefined || (await on.rows(keepMark, [botId, mark.digest, acceptedAtMs, mark.untilMs])).length === 1
}

/** Stores the events of any number of bots, with these numbers. The bots' rows must be locked. */
export async function insertEvents(on: Queries, entering: readonly Entering[], numbers: readonly number[]) {
  const texts = (of: (event: NewEvent) => string | undefined) =>
    textArray(entering.map(({ event }) => of(event) ?? null))
  await on.rows(insert, [
    texts(({ botId }) => botId),
    bigintArray(numbers),
    texts(({ flowId }) => flowId),
    texts(({ path }) => path),
    booleanArray(entering.map(({ event }) => event.ordered)),
    bigintArray(entering.map(({ event }) => event.acceptedAtMs)),
    bigintArray(entering.map(({ replay }) => replay?.of ?? null)),
    texts(({ clientIp }) => clientIp),
    texts(({ headers }) => headers.contentType),
    texts(({ headers }) => headers.userAgent),
    texts(({ headers }) => headers.forwardedFor),
    texts(({ headers }) => headers.requestId),
    byteaArray(entering.map(({ event }) => event.body)),
    booleanArray(entering.map(({ event }) => event.test === true)),
  ])
}

/** Returns the lowest number that each event can have, given its acceptance time and the events before it. */
function leastNumbersOf(entering: readonly Entering[]): number[] {
  let last = 0
  return entering.map(({ event }) => {
    last = numberAfter(last, event.acceptedAtMs)
    return last
  })
}

function bytesOf(entering: readonly Entering[]): number {
  return entering.reduce((sum, { event }) => sum + event.body.length, 0)
}

const take = statement(
  (and) => `UPDATE queue_entered AS entered SET events = entered.events + new.events, bytes = entered.bytes + new.bytes,
      last_number = greatest(entered.last_number, new.least) + new.span
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS new (bot_id, events, bytes, least, span)
    WHERE entered.bot_id = new.bot_id ${and('entered.bot_id')}
      AND entered.events + new.events - coalesce((SELECT gone.events FROM queue_left AS gone
        WHERE gone.bot_id = new.bot_id ${and('gone.bot_id')}), 0) <= $6::bigint
      AND entered.bytes + new.bytes - coalesce((SELECT gone.bytes FROM queue_left AS gone
        WHERE gone.bot_id = new.bot_id ${and('gone.bot_id')}), 0) <= $7::bigint
    RETURNING entered.bot_id AS "botId", last_number - new.span AS before`,
)
const release = 'UPDATE queue_entered SET events = events - $2::bigint, bytes = bytes - $3::bigint WHERE bot_id = $1'
const add = `INSERT INTO queue_entered (bot_id, last_number)
    SELECT bot_id, $2::bigint FROM unnest($1::text[]) AS bot_id ORDER BY bot_id ON CONFLICT DO NOTHING`
const lastNumber = 'SELECT last_number AS last FROM queue_entered WHERE bot_id = $1'
const keepMark = `INSERT INTO queue_marks AS known (bot_id, digest, since_ms, until_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (bot_id, digest) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms
      WHERE known.until_ms <= excluded.since_ms
        OR known.since_ms + excluded.until_ms - excluded.since_ms <= excluded.since_ms
    RETURNING 1 AS one`
const insert = `INSERT INTO queue_events (bot_id, number, flow_id, path, ordered, accepted_at_ms, due_at_ms, replay_of,
      client_ip, content_type, user_agent, forwarded_for, request_id, body_bytes, body, test)
    SELECT bot_id, number, flow_id, path, ordered, accepted_at_ms, accepted_at_ms, replay_of,
      client_ip, content_type, user_agent, forwarded_for, request_id, octet_length(body), body, test
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::bigint[], $7::bigint[],
        $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[], $14::boolean[])
      AS given (bot_id, number, flow_id, path, ordered, accepted_at_ms, replay_of,
        client_ip, content_type, user_agent, forwarded_for, request_id, body, test)`
const noted = ['queue_events', 'queue_done', 'queue_dead'].map(
  (table) => `UPDATE ${table} SET replayed_as = $3
    WHERE bot_id = $1 AND number = $2 AND (replayed_as IS NULL OR NOT $4::boolean) RETURNING 1 AS one`,
)
