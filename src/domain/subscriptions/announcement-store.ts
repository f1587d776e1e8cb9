import type { GatewaySnapshot } from '../bots/status/gateway-snapshot.ts'
import type { BotId, UserId } from '../ids.ts'

/** The subject of an announcement about a bot: whether it is online, or whether its queue is nearly full. */
export type AnnouncedSubject = 'connection' | 'queue'

export interface Announcement {
  botId: BotId
  subject: AnnouncedSubject
  /** The state announced before. `undefined` if no state was announced. */
  previous: string | undefined
  state: string
  sinceMs: number
}

/** A bot whose state is compared with the last announcement. */
export interface WatchedBot {
  id: BotId
  ownerId: UserId
  name: string
  hostingEnabled: boolean
  snapshot: GatewaySnapshot | undefined
  /** The connection state last announced. `undefined` if no state was announced. */
  announced: { state: string; sinceMs: number } | undefined
}

/** Stores the last announcements, and how far the audit log was read. Each method is one transaction. */
export interface AnnouncementStore {
  /**
   * Returns bots that aren't deleted, ordered by ID, starting after the given one.
   *
   * @param everyone whether to return all bots, or only the bots of owners with an active subscription.
   */
  watchedBots(everyone: boolean, after: BotId | undefined, most: number): Promise<WatchedBot[]>
  /**
   * Stores each announcement whose previous state is still the stored one. A change of connection is also added to the
   * bot's status changes.
   */
  announce(announcements: readonly Announcement[]): Promise<void>
  /** Returns the bots with an announcement on the subject. */
  announcedOf(subject: AnnouncedSubject): Promise<BotId[]>
  withdraw(subject: AnnouncedSubject, botIds: readonly BotId[]): Promise<void>
  /**
   * Deletes up to `most` announcements: those about deleted bots, and those about queues that no active subscription
   * covers.
   */
  prune(most: number): Promise<number>
  /** Returns the number of the last audit event that was read, or `undefined` if the audit log need not be read. */
  auditReadTo(): Promise<number | undefined>
  setAuditReadTo(number: number): Promise<void>
  /** Stops reading the audit log if no subscription is active. */
  stopAuditReader(): Promise<void>
}
