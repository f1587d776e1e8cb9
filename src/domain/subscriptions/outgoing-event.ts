import { createHmac } from 'node:crypto'
import type { UserId } from '../ids-and-secrets.ts'

/** `docs/events.md` describes the data of each. */
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

/** Sent to one subscription regardless of the types it selects. */
export const testType = 'subscription.test'

export interface OutgoingEvent {
  /** The same for each retry and each subscription. A subscription gets an ID only once. */
  id: string
  type: EventType
  /** `null` if only the platform's subscriptions receive the event. */
  ownerId: UserId | null
  atMs: number
  data: Readonly<Record<string, unknown>>
}

export function eventBody({ type, atMs, data }: { type: string; atMs: number; data: object }): Uint8Array {
  return Buffer.from(JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }))
}

/** Over 120 bits. */
const idCharacters = 22

/**
 * Returns the same ID for the same subject, so that an event that is queued again after a crash counts as a duplicate.
 *
 * @param key keeps IDs from revealing how many audit events there are.
 */
export function eventIdOf(key: Uint8Array, subject: string): string {
  return `msg_${createHmac('sha256', key).update(subject).digest('base64url').slice(0, idCharacters)}`
}
