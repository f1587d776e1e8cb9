import { Flushes, writeInBatches } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'

export type FailurePlace = 'consent' | 'credentials' | 'token' | 'userinfo'

/** Shown to the application's owner. Contains no secrets, codes or tokens. */
export interface FailedRequest {
  atMs: number
  place: FailurePlace
  /** `null` if the user saw an error page and was not redirected. */
  error: string | null
  description: string
  /** Key of the translated description that pages show. `null` in rows stored by an earlier release. */
  reason: string | null
  parameter: string | null
  redirectUri: string | null
}

interface RequestFigures {
  grants: number
  refreshes: number
  errors: number
}

export interface DayOfRequests extends RequestFigures {
  /** Days since the epoch (UTC). */
  day: number
}

export interface CollectedRequests {
  applicationId: ApplicationId
  days: readonly DayOfRequests[]
  /** In the order in which they occurred. */
  failures: readonly FailedRequest[]
}

export interface Usage {
  /** With consent, explicit or implied. */
  users: number
  /** Latest grant or token use. */
  latestAtMs: number
}

/** Stores the recent activity of applications. Each method runs in one transaction. */
export interface RequestLogStore {
  /** Keeps only the newest `keep` failures per application and place. */
  add(noted: readonly CollectedRequests[], keep: number): Promise<void>
  listFailures(id: ApplicationId): Promise<FailedRequest[]>
  /** Starts with the day `since`, oldest first. Omits days without activity. */
  listDays(id: ApplicationId, since: number): Promise<DayOfRequests[]>
  /** Omits applications without failed requests. */
  errorsSince(ids: readonly ApplicationId[], day: number): Promise<ReadonlyMap<ApplicationId, number>>
  /** Omits applications without any consent. */
  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>>
  /** Deletes up to `limit` days and `limit` failures. Returns the number of rows deleted. */
  prune(before: { day: number; atMs: number }, limit: number): Promise<number>
}

const dayMs = 24 * 3_600_000
const applicationsPerBatch = 100

interface Pending {
  days: Map<number, RequestFigures>
  failures: FailedRequest[]
}

/**
 * Counts requests per application and records their failures for its owner. Both are flushed periodically and before an
 * owner reads them, so that no request waits for a write. A crash loses what has not been flushed.
 */
export class RequestLog {
  readonly #store: RequestLogStore
  readonly #clock: Clock
  #pending = new Map<ApplicationId, Pending>()
  readonly #flushes = new Flushes()

  constructor({ store, clock }: { store: RequestLogStore; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  count(id: ApplicationId, what: 'grants' | 'refreshes'): void {
    this.#figures(this.#pendingOf(id))[what] += 1
  }

  recordFailure(id: ApplicationId, failure: Omit<FailedRequest, 'atMs'>): void {
    const pending = this.#pendingOf(id)
    this.#figures(pending).errors += 1
    const redirectUri = failure.redirectUri?.slice(0, limits.redirectUriMaxCharacters) ?? null
    pending.failures.push({ ...failure, redirectUri, atMs: this.#clock.nowMs() })
    keepNewest(pending.failures, failure.place)
  }

  async failures(id: ApplicationId): Promise<FailedRequest[]> {
    await this.flush()
    return this.#store.listFailures(id)
  }

  /** Returns the most recent days including today, oldest first. Includes days without activity. */
  async days(id: ApplicationId): Promise<DayOfRequests[]> {
    await this.flush()
    const first = this.#today() - limits.requestDaysKept + 1
    const stored = new Map((await this.#store.listDays(id, first)).map((day) => [day.day, day]))
    return Array.from({ length: limits.requestDaysKept }, (_, index) => {
      const day = first + index
      return stored.get(day) ?? { day, grants: 0, refreshes: 0, errors: 0 }
    })
  }

  /** The last 7 days include today. */
  async errorsInAWeek(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, number>> {
    await this.flush()
    return this.#store.errorsSince(ids, this.#today() - 6)
  }

  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>> {
    return this.#store.usage(ids)
  }

  /** Stores the collected entries. Entries that can't be stored are kept for the next flush. */
  flush(): Promise<void> {
    return this.#flushes.run(() => this.#storePending())
  }

  async #storePending(): Promise<void> {
    const taken = [...this.#pending]
    this.#pending = new Map()
    await writeInBatches(
      taken,
      applicationsPerBatch,
      (batch) => this.#store.add(batch.map(toRows), limits.failedRequestsKept),
      (unwritten) => {
        for (const [id, pending] of unwritten) this.#putBack(id, pending)
      },
    )
  }

  prune(limit: number): Promise<number> {
    const day = this.#today() - limits.requestDaysKept + 1
    return this.#store.prune({ day, atMs: day * dayMs }, limit)
  }

  #pendingOf(id: ApplicationId): Pending {
    return this.#pending.getOrInsertComputed(id, () => ({ days: new Map(), failures: [] }))
  }

  #figures({ days }: Pending, day = this.#today()): RequestFigures {
    return days.getOrInsertComputed(day, () => ({ grants: 0, refreshes: 0, errors: 0 }))
  }

  #putBack(id: ApplicationId, { days, failures }: Pending): void {
    const pending = this.#pendingOf(id)
    pending.failures = [...failures, ...pending.failures]
    for (const { place } of failures) keepNewest(pending.failures, place)
    for (const [day, { grants, refreshes, errors }] of days) {
      const figures = this.#figures(pending, day)
      figures.grants += grants
      figures.refreshes += refreshes
      figures.errors += errors
    }
  }

  #today(): number {
    return Math.floor(this.#clock.nowMs() / dayMs)
  }
}

function keepNewest(failures: FailedRequest[], place: FailurePlace): void {
  if (failures.length <= limits.failedRequestsKept) return
  const ofPlace = failures.filter((failure) => failure.place === place)
  if (ofPlace.length > limits.failedRequestsKept) failures.splice(failures.indexOf(ofPlace[0] as FailedRequest), 1)
}

export interface FailureGroup {
  latest: FailedRequest
  count: number
  firstAtMs: number
  /** Rejected redirect URIs, the last one sent first. */
  redirectUris: readonly SentRedirectUri[]
}

interface SentRedirectUri {
  redirectUri: string
  count: number
}

/**
 * Groups failed requests that got the same response at the same endpoint. `failures` and the groups are newest first.
 */
export function groupFailures(failures: readonly FailedRequest[]): FailureGroup[] {
  return [...Map.groupBy(failures, causeOf).values()].map((group) => ({
    latest: group[0] as FailedRequest,
    count: group.length,
    firstAtMs: (group.at(-1) as FailedRequest).atMs,
    redirectUris: sentUris(group),
  }))
}

function toRows([applicationId, { days, failures }]: [ApplicationId, Pending]): CollectedRequests {
  return { applicationId, failures, days: [...days].map(([day, figures]) => ({ day, ...figures })) }
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
