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
  /** By which pages say the description in their reader's language; null: stored by an earlier release. */
  reason: string | null
  /** The parameter at fault, where the reason is about one. */
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

/** Who uses an application. */
export interface Usage {
  /** How many have allowed it something. */
  users: number
  /** When somebody last allowed it something, or a token was last used. */
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
  /** How each of these is used; those that nobody has allowed anything are left out. */
  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>>
  /** Deletes days before `day` and failures before `atMs`, at most `limit` of each; returns how many. */
  prune(before: { day: number; atMs: number }, limit: number): Promise<number>
}
