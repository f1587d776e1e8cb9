import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { NewEvent, QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { firstNumberOf } from '../../queue/event-number.ts'
import { bigintArray, booleanArray, byteaArray, integerArray, textArray } from '../binary-array.ts'

/** An event on its way into the tables. */
export interface Entering {
  event: NewEvent
  /** The number of the bot's event of which it is a replay. */
  replayOf: number | null
  mark: DedupeMark | undefined
}

/** What becomes of one event of a batch. */
export interface Inserted {
  /** In the batch, from 1. */
  place: number
  number: number
  outcome: 'accepted' | 'repeated' | 'full' | 'unknown-bot'
}

/**
 * A bot whose events of a batch were all stored. An event's number is `before` plus its offset, see
 * {@link wholeValuesOf}.
 */
export interface StoredWhole {
  bot_id: string
  before: number
}

/** Where an event stands among those of its bot in the batch, so that the database has nothing to sort. */
interface Place {
  /** From 1. */
  nth: number
  /** Of the bodies up to it, its own included. */
  bytes: number
  /** What the times of acceptance allow: a number grows with each event, also when a clock is set back. */
  leastNumber: number
  /** That of the bot's first in the batch. */
  firstNumber: number
}

/** What both statements are given of the events: an array for each column, and all bodies in one piece. */
function columnsOf(events: readonly NewEvent[]): unknown[] {
  const offsets: number[] = []
  let bytes = 0
  for (const { body } of events) {
    offsets.push(bytes)
    bytes += body.length
  }
  return [
    textArray(events.map(({ botId }) => botId)),
    textArray(events.map(({ flowId }) => flowId)),
    textArray(events.map(({ path }) => path)),
    bigintArray(events.map(({ acceptedAtMs }) => acceptedAtMs)),
    textArray(events.map(({ clientIp }) => clientIp)),
    textArray(events.map(({ headers }) => headers.contentType ?? null)),
    textArray(events.map(({ headers }) => headers.userAgent ?? null)),
    textArray(events.map(({ headers }) => headers.forwardedFor ?? null)),
    textArray(events.map(({ headers }) => headers.requestId ?? null)),
    booleanArray(events.map(({ ordered }) => ordered)),
    integerArray(events.map(({ body }) => body.length)),
    integerArray(offsets),
    events.length === 1 ? events[0]?.body : Buffer.concat(events.map(({ body }) => body)),
  ]
}

/** The first twelve of these, as the statements take them. */
const columns = `$1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
  $9::text[], $10::boolean[], $11::integer[], $12::integer[]`
const columnNames = `bot_id, flow_id, path, accepted_at_ms, client_ip, content_type, user_agent, forwarded_for, request_id,
  ordered, body_bytes, body_at`

/** Without the clause that says from where they are taken. */
function insertEvents({ number, replayOf }: { number: string; replayOf: string }): string {
  return `INSERT INTO queue_events (bot_id, number, flow_id, path, ordered, accepted_at_ms, due_at_ms, replay_of, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes, body)
    SELECT bot_id, ${number}, flow_id, path, ordered, accepted_at_ms, accepted_at_ms, ${replayOf}, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes,
      substring($13::bytea FROM body_at + 1 FOR body_bytes)`
}

/** As {@link judgedInsertionOf} takes them. */
export function judgedValuesOf(
  batch: readonly Entering[],
  { maxEventsPerBot, maxBytesPerBot }: QueueLimits,
): unknown[] {
  const events = batch.map(({ event }) => event)
  const { places } = placesOf(events)
  return [
    ...columnsOf(events),
    byteaArray(batch.map(({ mark }) => mark?.digest ?? null)),
    bigintArray(batch.map(({ mark }) => mark?.untilMs ?? null)),
    bigintArray(batch.map(({ replayOf }) => replayOf)),
    bigintArray(places.map(({ nth }) => nth)),
    bigintArray(places.map(({ bytes }) => bytes)),
    bigintArray(places.map(({ leastNumber }) => leastNumber)),
    maxEventsPerBot,
    maxBytesPerBot,
  ]
}

/** Returns the parameters of {@link wholeInsertion}, and each event's offset from its bot's `before` number. */
export function wholeValuesOf(
  batch: readonly Entering[],
  { maxEventsPerBot, maxBytesPerBot }: QueueLimits,
): { values: unknown[]; furtherOn: number[] } {
  const events = batch.map(({ event }) => event)
  const { places, lastOfBot } = placesOf(events)
  const distance = ({ leastNumber, firstNumber }: Place) => leastNumber - firstNumber + 1
  const furtherOn = places.map(distance)
  const bots = [...lastOfBot].sort(([one], [other]) => (one < other ? -1 : 1))
  const values = [
    ...columnsOf(events),
    bigintArray(furtherOn),
    textArray(bots.map(([botId]) => botId)),
    bigintArray(bots.map(([, { nth }]) => nth)),
    bigintArray(bots.map(([, { bytes }]) => bytes)),
    bigintArray(bots.map(([, { firstNumber }]) => firstNumber)),
    maxEventsPerBot,
    maxBytesPerBot,
    bigintArray(bots.map(([, last]) => distance(last))),
  ]
  return { values, furtherOn }
}

function placesOf(events: readonly NewEvent[]): { places: Place[]; lastOfBot: Map<string, Place> } {
  const lastOfBot = new Map<string, Place>()
  const places = events.map(({ botId, body, acceptedAtMs }) => {
    const last = lastOfBot.get(botId)
    const leastNumber = Math.max(firstNumberOf(acceptedAtMs), (last?.leastNumber ?? 0) + 1)
    const place = {
      nth: (last?.nth ?? 0) + 1,
      bytes: (last?.bytes ?? 0) + body.length,
      leastNumber,
      firstNumber: last?.firstNumber ?? leastNumber,
    }
    lastOfBot.set(botId, place)
    return place
  })
  return { places, lastOfBot }
}

/**
 * The events of each bot that has room for all of them. The others' are left to be judged one by one.
 * Bots are named twice: a join with what is given might read the whole table. Both ways their rows are met in the order
 * of their ids.
 *
 * An event's number must be above the bot's last one and not below the first number of its acceptance time. The events
 * of a batch keep the distances between those least numbers, so both hold for all of them.
 */
export const wholeInsertion = `WITH counted AS (
      UPDATE queue_entered AS entered SET events = entered.events + new.events, bytes = entered.bytes + new.bytes,
        last_number = greatest(entered.last_number, new.first_number - 1) + new.span
      FROM unnest($15::text[], $16::bigint[], $17::bigint[], $18::bigint[], $21::bigint[])
        AS new (bot_id, events, bytes, first_number, span)
      WHERE entered.bot_id = new.bot_id AND entered.bot_id = ANY ($15)
        AND entered.events + new.events - coalesce(
          (SELECT gone.events FROM queue_left AS gone WHERE gone.bot_id = new.bot_id), 0) <= $19::bigint
        AND entered.bytes + new.bytes - coalesce(
          (SELECT gone.bytes FROM queue_left AS gone WHERE gone.bot_id = new.bot_id), 0) <= $20::bigint
      RETURNING entered.bot_id, entered.last_number - new.span AS before
    ), stored AS (
      ${insertEvents({ number: 'before + further_on', replayOf: 'NULL' })}
      FROM unnest(${columns}, $14::bigint[]) AS given (${columnNames}, further_on) JOIN counted USING (bot_id)
    ) SELECT bot_id, before FROM counted`

/**
 * In one statement: locks the bots, gives each event its number, marks and stores those that fit into the allowance, and
 * counts them. A number is more than the bot's last one, and what the time of acceptance says if that is more.
 * `OFFSET 0` keeps the look-up of what left from becoming a join, which would read the whole table.
 */
function insertion({ marks, replays }: { marks: boolean; replays: boolean }): string {
  const outcome = marks ? outcomeByMark : 'outcome'
  const steps = [
    `entered AS MATERIALIZED (
      SELECT bot_id, last_number, events, bytes FROM queue_entered WHERE bot_id = ANY ($1) ORDER BY bot_id FOR UPDATE
    ), room AS MATERIALIZED (
      SELECT entered.bot_id, last_number, $20::bigint - entered.events + coalesce(gone.events, 0) AS events,
        $21::bigint - entered.bytes + coalesce(gone.bytes, 0) AS bytes
      FROM entered LEFT JOIN LATERAL
        (SELECT events, bytes FROM queue_left WHERE queue_left.bot_id = entered.bot_id OFFSET 0) AS gone ON true
    ), judged AS MATERIALIZED (
      SELECT given.*, greatest(last_number + nth, least_number) AS number,
        CASE WHEN room.bot_id IS NULL THEN 'unknown-bot' WHEN nth <= events AND bytes_so_far <= bytes THEN 'accepted'
          ELSE 'full' END AS outcome
      FROM unnest(${columns}, $14::bytea[], $15::bigint[], $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[])
        WITH ORDINALITY AS given (${columnNames}, digest, mark_until_ms, replay_of, nth, bytes_so_far, least_number, place)
        LEFT JOIN room USING (bot_id)
      ORDER BY place
    )`,
    ...(marks ? [marked] : []),
    `stored AS (
      ${insertEvents({ number: 'number', replayOf: 'replay_of' })}
      FROM judged WHERE ${outcome} = 'accepted'
      RETURNING bot_id, number, body_bytes, replay_of
    ), counted AS (
      UPDATE queue_entered SET events = queue_entered.events + new.events, bytes = queue_entered.bytes + new.bytes,
        last_number = new.last_number
      FROM (SELECT bot_id, count(*) AS events, sum(body_bytes) AS bytes, max(number) AS last_number
        FROM stored GROUP BY bot_id) AS new
      WHERE queue_entered.bot_id = new.bot_id
    )`,
    ...(replays ? noted : []),
  ]
  return `WITH ${steps.join(', ')} SELECT place, number, ${outcome} AS outcome FROM judged`
}

const marked = `marked AS (
    INSERT INTO queue_marks AS known (bot_id, digest, since_ms, until_ms)
    SELECT bot_id, digest, accepted_at_ms, mark_until_ms FROM judged WHERE outcome = 'accepted' AND digest IS NOT NULL
    ORDER BY bot_id, digest
    ON CONFLICT (bot_id, digest) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms
      WHERE known.until_ms <= excluded.since_ms
    RETURNING bot_id, digest
  )`

const outcomeByMark = `CASE WHEN outcome = 'accepted' AND digest IS NOT NULL
  AND (bot_id, digest) NOT IN (SELECT bot_id, digest FROM marked) THEN 'repeated' ELSE outcome END`

/** Each original tells of its replay. */
const noted = ['events', 'done', 'dead'].map(
  (table) => `noted_${table} AS (
    UPDATE queue_${table} AS original SET replayed_as = stored.number FROM stored
    WHERE original.bot_id = stored.bot_id AND original.number = stored.replay_of)`,
)

const insertions = {
  judged: insertion({ marks: false, replays: false }),
  marked: insertion({ marks: true, replays: false }),
  replayed: insertion({ marks: false, replays: true }),
  both: insertion({ marks: true, replays: true }),
}

/** The one that does no more than the batch asks for, and says what becomes of each event. */
export function judgedInsertionOf(batch: readonly Entering[]): string {
  const marks = batch.some(({ mark }) => mark !== undefined)
  const replays = batch.some(({ replayOf }) => replayOf !== null)
  if (marks) return replays ? insertions.both : insertions.marked
  return replays ? insertions.replayed : insertions.judged
}
