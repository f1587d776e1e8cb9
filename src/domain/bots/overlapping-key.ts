import { keyOverlapMs } from '../limits/limits.ts'
import type { SecretDigest } from '../secret.ts'

/** A key of a flow or runtime, without its secret: the current one, or the previous one while both are valid. */
export interface OverlappingKey {
  /** Unique among all flow keys, or among all runtime keys. */
  number: number
  lastFour: string
  createdAtMs: number
  /** Up to a minute old. `null` if the key was never used. */
  lastUsedAtMs: number | null
  /** `null` for the current key. The previous key is valid until this time. */
  endsAtMs: number | null
}

/** The stored form of a key. */
export interface StoredKey {
  digest: SecretDigest
  lastFour: string
}

/** When to end the current key after creating a new one. */
export type PreviousKeyPolicy = 'ends-in-24-hours' | 'ends-now'

/** Returns when the previous key ends, in milliseconds since the epoch. */
export function previousKeyEndsAtMs(previousKey: PreviousKeyPolicy, nowMs: number): number {
  return previousKey === 'ends-now' ? nowMs : nowMs + keyOverlapMs
}

export function previousKeyForAudit(keyBefore: PreviousKeyPolicy): string {
  return keyBefore.replaceAll('-', ' ')
}

export function isLive({ endsAtMs }: Pick<OverlappingKey, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs
}
