import type { ApplicationId, UserId } from '../ids.ts'
import type { AuditEvent, NewAuditEvent, ShownEvent } from './audit-event.ts'

export interface AuditPage {
  /** Exclusive upper bound of the event number. `undefined` starts at the newest. */
  before: number | undefined
  atMost: number
}

/**
 * Events in commit order. Append-only; retention deletes the oldest. Each method is one transaction. The event of a
 * write in another store is appended by that write, see {@link Recording}.
 */
export interface AuditStore {
  /** Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  listOfApplication(applicationId: ApplicationId, page: AuditPage): Promise<ShownEvent[]>
  /** Returns events with a higher number, oldest first. Only returns events that would survive a power failure. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Deletes up to `atMost` events from before `beforeMs`, oldest first. Returns their number. */
  prune(beforeMs: number, atMost: number): Promise<number>
}
