import type { BotId } from '../../../domain/ids.ts'
import { idOf, numberOf } from '../../queue/event-number.ts'
import type { PayloadColumns } from '../../queue/event-payload.ts'
import type { RecordedFailure, SummaryColumns } from '../../queue/event-record.ts'

/** The columns shared by the tables of finished and unfinished events. */
export interface QueueRow
  extends PayloadColumns,
    Pick<SummaryColumns, 'number' | 'attempts' | 'replay_of' | 'replayed_as' | 'body_bytes'> {
  ordered: number
  began_at_ms: number | null
  failures: string | null
  body: Uint8Array
}

/** Identifies one attempt. Includes the bot ID, so that a reported event's row can be found by primary key. */
export interface AttemptName {
  botId: BotId
  number: number
  /** 1-based position among the event's leases, including released ones. */
  lease: number
}

export function deliveryOf({ botId, number, lease }: AttemptName): string {
  return `${idOf(number)}-${lease}-${botId}`
}

export function attemptNamed(delivery: string): AttemptName | undefined {
  const [, id = '', lease, botId] = /^([^-]+)-([0-9]{1,9})-([A-Za-z0-9_:-]{1,80})$/.exec(delivery) ?? []
  const number = numberOf(id)
  return number === undefined ? undefined : { botId: botId as BotId, number, lease: Number(lease) }
}

/** Returns the row's failed attempts, oldest first. */
export function failuresOf({ failures }: Pick<QueueRow, 'failures'>): RecordedFailure[] {
  return failures === null ? [] : JSON.parse(failures)
}
