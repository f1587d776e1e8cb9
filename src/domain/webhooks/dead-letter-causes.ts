import { hash } from 'node:crypto'
import type { DeadReason } from './retry.ts'

/** Dead letters with the same last error or, without one, with the same reason. */
export interface DeadLetterCause {
  error: string | undefined
  /** `undefined` if they have a last error. */
  because: DeadReason | undefined
  events: number
  unreplayed: number
  lastAtMs: number
}

/** The most frequent first. `more` is true if there may be more dead letters. */
export interface DeadLetterCauses {
  causes: DeadLetterCause[]
  more: boolean
}

/** Format of a cause's name in URLs. */
export const causePattern = /^[0-9a-f]{16}$/

/** Names a cause in URLs, which are too short for errors. */
export function causeName({ error, because }: Pick<DeadLetterCause, 'error' | 'because'>): string {
  return hash('sha256', JSON.stringify(error === undefined ? { because } : { error })).slice(0, 16)
}

export function hasCause(
  event: { state: string; lastError: string | undefined; deadBecause: DeadReason | undefined },
  cause: string,
): boolean {
  const { state, lastError: error, deadBecause: because } = event
  return state === 'dead' && causeName({ error, because }) === cause
}

export function mostFrequentFirst(causes: readonly DeadLetterCause[]): DeadLetterCause[] {
  return causes.toSorted((one, other) => other.events - one.events || other.lastAtMs - one.lastAtMs)
}
