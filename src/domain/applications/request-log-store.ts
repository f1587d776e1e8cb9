import type { ApplicationId } from '../ids.ts'

/** The endpoint or page on which a request failed. */
export const failurePlaces = ['consent', 'credentials', 'token', 'userinfo'] as const
export type FailurePlace = (typeof failurePlaces)[number]

/** A failed request, as shown to its application's owner. Contains no secrets, codes or tokens. */
export interface FailedRequest {
  atMs: number
  place: FailurePlace
  /** The error code sent to the application. `null` if the user saw an error page and was not redirected. */
  error: string | null
  /** Error description, always in English. */
  description: string
  /** Key of the translated description that pages show. `null` in rows stored by an earlier release. */
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
  /** The day of the requests, in days since the epoch (UTC). */
  day: number
}

/** An application's request counts and failures since the last flush. */
export interface CollectedRequests {
  applicationId: ApplicationId
  days: readonly DayOfRequests[]
  /** Failed requests, in the order in which they occurred. */
  failures: readonly FailedRequest[]
}

export interface Usage {
  /** Number of users who have given consent, explicitly or implicitly. */
  users: number
  /** Time of the latest grant or token use by any user. */
  latestAtMs: number
}

/** Stores the recent activity of applications. Each method runs in one transaction. */
export interface RequestLogStore {
  /** Adds to the stored counts and failed requests. Keeps only the newest `keep` failed requests per application. */
  add(noted: readonly CollectedRequests[], keep: number): Promise<void>
  /** Returns the application's failed requests, newest first. */
  listFailures(id: ApplicationId): Promise<FailedRequest[]>
  /**
   * Returns the application's request counts for the days with any activity, starting with the day `since`, oldest
   * first.
   */
  listDays(id: ApplicationId, since: number): Promise<DayOfRequests[]>
  /** Returns the number of failed requests per application since a day. Omits applications without failed requests. */
  errorsSince(ids: readonly ApplicationId[], day: number): Promise<ReadonlyMap<ApplicationId, number>>
  /** Returns the usage of these applications. Omits applications without any consent. */
  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>>
  /**
   * Deletes up to `limit` daily counts from before `day`, and up to `limit` failures from before `atMs`. Returns the
   * number of rows deleted.
   */
  prune(before: { day: number; atMs: number }, limit: number): Promise<number>
}
