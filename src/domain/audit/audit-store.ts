import type { ApplicationId, UserId } from '../ids.ts'
import type { AuditEvent, NewAuditEvent, ShownEvent } from './audit-event.ts'

export interface AuditPage {
  /** Exclusive upper bound for event numbers. `undefined` starts at the newest event. */
  before: number | undefined
  atMost: number
}

/**
 * Stores audit events in commit order. Append-only, except that retention deletes the oldest events. Each method runs
 * in one transaction. Other stores append the events for their own writes, in the same transaction; see
 * {@link Recording}.
 */
export interface AuditStore {
  /** Appends the event. Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  listOfApplication(applicationId: ApplicationId, page: AuditPage): Promise<ShownEvent[]>
  /** Returns events with a higher number, oldest first. Omits events that a power failure could still undo. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Deletes up to `atMost` events older than `beforeMs`, oldest first. Returns the number deleted. */
  prune(beforeMs: number, atMost: number): Promise<number>
}
