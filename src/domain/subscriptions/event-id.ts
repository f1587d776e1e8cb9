import { createHmac } from 'node:crypto'

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
