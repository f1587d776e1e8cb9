import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type { NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import { bigintArray, booleanArray, byteaArray, textArray } from '../binary-array.ts'
import type { Queries } from '../postgres-pool.ts'

export interface Entering {
  event: NewEvent
  /** Number of the original event if this event is a replay. Both events belong to the same bot. */
  replayOf: number | null
  mark: DedupeMark | undefined
}

/** Stores the events of any number of bots, with these numbers. The bots' rows must be locked. */
export async function insertEvents(
  on: Queries,
  entering: readonly Entering[],
  numbers: readonly number[],
): Promise<void> {
  const texts = (of: (event: NewEvent) => string | undefined) =>
    textArray(entering.map(({ event }) => of(event) ?? null))
  await on.rows(insert, [
    texts(({ botId }) => botId),
    bigintArray(numbers),
    texts(({ flowId }) => flowId),
    texts(({ path }) => path),
    booleanArray(entering.map(({ event }) => event.ordered)),
    bigintArray(entering.map(({ event }) => event.acceptedAtMs)),
    bigintArray(entering.map(({ replayOf }) => replayOf)),
    texts(({ clientIp }) => clientIp),
    texts(({ headers }) => headers.contentType),
    texts(({ headers }) => headers.userAgent),
    texts(({ headers }) => headers.forwardedFor),
    texts(({ headers }) => headers.requestId),
    byteaArray(entering.map(({ event }) => event.body)),
  ])
}

/** Records on the original event which event replays it, in the table that holds the original. */
export async function noteReplay(on: Queries, { event, replayOf }: Entering, number: number): Promise<void> {
  await Promise.all(noted.map((statement) => on.rows(statement, [event.botId, replayOf, number])))
}

const insert = `INSERT INTO queue_events (bot_id, number, flow_id, path, ordered, accepted_at_ms, due_at_ms, replay_of,
      client_ip, content_type, user_agent, forwarded_for, request_id, body_bytes, body)
    SELECT bot_id, number, flow_id, path, ordered, accepted_at_ms, accepted_at_ms, replay_of,
      client_ip, content_type, user_agent, forwarded_for, request_id, octet_length(body), body
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::bigint[], $7::bigint[],
        $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bytea[])
      AS given (bot_id, number, flow_id, path, ordered, accepted_at_ms, replay_of,
        client_ip, content_type, user_agent, forwarded_for, request_id, body)`
const noted = ['queue_events', 'queue_done', 'queue_dead'].map(
  (table) => `UPDATE ${table} SET replayed_as = $3 WHERE bot_id = $1 AND number = $2`,
)
