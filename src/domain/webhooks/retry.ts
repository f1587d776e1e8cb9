import { eventAgeLimitMs, retryWaitsMs } from '../limits/limits.ts'

export const deadReasons = ['attempts-spent', 'expired', 'refused-by-runtime'] as const
export type DeadReason = (typeof deadReasons)[number]

/** Errors recorded by the service. Any other error text comes from the runtime. */
export const leaseExpiredError = 'the lease ran out'
export const runtimeDisconnectedError = 'the runtime went away'

export interface FailedAttempt {
  /** Starts at 1. */
  attempt: number
  acceptedAtMs: number
  failedAtMs: number
  /** Wait requested by the runtime. */
  retryMs?: number | undefined
  /** Whether the runtime asked for no further attempts. */
  dead?: boolean | undefined
}

export type AfterFailure = { kind: 'retry'; dueAtMs: number } | { kind: 'dead'; because: DeadReason }

/** Maximum jitter, as a share of the wait. Spreads out retries of events that failed together. */
const jitterShare = 0.2

/**
 * Decides what follows a failed attempt.
 *
 * The event is retried after the wait for its attempt number, or after the wait that the runtime asked for. It becomes
 * a dead letter if no wait is left, if it is 24 hours old, or if the runtime asked for that.
 *
 * @param chance a random number in [0, 1) for the jitter.
 */
export function afterFailure(failed: FailedAttempt, chance: number): AfterFailure {
  if (failed.dead === true) return { kind: 'dead', because: 'refused-by-runtime' }
  if (isExpired(failed.acceptedAtMs, failed.failedAtMs)) return { kind: 'dead', because: 'expired' }
  const waitMs = retryWaitsMs[failed.attempt - 1]
  if (waitMs === undefined) return { kind: 'dead', because: 'attempts-spent' }
  // Runtimes may send fractions of a millisecond. The stored time is whole, and never earlier than the runtime asked
  // for.
  const untilDueMs =
    failed.retryMs === undefined ? Math.floor(waitMs * (1 + jitterShare * chance)) : Math.ceil(failed.retryMs)
  return { kind: 'retry', dueAtMs: failed.failedAtMs + untilDueMs }
}

/** Returns whether an event is past the age limit of 24 hours, attempted or not. */
export function isExpired(acceptedAtMs: number, nowMs: number): boolean {
  return nowMs - acceptedAtMs >= eventAgeLimitMs
}
