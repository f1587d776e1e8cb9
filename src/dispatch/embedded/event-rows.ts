import type { BotId, FlowId } from '../../domain/ids.ts'
import type { Delivery, EventState, EventSummary, NewEvent } from '../../domain/webhooks/delivery-queue.ts'
import type { DeadReason } from '../../domain/webhooks/retry.ts'
import type { SqliteFile } from '../../store/sqlite/sqlite-file.ts'
import { idOf } from './event-number.ts'
import { deliveryOf } from './leases.ts'

/** Bodies up to this size lie in the event's row, larger ones apart. */
const inlineBodyMaxBytes = 2_048

interface EventRow {
  number: number
  bot_id: string
  flow_id: string
  path: string
  state: EventState
  attempts: number
  leases: number
  due_at_ms: number
  holder: string | null
  accepted_at_ms: number
  finished_at_ms: number | null
  last_error: string | null
  dead_because: DeadReason | null
  replay_of: number | null
  client_ip: string
  content_type: string | null
  user_agent: string | null
  forwarded_for: string | null
  request_id: string | null
  body_bytes: number
  body: Uint8Array | null
}

/** What is known of an event without its payload. */
export type EventHead = Pick<
  EventRow,
  'number' | 'state' | 'attempts' | 'leases' | 'due_at_ms' | 'holder' | 'accepted_at_ms' | 'body_bytes'
> & { bot_id: BotId }

/** A retry's time, or how the event ended. */
export type NextState =
  | { kind: 'retry'; dueAtMs: number; error: string | undefined }
  | { kind: 'dead'; because: DeadReason; atMs: number; error: string | undefined }

const heads = 'number, bot_id, state, attempts, leases, due_at_ms, holder, accepted_at_ms, body_bytes'

/** The statements on the events' table. Whatever writes runs inside `SqliteFile.write`. */
export class EventRows {
  readonly #file: SqliteFile
  readonly #insert
  readonly #insertLargeBody

