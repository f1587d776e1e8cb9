import * as limits from '../limits/limits.ts'

export const deadReasons = ['attempts-spent', 'expired', 'refused-by-runtime'] as const
export type DeadReason = (typeof deadReasons)[number]

/** Error texts recorded by the service. Any other error text comes from the runtime. */
export const leaseExpiredError = 'the lease ran out'
export const runtimeDisconnectedError = 'the runtime went away'

export interface FailedAttempt {
  /** Number of the failed attempt, starting at 1. */
  attempt: number
  acceptedAtMs: number
  failedAtMs: number
  /** Delay requested by the runtime, in milliseconds. */
  retryMs?: number | undefined
  /** Whether the runtime requested no further attempts. */
  dead?: boolean | undefined
}

export type AfterFailure = { kind: 'retry'; dueAtMs: number } | { kind: 'dead'; because: DeadReason }

/** Maximum jitter, as a fraction of the delay. Spreads out the retries of events that failed at the same time. */
const jitterShare = 0.2

/**
 * Decides what happens after a failed attempt.
 *
 * The event is retried after the delay for its attempt number, or after the delay that the runtime requested. It
 * becomes a dead letter if no delays are left, if it is 24 hours old, or if the runtime requests no further attempts.
 *
 * @param chance a random number in [0, 1) for the jitter.
 */
export function afterFailure(failed: FailedAttempt, chance: number): AfterFailure {
  if (failed.dead === true) return { kind: 'dead', because: 'refused-by-runtime' }
  if (isExpired(failed.acceptedAtMs, failed.failedAtMs)) return { kind: 'dead', because: 'expired' }
  const waitMs = limits.retryWaitsMs[failed.attempt - 1]
  if (waitMs === undefined) return { kind: 'dead', because: 'attempts-spent' }
  // Rounds up, because runtimes may send fractional milliseconds: the stored time is a whole number, and never earlier
  // than the runtime requested.
  const untilDueMs =
    failed.retryMs === undefined ? Math.floor(waitMs * (1 + jitterShare * chance)) : Math.ceil(failed.retryMs)
  return { kind: 'retry', dueAtMs: failed.failedAtMs + untilDueMs }
}

/** Returns whether an event has reached the age limit of 24 hours, whether or not delivery was ever attempted. */
export function isExpired(acceptedAtMs: number, nowMs: number): boolean {
  return nowMs - acceptedAtMs >= limits.eventAgeLimitMs
}
