import type { ApplicationId, UserId } from '../ids.ts'
import type { AuditEvent, NewAuditEvent, ShownEvent } from './audit-event.ts'

/** One page of a list, newest first. */
export interface AuditPage {
  /** Only events with a lower number than this. Undefined: from the newest on. */
  before: number | undefined
  atMost: number
}

/**
 * Events in the order in which they were committed. They are appended and read; nothing changes one, and
 * only retention deletes, from the oldest on. Each method is one transaction.
 */
export interface AuditStore {
  /** Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  /**
   * Calls `act`, which begins exactly one write of the same database before it returns, and appends what
   * `eventOf` makes of its outcome (undefined: nothing) in that write's transaction: both happen or neither.
   * `eventOf` is pure; it may be asked again when the transaction is run again.
   *
   * @throws what `act` throws; an Error when it began no write.
   */
  appendAlong<Outcome>(
    act: () => Promise<Outcome>,
    eventOf: (outcome: Outcome) => NewAuditEvent | undefined,
  ): Promise<Outcome>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  listOfApplication(applicationId: ApplicationId, page: AuditPage): Promise<ShownEvent[]>
  /** Events with a higher number, oldest first. Only such as would survive a loss of power. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Deletes events from before `beforeMs`, the oldest first and at most `atMost`; returns how many. */
  prune(beforeMs: number, atMost: number): Promise<number>
}
