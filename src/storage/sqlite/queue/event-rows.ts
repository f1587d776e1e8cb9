import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import type { Delivery, NewEvent, ReceivedWebhook, Replay } from '../../../domain/webhooks/delivery-queue.ts'
import type { EventState } from '../../../domain/webhooks/event-log.ts'
import type { AfterFailure } from '../../../domain/webhooks/retry.ts'
import type { FinishedState } from '../../queue/queue-figures.ts'
import {
  type EventRange,
  idOf,
  type PayloadColumns,
  payloadOf,
  type SummaryColumns,
} from '../../queue/stored-events.ts'
import { raw, sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Lease, UnfinishedEvent } from './in-memory.ts'

/** Maximum size of a body stored in the event's row. Larger bodies are stored in `large_bodies`. */
const inlineBodyMaxBytes = 2_048

export interface EventRow extends PayloadColumns, SummaryColumns {
  leases: number
  dueAtMs: number
  holder: string | null
  body: Uint8Array | null
  beganAtMs: number | null
  errorBytes: number
}

type HeadColumn = 'state' | 'attempts' | 'leases' | 'dueAtMs' | 'holder' | 'acceptedAtMs' | 'beganAtMs'

/** The columns of an event that decide where it is in the queue and what it costs to keep. */
export interface EventHead extends UnfinishedEvent, Pick<EventRow, HeadColumn> {
  keptBytes: number
}

export interface LeasedEvent {
  delivery: Delivery
  lease: Omit<Lease, 'holder' | 'untilMs'>
}

/** Estimated size of a failed attempt's record, excluding its message. */
const attemptBytes = 64

/** Total size of the columns whose length is controlled by senders or runtimes. */
export const keptBytes = sql`body_bytes + error_bytes + octet_length(path) + coalesce(octet_length(content_type), 0)
  + coalesce(octet_length(user_agent), 0) + coalesce(octet_length(forwarded_for), 0)
  + coalesce(octet_length(request_id), 0) AS kept_bytes`
const headColumns = sql`number, bot_id, flow_id, state, attempts, leases, due_at_ms, holder, accepted_at_ms, body_bytes,
  began_at_ms, ${keptBytes}`

