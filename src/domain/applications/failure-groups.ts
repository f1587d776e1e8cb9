import type { FailedRequest } from './request-log-store.ts'

/** Failed requests with the same cause. */
export interface FailureGroup {
  /** The newest request in the group. */
  latest: FailedRequest
  count: number
  /** Time of the oldest request in the group. */
  firstAtMs: number
  /** The rejected redirect URIs, the last one sent first. Empty if the requests failed for another reason. */
  redirectUris: readonly SentRedirectUri[]
}

interface SentRedirectUri {
  redirectUri: string
  count: number
}

/**
 * Groups failed requests that got the same response at the same endpoint.
 *
 * @param failures newest first.
 * @returns the groups, the one with the newest request first.
 */
export function groupFailures(failures: readonly FailedRequest[]): FailureGroup[] {
  return [...Map.groupBy(failures, causeOf).values()].map((group) => ({
    latest: group[0] as FailedRequest,
    count: group.length,
    firstAtMs: (group.at(-1) as FailedRequest).atMs,
    redirectUris: sentUris(group),
  }))
}

function causeOf({ place, error, description, reason, parameter }: FailedRequest): string {
  return JSON.stringify([place, error, description, reason, parameter])
}

function sentUris(failures: readonly FailedRequest[]): SentRedirectUri[] {
  const counts = new Map<string, number>()
  for (const { redirectUri } of failures) {
    if (redirectUri !== null) counts.set(redirectUri, (counts.get(redirectUri) ?? 0) + 1)
  }
  return [...counts].map(([redirectUri, count]) => ({ redirectUri, count }))
}
