import type { SecretDigest } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'

/** A flow's or runtime's key, without the secret: the current one, or the previous one while both are valid. */
export interface OverlappingKey {
  /** Unique among all flow keys or among all runtime keys. */
  number: number
  lastFour: string
  createdAtMs: number
  /** Up to a minute out of date. `null` if the key was never used. */
  lastUsedAtMs: number | null
  /** `null` for the current key. */
  endsAtMs: number | null
}

export interface StoredKey {
  digest: SecretDigest
  lastFour: string
}

export type PreviousKeyPolicy = 'ends-in-24-hours' | 'ends-now'

export function previousKeyEndsAtMs(previousKey: PreviousKeyPolicy, nowMs: number): number {
  return previousKey === 'ends-now' ? nowMs : nowMs + limits.keyOverlapMs
}

export function previousKeyForAudit(keyBefore: PreviousKeyPolicy): string {
  return keyBefore.replaceAll('-', ' ')
}

export function isLive({ endsAtMs }: Pick<OverlappingKey, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs
}