  constructor(file: SqliteFile) {
    this.#file = file
    this.#insert = file.statement(
      `INSERT INTO events (number, bot_id, flow_id, path, state, attempts, leases, due_at_ms, accepted_at_ms, replay_of,
         client_ip, content_type, user_agent, forwarded_for, request_id, body_bytes, body)
       VALUES (?1, ?2, ?3, ?4, 'ready', 0, 0, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)`,
    )
    this.#insertLargeBody = file.statement('INSERT INTO large_bodies (number, body) VALUES (?, ?)')
  }

  insert(number: number, event: NewEvent, replayOf: number | null): void {
    const { headers, body } = event
    const inline = body.length <= inlineBodyMaxBytes
    this.#insert.run(
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
    )
    if (!inline) this.#insertLargeBody.run(number, body)
  }

  /** Leases a ready event; undefined when it is not ready any more. */
  lease(number: number, holder: string): Delivery | undefined {
    const row = this.#file
      .statement(
        `UPDATE events SET state = 'leased', holder = ?, attempts = attempts + 1, leases = leases + 1
         WHERE number = ? AND state = 'ready' RETURNING *`,
      )
      .get(holder, number) as EventRow | undefined
    if (row === undefined) return undefined
    return {
      ...this.#payload(row),
      delivery: deliveryOf(row.number, row.leases),
      id: idOf(row.number),
      attempt: row.attempts,
      replayOf: row.replay_of === null ? undefined : idOf(row.replay_of),
    }
  }

  giveBack(number: number): void {
    this.#file
      .statement("UPDATE events SET state = 'ready', holder = NULL, attempts = attempts - 1 WHERE number = ?")
      .run(number)
  }

  finish(number: number, nowMs: number): void {
    this.#file
      .statement("UPDATE events SET state = 'done', holder = NULL, finished_at_ms = ? WHERE number = ?")
      .run(nowMs, number)
  }

  fail(number: number, next: NextState): void {
    if (next.kind === 'retry') {
      this.#file
        .statement("UPDATE events SET state = 'ready', holder = NULL, due_at_ms = ?, last_error = ? WHERE number = ?")
        .run(next.dueAtMs, next.error ?? null, number)
      return
    }
    this.#file
      .statement(
        `UPDATE events SET state = 'dead', holder = NULL, finished_at_ms = ?, dead_because = ?, last_error = ?
         WHERE number = ?`,
      )
      .run(next.atMs, next.because, next.error ?? null, number)
  }

  /** Gives up an event that is still waiting; false when it is not. */
  expire(number: number, nowMs: number): boolean {
    const { changes } = this.#file
      .statement(
        `UPDATE events SET state = 'dead', finished_at_ms = ?, dead_because = 'expired'
         WHERE number = ? AND state = 'ready'`,
      )
      .run(nowMs, number)
    return changes === 1
  }

  /** Removes an event that is still waiting; the size of its body, or undefined when it is not. */
  removeReady(number: number): number | undefined {
    const removed = this.#file
      .statement("DELETE FROM events WHERE number = ? AND state = 'ready' RETURNING body_bytes")
      .get(number) as Pick<EventRow, 'body_bytes'> | undefined
    if (removed !== undefined) this.#removeLargeBody(number)
    return removed?.body_bytes
  }

  /** The bot's finished events, at most that many. */
  finishedOf(botId: BotId, most: number): EventHead[] {
    const rows: unknown[] = this.#file
      .statement(`SELECT ${heads} FROM events WHERE bot_id = ? AND finished_at_ms IS NOT NULL LIMIT ?`)
      .all(botId, most)
    return rows as EventHead[]
  }

  /** Removes an event; false when it is gone already. */
  remove(number: number): boolean {
    const { changes } = this.#file.statement('DELETE FROM events WHERE number = ?').run(number)
    this.#removeLargeBody(number)
    return changes === 1
  }

  /** Counts up the row that only the health check writes. */
  probe(): void {
    this.#file
      .statement('INSERT INTO probe (only_row, probes) VALUES (1, 1) ON CONFLICT DO UPDATE SET probes = probes + 1')
      .run()
  }

  /** All events in the order accepted. */
  all(): Iterable<EventHead> {
    return this.#file
      .statement(`SELECT ${heads} FROM events ORDER BY number`)
      .iterate() as Iterable<unknown> as Iterable<EventHead>
  }

  /** The next events in the order accepted. */
  after(number: number, most: number): EventHead[] {
    const rows: unknown[] = this.#file
      .statement(`SELECT ${heads} FROM events WHERE number > ? ORDER BY number LIMIT ?`)
      .all(number, most)
    return rows as EventHead[]
  }

  finished(botId: BotId, state: 'done' | 'dead', most: number): EventSummary[] {
    const rows: unknown[] = this.#file
      .statement(
        `SELECT number, flow_id, path, state, attempts, accepted_at_ms, finished_at_ms, body_bytes, last_error,
           dead_because, replay_of
         FROM events WHERE bot_id = ? AND state = ? AND finished_at_ms IS NOT NULL
         ORDER BY finished_at_ms DESC, number DESC LIMIT ?`,
      )
      .all(botId, state, most)
    return (rows as EventRow[]).map((row) => ({
      id: idOf(row.number),
      flowId: row.flow_id as FlowId,
      path: row.path,
      state: row.state,
      attempt: row.attempts,
      acceptedAtMs: row.accepted_at_ms,
      finishedAtMs: row.finished_at_ms ?? undefined,
      bodyBytes: row.body_bytes,
      lastError: row.last_error ?? undefined,
      deadBecause: row.dead_because ?? undefined,
      replayOf: row.replay_of === null ? undefined : idOf(row.replay_of),
    }))
  }

  /** The payload of the bot's event, or undefined when it has no such event. */
  payload(botId: BotId, number: number): NewEvent | undefined {
    const row = this.#file.statement('SELECT * FROM events WHERE number = ? AND bot_id = ?').get(number, botId)
    return row === undefined ? undefined : this.#payload(row as unknown as EventRow)
  }

  #removeLargeBody(number: number): void {
    this.#file.statement('DELETE FROM large_bodies WHERE number = ?').run(number)
  }

  #payload(row: EventRow): NewEvent {
    return {
      botId: row.bot_id as BotId,
      flowId: row.flow_id as FlowId,
      path: row.path,
      headers: {
        contentType: row.content_type ?? undefined,
        userAgent: row.user_agent ?? undefined,
        forwardedFor: row.forwarded_for ?? undefined,
        requestId: row.request_id ?? undefined,
      },
      clientIp: row.client_ip,
      body: row.body ?? this.#largeBody(row.number),
      acceptedAtMs: row.accepted_at_ms,
    }
  }

  #largeBody(number: number): Uint8Array {
    const row = this.#file.statement('SELECT body FROM large_bodies WHERE number = ?').get(number)
    if (row === undefined) throw new Error(`the body of event ${idOf(number)} is missing`)
    return (row as { body: Uint8Array }).body
  }
}
