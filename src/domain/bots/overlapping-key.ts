import * as limits from '../limits/limits.ts'
import type { SecretDigest } from '../secret.ts'

/** A flow's or runtime's key, without the secret: the current one, or the previous one while both are valid. */
export interface OverlappingKey {
  /** Number of the key, unique among all flow keys or among all runtime keys. */
  number: number
  lastFour: string
  createdAtMs: number
  /** When the key was last used, up to a minute out of date. `null` if the key was never used. */
  lastUsedAtMs: number | null
  /** When the previous key expires. `null` for the current key. */
  endsAtMs: number | null
}

/** The digest of a key and its last four characters. The key itself is never stored. */
export interface StoredKey {
  digest: SecretDigest
  lastFour: string
}

/** When the previous key expires after a new key has replaced it. */
export type PreviousKeyPolicy = 'ends-in-24-hours' | 'ends-now'

/** Returns when the previous key expires, in milliseconds since the epoch. */
export function previousKeyEndsAtMs(previousKey: PreviousKeyPolicy, nowMs: number): number {
  return previousKey === 'ends-now' ? nowMs : nowMs + limits.keyOverlapMs
}

export function previousKeyForAudit(keyBefore: PreviousKeyPolicy): string {
  return keyBefore.replaceAll('-', ' ')
}

export function isLive({ endsAtMs }: Pick<OverlappingKey, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs
}
