import type { BotId } from '../../../domain/ids.ts'
import { idOf, numberOf } from '../../queue/event-number.ts'
import type { PayloadColumns } from '../../queue/event-payload.ts'
import type { RecordedFailure, SummaryColumns } from '../../queue/event-record.ts'

/** An event's row, as far as the tables of unfinished and finished ones have it in common. */
export interface QueueRow
  extends PayloadColumns,
    Pick<SummaryColumns, 'number' | 'attempts' | 'replay_of' | 'replayed_as' | 'body_bytes'> {
  ordered: number
  began_at_ms: number | null
  failures: string | null
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

/** Oldest first. */
export function failuresOf({ failures }: Pick<QueueRow, 'failures'>): RecordedFailure[] {
  return failures === null ? [] : JSON.parse(failures)
}
