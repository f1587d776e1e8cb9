import type { ApplicationId } from '../ids.ts'

/** Where a request of an application failed. */
export const failurePlaces = ['consent', 'credentials', 'token', 'userinfo'] as const
export type FailurePlace = (typeof failurePlaces)[number]

/** One failed request, as its application was told of it. No secret, code or token is in it. */
export interface FailedRequest {
  atMs: number
  place: FailurePlace
  /** The error code that was answered; null where a page was shown in place of a redirect. */
  error: string | null
  /** In English, as everything that programs are told. */
  description: string
  /** Key of the translated description on pages. Null in rows that an earlier release stored. */
  reason: string | null
  /** The parameter at fault, if the reason concerns one. */
  parameter: string | null
  /** The redirect URI that was sent, when it is what is wrong. */
  redirectUri: string | null
}

export interface RequestFigures {
  /** Codes issued. */
  grants: number
  refreshes: number
  errors: number
}

export interface DayOfRequests extends RequestFigures {
  /** Days since the epoch, in UTC. */
  day: number
}

/** What was noted of one application since the last time. */
export interface NotedRequests {
  applicationId: ApplicationId
  days: readonly DayOfRequests[]
  /** In the order they came. */
  failures: readonly FailedRequest[]
}

/** Usage of an application. */
export interface Usage {
  /** Number of users with a consent, given or implied. */
  users: number
  /** Time of the latest grant or token use of any user. */
  latestAtMs: number
}

/** What applications did of late. Each method is one transaction. */
export interface RequestLogStore {
  /** Adds the figures to what is stored, and the failures, of which the newest `keep` of each application are kept. */
  add(noted: readonly NotedRequests[], keep: number): Promise<void>
  /** The newest first. */
  listFailures(id: ApplicationId): Promise<FailedRequest[]>
  /** The days since `since` on which something happened, the oldest first. */
  listDays(id: ApplicationId, since: number): Promise<DayOfRequests[]>
  /** Returns the usage of each of these applications. Omits applications without a consent. */
  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>>
  /** Deletes days before `day` and failures before `atMs`, at most `limit` of each; returns how many. */
  prune(before: { day: number; atMs: number }, limit: number): Promise<number>
}
