import type { FailedRequest } from './request-log-store.ts'

/** Failed requests with the same cause. */
export interface FailureGroup {
  /** The newest request in the group. */
  latest: FailedRequest
  count: number
  /** Time of the oldest request in the group. */
  firstAtMs: number
}

/**
 * Groups failed requests that got the same response at the same endpoint and, if the redirect URI was rejected, sent
 * the same URI.
 *
 * @param failures newest first.
 * @returns the groups, the one with the newest request first.
 */
export function groupFailures(failures: readonly FailedRequest[]): FailureGroup[] {
  return [...Map.groupBy(failures, causeOf).values()].map((group) => ({
    latest: group[0] as FailedRequest,
    count: group.length,
    firstAtMs: (group.at(-1) as FailedRequest).atMs,
  }))
}

function causeOf({ atMs, ...cause }: FailedRequest): string {
  const { place, error, description, reason, parameter, redirectUri } = cause
  return JSON.stringify([place, error, description, reason, parameter, redirectUri])
}