/** Statements on the `events` table. Methods that write must run inside `SqliteFile.commit`. */
export function eventRows(file: SqliteFile) {
  const insertEvent = file.statement(
    `INSERT INTO events (number, bot_id, flow_id, path, state, attempts, leases, due_at_ms, accepted_at_ms, replay_of,
       client_ip, content_type, user_agent, forwarded_for, request_id, body_bytes, body, test)
     VALUES (?1, ?2, ?3, ?4, 'ready', 0, 0, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)`,
  )
  const insertLargeBody = file.statement('INSERT INTO large_bodies (number, body) VALUES (?, ?)')

  return {
    insert(number: number, event: NewEvent, replayOf: number | null): void {
      const { headers, body } = event
      const inline = body.length <= inlineBodyMaxBytes
      insertEvent.run(
        number,
        event.botId,
        event.flowId,
        event.path,
        event.acceptedAtMs,
        replayOf,
        event.clientIp,
        headers.contentType ?? null,
        headers.userAgent ?? null,
        headers.forwardedFor ?? null,
        headers.requestId ?? null,
        body.length,
        inline ? body : null,
        Number(event.test === true),
      )
      if (!inline) insertLargeBody.run(number, body)
    },

    /** Records on the original event which event replays it. Returns false if it is gone, or not to be replayed again. */
    noteReplay({ of, once }: Replay, number: number): boolean {
      const original = sql`number = ${of} AND (replayed_as IS NULL OR NOT ${once})`
      return file.run(sql`UPDATE events SET replayed_as = ${number} WHERE ${original}`) === 1
    },

    /** Leases a ready event. Returns `undefined` if it is no longer ready. */
    lease(number: number, holder: string, nowMs: number): LeasedEvent | undefined {
      const row = file
        .statement(
          `UPDATE events SET state = 'leased', holder = ?, attempts = attempts + 1, leases = leases + 1, began_at_ms = ?
           WHERE number = ? AND state = 'ready' RETURNING *, ${keptBytes.text}`,
        )
        .get(holder, nowMs, number) as (EventRow & EventHead) | undefined
      if (row === undefined) return undefined
      const lease = leaseOf(row)
      const replayOf = row.replayOf === null ? undefined : idOf(row.replayOf)
      const { delivery, attempt } = lease
      return { delivery: { ...payloadOf(row, bodyOf(row)), delivery, id: idOf(number), attempt, replayOf }, lease }
    },

    fail({ number, leases, attempt, beganAtMs }: Lease, failed: FailedAttempt): void {
      const { endedAtMs, error, next } = failed
      const bytes = errorBytes(error)
      file.run(sql`INSERT INTO failed_attempts (number, lease, attempt, began_at_ms, ended_at_ms, error)
           VALUES (${number}, ${leases}, ${attempt}, ${beganAtMs}, ${endedAtMs}, ${error ?? null})`)
      if (next.kind === 'retry') {
        file.run(
          sql`UPDATE events SET state = 'ready', holder = NULL, due_at_ms = ${next.dueAtMs}, error_bytes = error_bytes + ${bytes}
             WHERE number = ${number}`,
        )
        return
      }
      file.run(
        sql`UPDATE events SET state = 'dead', holder = NULL, finished_at_ms = ${endedAtMs}, dead_because = ${next.because},
             error_bytes = error_bytes + ${bytes}
           WHERE number = ${number}`,
      )
    },

    /** Dead-letters a ready event as expired. Returns false if it is not ready. */
    expire(number: number, nowMs: number): boolean {
      const expired = file.run(
        sql`UPDATE events SET state = 'dead', finished_at_ms = ${nowMs}, dead_because = 'expired'
           WHERE number = ${number} AND state = 'ready'`,
      )
      return expired === 1
    },

    /** Removes and returns an unleased event. Returns `undefined` if it is gone or not in the given state. */
    remove(number: number, state: Exclude<EventState, 'leased'>): EventHead | undefined {
      const removed = file.first<EventHead & Pick<EventRow, 'errorBytes'>>(
        sql`DELETE FROM events WHERE number = ${number} AND state = ${state} RETURNING ${headColumns}, error_bytes`,
      )
      if (removed === undefined) return undefined
      if (removed.bodyBytes > inlineBodyMaxBytes) file.run(sql`DELETE FROM large_bodies WHERE number = ${number}`)
      if (removed.errorBytes > 0) file.run(sql`DELETE FROM failed_attempts WHERE number = ${number}`)
      return removed
    },

    isIn(state: EventState, botId: BotId, number: number): boolean {
      const event = sql`SELECT 1 FROM events WHERE number = ${number} AND bot_id = ${botId} AND state = ${state}`
      return file.first(event) !== undefined
    },

    finishedOf(botId: BotId, upTo: number, most: number): EventHead[] {
      return file.all(
        sql`SELECT ${headColumns} FROM events WHERE bot_id = ${botId} AND finished_at_ms IS NOT NULL AND number <= ${upTo}
          LIMIT ${most}`,
      )
    },

    all(): Iterable<EventHead> {
      const statement = file.statement(`SELECT ${headColumns.text} FROM events ORDER BY number`)
      return statement.iterate() as Iterable<unknown> as Iterable<EventHead>
    },

    after(number: number, most: number): EventHead[] {
      return file.all(sql`SELECT ${headColumns} FROM events WHERE number > ${number} ORDER BY number LIMIT ${most}`)
    },

    findWithPayload(botId: BotId, number: number): { row: EventRow; payload: ReceivedWebhook } | undefined {
      const row = file.first<EventRow>(sql`SELECT * FROM events WHERE number = ${number} AND bot_id = ${botId}`)
      return row === undefined ? undefined : { row, payload: payloadOf(row, bodyOf(row)) }
    },

    /** Returns the first bytes of the event's body, or `undefined` if the bot has no such event. */
    bodyStart(botId: BotId, number: number, mostBytes: number): Uint8Array | undefined {
      const row = file.first<{ start: Uint8Array | null }>(
        sql`SELECT substr(coalesce(body, (SELECT body FROM large_bodies WHERE large_bodies.number = events.number)), 1,
            ${mostBytes}) AS start FROM events WHERE number = ${number} AND bot_id = ${botId}`,
      )
      // SQLite returns null for a part of an empty blob.
      return row && (row.start ?? new Uint8Array())
    },
  }

  function bodyOf({ number, body }: EventRow): Uint8Array {
    if (body !== null) return body
    const row = file.first<{ body: Uint8Array }>(sql`SELECT body FROM large_bodies WHERE number = ${number}`)
    if (row === undefined) throw new Error(`event ${idOf(number)} has no body`)
    return row.body
  }
}

