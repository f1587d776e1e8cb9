import type { BotId, FlowId } from '../../domain/ids.ts'
import type { NewEvent } from '../../domain/webhooks/delivery-queue.ts'
import { idOf, numberOf } from '../event-number.ts'

/** An event's row, as far as the tables of unfinished and finished ones have it in common. */
export interface QueueRow {
  bot_id: BotId
  number: number
  flow_id: FlowId
  path: string
  ordered: boolean
  attempts: number
  accepted_at_ms: number
  began_at_ms: number | null
  replay_of: number | null
  replayed_as: number | null
  client_ip: string
  content_type: string | null
  user_agent: string | null
  forwarded_for: string | null
  request_id: string | null
  failures: string | null
  body_bytes: number
  body: Uint8Array
}

/** Names one attempt. The bot is part of the name, so that what is said of an attempt finds its row by the table's key. */
export interface AttemptName {
  botId: BotId
  number: number
  /** Which of the event's leases it is. */
  lease: number
}

export function deliveryOf({ botId, number, lease }: AttemptName): string {
  return `${idOf(number)}-${lease}-${botId}`
}

/** The attempt with that name; undefined for what no attempt has as its name. */
export function attemptNamed(delivery: string): AttemptName | undefined {
  const [, id = '', lease, botId] = /^([^-]+)-([0-9]{1,9})-([A-Za-z0-9_-]{1,64})$/.exec(delivery) ?? []
  const number = numberOf(id)
  return number === undefined ? undefined : { botId: botId as BotId, number, lease: Number(lease) }
}

/** What came, as it came. */
export function payloadOf(row: QueueRow): NewEvent {
  return {
    botId: row.bot_id,
    flowId: row.flow_id,
    path: row.path,
    headers: {
      contentType: row.content_type ?? undefined,
      userAgent: row.user_agent ?? undefined,
      forwardedFor: row.forwarded_for ?? undefined,
      requestId: row.request_id ?? undefined,
    },
    clientIp: row.client_ip,
    body: row.body,
    acceptedAtMs: row.accepted_at_ms,
    ordered: row.ordered,
  }
}

/** A failed attempt, as an event's row remembers it. */
export interface FailedAttempt {
  attempt: number
  beganAtMs: number
  endedAtMs: number
  error?: string | undefined
}

/** Oldest first. */
export function failuresOf({ failures }: Pick<QueueRow, 'failures'>): FailedAttempt[] {
  return failures === null ? [] : JSON.parse(failures)
}
