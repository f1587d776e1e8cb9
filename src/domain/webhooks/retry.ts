import * as limits from '../limits/limits.ts'

export const deadReasons = ['attempts-spent', 'expired', 'refused-by-runtime'] as const
export type DeadReason = (typeof deadReasons)[number]

/** Any other error text comes from the runtime. */
export const leaseExpiredError = 'the lease ran out'
export const runtimeDisconnectedError = 'the runtime went away'

export interface FailedAttempt {
  attempt: number
  acceptedAtMs: number
  failedAtMs: number
  /** Delay requested by the runtime. */
  retryMs?: number | undefined
  dead?: boolean | undefined
}

export type AfterFailure = { kind: 'retry'; dueAtMs: number } | { kind: 'dead'; because: DeadReason }

/** Maximum, as a fraction of the delay. Spreads out the retries of events that failed at the same time. */
const jitterShare = 0.2

/** Retries after this attempt's delay, or the one that the runtime requested. `chance`, in [0, 1), sets the jitter. */
export function afterFailure(failed: FailedAttempt, chance: number): AfterFailure {
  if (failed.dead === true) return { kind: 'dead', because: 'refused-by-runtime' }
  if (isExpired(failed.acceptedAtMs, failed.failedAtMs)) return { kind: 'dead', because: 'expired' }
  const waitMs = limits.retryWaitsMs[failed.attempt - 1]
  if (waitMs === undefined) return { kind: 'dead', because: 'attempts-spent' }
  // Runtimes may send fractional milliseconds: the stored time is a whole number, and never earlier than requested.
  const untilDueMs =
    failed.retryMs === undefined ? Math.floor(waitMs * (1 + jitterShare * chance)) : Math.ceil(failed.retryMs)
  return { kind: 'retry', dueAtMs: failed.failedAtMs + untilDueMs }
}

/** Whether or not delivery was ever attempted. */
export function isExpired(acceptedAtMs: number, nowMs: number): boolean {
  return nowMs - acceptedAtMs >= limits.eventAgeLimitMs
}