export interface FailedAttempt {
  endedAtMs: number
  error: string | undefined
  next: AfterFailure
}

export function errorBytes(error: string | undefined): number {
  return attemptBytes + Buffer.byteLength(error ?? '')
}

/** Converts an event's row to a lease without a holder or an expiry time. */
export function leaseOf(row: EventHead): Omit<Lease, 'holder' | 'untilMs'> {
  return {
    delivery: `${idOf(row.number)}-${row.leases}`,
    number: row.number,
    botId: row.botId,
    flowId: row.flowId,
    leases: row.leases,
    attempt: row.attempts,
    acceptedAtMs: row.acceptedAtMs,
    beganAtMs: row.beganAtMs ?? row.acceptedAtMs,
    bodyBytes: row.bodyBytes,
    keptBytes: row.keptBytes,
  }
}

export interface FinishedRange extends EventRange {
  state: FinishedState
  flowId: FlowId | undefined
}

/** Finds a bot's finished events by number. The index is by flow, so any filter needs one look-up per flow. */
export function finishedEvents(file: SqliteFile) {
  return {
    newest: (botId: BotId, range: FinishedRange, most: number) =>
      numbers(botId, range, most, 'DESC').reverse().slice(0, most),

    oldest: (botId: BotId, range: FinishedRange, most: number) => numbers(botId, range, most, 'ASC').slice(0, most),

    count(botId: BotId, { state, flowId, from, below }: FinishedRange, most: number): number {
      let events = 0
      for (const flow of flowsOf(botId, state, flowId)) {
        const counted = file.first<{ events: number }>(
          sql`SELECT count(*) AS events FROM (SELECT 1 FROM events WHERE bot_id = ${botId} AND state = ${state}
            AND flow_id = ${flow} AND finished_at_ms IS NOT NULL AND number >= ${from} AND number < ${below}
            LIMIT ${most - events})`,
        )
        events += counted?.events ?? 0
      }
      return events
    },
  }

  /** Returns up to `most` numbers per flow, lowest first. */
  function numbers(botId: BotId, { state, flowId, from, below }: FinishedRange, most: number, order: 'ASC' | 'DESC') {
    const found = flowsOf(botId, state, flowId).flatMap((flow) =>
      file.all<{ number: number }>(
        sql`SELECT number FROM events WHERE bot_id = ${botId} AND state = ${state} AND flow_id = ${flow}
          AND finished_at_ms IS NOT NULL AND number >= ${from} AND number < ${below}
          ORDER BY number ${raw(order)} LIMIT ${most}`,
      ),
    )
    return found.map(({ number }) => number).sort((one, other) => one - other)
  }

  /** Returns the one flow, or those that have finished events in this state: one index look-up for each. */
  function flowsOf(botId: BotId, state: FinishedState, flowId: FlowId | undefined): FlowId[] {
    if (flowId !== undefined) return [flowId]
    const flows: FlowId[] = []
    for (let last = ''; ; last = flows.at(-1) as FlowId) {
      const row = file.first<{ flowId: FlowId }>(
        sql`SELECT flow_id FROM events WHERE bot_id = ${botId} AND state = ${state} AND flow_id > ${last}
          AND finished_at_ms IS NOT NULL ORDER BY flow_id LIMIT 1`,
      )
      if (row === undefined) return flows
      flows.push(row.flowId)
    }
  }
}
