import { createHmac } from 'node:crypto'
import type { UserId } from '../ids.ts'

/** The event types that a subscription can select. `docs/events.md` describes the data of each. */
export const eventTypes = [
  'bot.offline',
  'bot.online',
  'delivery.dead',
  'queue.nearly_full',
  'refresh_token.reused',
  'client_secret.revoked',
  'authorization.revoked',
] as const
export type EventType = (typeof eventTypes)[number]

/** Event type of test events, which are sent to one subscription regardless of the types it selects. */
export const testType = 'subscription.test'

export interface OutgoingEvent {
  /**
   * ID of the event, the same for each retry and each subscription. Events with the same ID are sent to a subscription
   * only once.
   */
  id: string
  type: EventType
  /**
   * Owner of the bot or application that the event is about. `null` if only the platform's subscriptions receive the
   * event.
   */
  ownerId: UserId | null
  atMs: number
  data: Readonly<Record<string, unknown>>
}

export function eventBody({ type, atMs, data }: { type: string; atMs: number; data: object }): Uint8Array {
  return Buffer.from(JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }))
}

/** Number of digest characters in an event ID: over 120 bits. */
const idCharacters = 22

/**
 * Returns the ID of an event about this subject. The same subject always gets the same ID, so that an event that is
 * queued again after a crash counts as a duplicate.
 *
 * @param key keeps IDs from revealing how many audit events there are.
 */
export function eventIdOf(key: Uint8Array, subject: string): string {
  return `msg_${createHmac('sha256', key).update(subject).digest('base64url').slice(0, idCharacters)}`
}
