import { keyOverlapMs } from '../limits/limits.ts'
import type { SecretDigest } from '../secret.ts'

/** What is told of one of the keys of a flow, or of a runtime: the current one, or for a while the one before it. */
export interface OverlappingKey {
  /** Names it; no other key of any flow, or of any runtime, has it. */
  number: number
  lastFour: string
  madeAtMs: number
  /** Up to a minute old. Null: never. */
  lastUsedAtMs: number | null
  /** Null for the current key. The one before it works until then. */
  endsAtMs: number | null
}

/** What is kept of a key to know it again. */
export interface StoredKey {
  digest: SecretDigest
  lastFour: string
}

/** What becomes of the current key when a new one is made. */
export type KeyBefore = 'ends-in-24-hours' | 'ends-now'

/** When the key before ends, in milliseconds since the epoch. */
export function endOfKeyBefore(keyBefore: KeyBefore, nowMs: number): number {
  return keyBefore === 'ends-now' ? nowMs : nowMs + keyOverlapMs
}

/** As the audit records it. */
export function keyBeforeInWords(keyBefore: KeyBefore): string {
  return keyBefore.replaceAll('-', ' ')
}

export function isLive({ endsAtMs }: Pick<OverlappingKey, 'endsAtMs'>, nowMs: number): boolean {
  return endsAtMs === null || endsAtMs > nowMs
}
