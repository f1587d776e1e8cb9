import type { ApplicationId } from '../ids.ts'

/** Endpoint or page where a request failed. */
export const failurePlaces = ['consent', 'credentials', 'token', 'userinfo'] as const
export type FailurePlace = (typeof failurePlaces)[number]

/** A failed request, as reported to its application. Has no secret, code or token. */
export interface FailedRequest {
  atMs: number
  place: FailurePlace
  /** The error code in the response. `null` if a page was shown instead of a redirect. */
  error: string | null
  /** In English, like all texts for programs. */
  description: string
  /** Key of the translated description on pages. `null` in rows stored by an earlier release. */
  reason: string | null
  parameter: string | null
  redirectUri: string | null
}

export interface RequestFigures {
  grants: number
  refreshes: number
  errors: number
}

export interface DayOfRequests extends RequestFigures {
  /** Days since the epoch, in UTC. */
  day: number
}

/** Figures and failures of one application since the last flush. */
export interface CollectedRequests {
  applicationId: ApplicationId
  days: readonly DayOfRequests[]
  /** In order of arrival. */
  failures: readonly FailedRequest[]
}

export interface Usage {
  /** Number of users with a consent, given or implied. */
  users: number
  /** Time of the latest grant or token use of any user. */
  latestAtMs: number
}

/** Recent activity of applications. Each method is one transaction. */
export interface RequestLogStore {
  /** Adds to the stored figures and failures. Keeps only the newest `keep` failures of each application. */
  add(noted: readonly CollectedRequests[], keep: number): Promise<void>
  /** Returns the failures, newest first. */
  listFailures(id: ApplicationId): Promise<FailedRequest[]>
  /** Returns the days from `since` on that have any activity, oldest first. */
  listDays(id: ApplicationId, since: number): Promise<DayOfRequests[]>
  /** Returns the usage of each of these applications. Omits applications without a consent. */
  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>>
  /** Deletes up to `limit` days before `day` and up to `limit` failures before `atMs`. Returns their number. */
  prune(before: { day: number; atMs: number }, limit: number): Promise<number>
}
