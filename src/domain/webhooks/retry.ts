import { eventAgeLimitMs, retryWaitsMs } from '../limits/limits.ts'

/** Why an event became a dead letter. */
export const deadReasons = ['attempts-spent', 'expired', 'refused-by-runtime'] as const
export type DeadReason = (typeof deadReasons)[number]

/** Attempt errors that the service itself records. Any other text comes from the runtime. */
export const leaseRanOut = 'the lease ran out'
export const runtimeGone = 'the runtime went away'

export interface FailedAttempt {
  /** 1 for the first. */
  attempt: number
  acceptedAtMs: number
  failedAtMs: number
  /** The runtime's own wish. */
  retryMs?: number | undefined
  /** The runtime says that trying again is of no use. */
  dead?: boolean | undefined
}

export type AfterFailure = { kind: 'retry'; dueAtMs: number } | { kind: 'dead'; because: DeadReason }

/** Most of what jitter adds to a wait: events that failed together do not come back together. */
const jitterShare = 0.2

/**
 * What follows a failed attempt: another one after the wait of its number (or the runtime's own), or a dead letter
 * when the waits are used up, the event is 24 hours old, or the runtime says so.
 *
 * @param chance from 0 up to 1, stretches the wait by up to a fifth.
 */
export function afterFailure(failed: FailedAttempt, chance: number): AfterFailure {
  if (failed.dead === true) return { kind: 'dead', because: 'refused-by-runtime' }
  if (isExpired(failed.acceptedAtMs, failed.failedAtMs)) return { kind: 'dead', because: 'expired' }
  const waitMs = retryWaitsMs[failed.attempt - 1]
  if (waitMs === undefined) return { kind: 'dead', because: 'attempts-spent' }
  // Runtimes reckon in fractions of a millisecond too; what is kept is whole, and never sooner than they asked.
  const untilDueMs =
    failed.retryMs === undefined ? Math.floor(waitMs * (1 + jitterShare * chance)) : Math.ceil(failed.retryMs)
  return { kind: 'retry', dueAtMs: failed.failedAtMs + untilDueMs }
}

/** An event is given up 24 hours after it was accepted, whether tried or not. */
export function isExpired(acceptedAtMs: number, nowMs: number): boolean {
  return nowMs - acceptedAtMs >= eventAgeLimitMs
}
