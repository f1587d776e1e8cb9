import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { NewEvent, QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { firstNumberOf } from '../../queue/event-number.ts'
import { bigintArray, booleanArray, byteaArray, integerArray, textArray } from '../binary-array.ts'

export interface Entering {
  event: NewEvent
  /** Number of the original event if this event is a replay. Both events belong to the same bot. */
  replayOf: number | null
  mark: DedupeMark | undefined
}

export interface Inserted {
  /** 1-based position in the batch. */
  place: number
  number: number
  outcome: 'accepted' | 'repeated' | 'full' | 'unknown-bot'
}

/**
 * A bot whose events in the batch were all stored. Each event's number is `before` plus its offset; see {@link
 * wholeValuesOf}.
 */
export interface StoredWhole {
  bot_id: string
  before: number
}

/**
 * Position of an event among its bot's events in the batch. Computed here so that the database doesn't have to sort.
 */
interface Place {
  nth: number
  /** Total body size up to and including this event. */
  bytes: number
  /**
   * Lowest number that the event can have, given its acceptance time and the bot's earlier events in the batch. It
   * increases with each event, even if the clock is set back.
   */
  leastNumber: number
  /** `leastNumber` of the bot's first event in the batch. */
  firstNumber: number
}

/** Returns the parameters that both statements share: one array per column, and all bodies concatenated. */
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

/** The first twelve parameters, with their casts. The thirteenth parameter holds the bodies. */
const columns = `$1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[],
  $9::text[], $10::boolean[], $11::integer[], $12::integer[]`
const columnNames = `bot_id, flow_id, path, accepted_at_ms, client_ip, content_type, user_agent, forwarded_for, request_id,
  ordered, body_bytes, body_at`

/** Returns the INSERT without its FROM clause. */
function insertEvents({ number, replayOf }: { number: string; replayOf: string }): string {
  return `INSERT INTO queue_events (bot_id, number, flow_id, path, ordered, accepted_at_ms, due_at_ms, replay_of, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes, body)
    SELECT bot_id, ${number}, flow_id, path, ordered, accepted_at_ms, accepted_at_ms, ${replayOf}, client_ip,
      content_type, user_agent, forwarded_for, request_id, body_bytes,
      substring($13::bytea FROM body_at + 1 FOR body_bytes)`
}

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
): { values: unknown[]; offsets: number[] } {
  const events = batch.map(({ event }) => event)
  const { places, lastOfBot } = placesOf(events)
  const offsetOf = ({ leastNumber, firstNumber }: Place) => leastNumber - firstNumber + 1
  const offsets = places.map(offsetOf)
  const bots = [...lastOfBot].sort(([one], [other]) => (one < other ? -1 : 1))
  const values = [
    ...columnsOf(events),
    bigintArray(offsets),
    textArray(bots.map(([botId]) => botId)),
    bigintArray(bots.map(([, { nth }]) => nth)),
    bigintArray(bots.map(([, { bytes }]) => bytes)),
    bigintArray(bots.map(([, { firstNumber }]) => firstNumber)),
    maxEventsPerBot,
    maxBytesPerBot,
    bigintArray(bots.map(([, last]) => offsetOf(last))),
  ]
  return { values, offsets }
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
 * Stores each bot's events if all of them fit into the bot's allowance. The caller stores the remaining events with
 * another statement, which accepts or rejects each one. The UPDATE also compares `bot_id` with the array, because a
 * plan that uses only the join might read the whole table. Rows are locked in bot order, whichever condition is used to
 * find them.
 *
 * An event's number must be above the bot's last number, and at least the first number for its acceptance time. Each
 * `leastNumber` meets the second condition. If the bot's first `leastNumber` is not above the bot's last number, the
 * statement raises all of the bot's new numbers by the same amount.
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
      ${insertEvents({ number: 'before + number_offset', replayOf: 'NULL' })}
      FROM unnest(${columns}, $14::bigint[]) AS given (${columnNames}, number_offset) JOIN counted USING (bot_id)
    ) SELECT bot_id, before FROM counted`

/**
 * Returns a statement that locks the bots' rows, then numbers, stores and counts the events that fit into each bot's
 * allowance. It also stores the deduplication marks, if `marks` is set, and links replays to their original events, if
 * `replays` is set. Each number is above the bot's last number, and at least the event's `leastNumber`. `OFFSET 0`
 * prevents the look-up in `queue_left` from becoming a join, which would read the whole table.
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

/** Records on each original event which event replays it. */
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

/** Returns the cheapest statement that can store the batch. The statement returns the outcome of each event. */
export function judgedInsertionOf(batch: readonly Entering[]): string {
  const marks = batch.some(({ mark }) => mark !== undefined)
  const replays = batch.some(({ replayOf }) => replayOf !== null)
  if (marks) return replays ? insertions.both : insertions.marked
  return replays ? insertions.replayed : insertions.judged
}
