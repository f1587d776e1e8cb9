import type { ApplicationId, UserId } from '../ids.ts'
import type { AuditEvent, NewAuditEvent, ShownEvent } from './audit-event.ts'

/** One page of a list, newest first. */
export interface AuditPage {
  /** Only events with a lower number than this. Undefined: from the newest on. */
  before: number | undefined
  atMost: number
}

/**
 * Events in commit order. Events are appended and read, never changed. Only retention deletes them, oldest first.
 * Each method is one transaction. The event of a write in another store is appended by that write, see
 * {@link Recording}.
 */
export interface AuditStore {
  /** Resolves once the event is on disk. */
  append(event: NewAuditEvent): Promise<void>
  listOfUser(userId: UserId, page: AuditPage): Promise<ShownEvent[]>
  listOfApplication(applicationId: ApplicationId, page: AuditPage): Promise<ShownEvent[]>
  /** Events with a higher number, oldest first. Only such as would survive a loss of power. */
  listAfter(number: number, atMost: number): Promise<AuditEvent[]>
  /** Deletes events from before `beforeMs`, the oldest first and at most `atMost`; returns how many. */
  prune(beforeMs: number, atMost: number): Promise<number>
}
