import { writeInBatches } from '../attempt.ts'
import type { Clock } from '../clock.ts'
import type { ApplicationId } from '../ids.ts'
import { failedRequestsKept, redirectUriMaxCharacters, requestDaysKept } from '../limits/limits.ts'
import type {
  CollectedRequests,
  DayOfRequests,
  FailedRequest,
  RequestFigures,
  RequestLogStore,
  Usage,
} from './request-log-store.ts'

const dayMs = 24 * 3_600_000
const applicationsPerBatch = 100

interface Pending {
  days: Map<number, RequestFigures>
  failures: FailedRequest[]
}

/**
 * Counts requests per application and records their failures for the application's owner.
 *
 * Counts and failures are collected in memory, so that no request waits for a write. They are flushed periodically, and
 * before an owner reads the log. A crash loses whatever has not been flushed.
 */
export class RequestLog {
  readonly #store: RequestLogStore
  readonly #clock: Clock
  #pending = new Map<ApplicationId, Pending>()
  #flushed: Promise<void> = Promise.resolve()

  constructor({ store, clock }: { store: RequestLogStore; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  countGrant(id: ApplicationId): void {
    this.#figures(this.#pendingOf(id)).grants += 1
  }

  countRefresh(id: ApplicationId): void {
    this.#figures(this.#pendingOf(id)).refreshes += 1
  }

  recordFailure(id: ApplicationId, failure: Omit<FailedRequest, 'atMs'>): void {
    const pending = this.#pendingOf(id)
    this.#figures(pending).errors += 1
    const redirectUri = failure.redirectUri?.slice(0, redirectUriMaxCharacters) ?? null
    pending.failures.push({ ...failure, redirectUri, atMs: this.#clock.nowMs() })
    if (pending.failures.length > failedRequestsKept) pending.failures.shift()
  }

  async failures(id: ApplicationId): Promise<FailedRequest[]> {
    await this.flush()
    return this.#store.listFailures(id)
  }

  /**
   * Returns the request counts of the most recent days including today, oldest first. Includes days without activity.
   */
  async days(id: ApplicationId): Promise<DayOfRequests[]> {
    await this.flush()
    const first = this.#today() - requestDaysKept + 1
    const stored = new Map((await this.#store.listDays(id, first)).map((day) => [day.day, day]))
    return Array.from({ length: requestDaysKept }, (_, index) => {
      const day = first + index
      return stored.get(day) ?? { day, grants: 0, refreshes: 0, errors: 0 }
    })
  }

  /**
   * Returns the number of failed requests per application in the last 7 days including today. Omits applications
   * without failed requests.
   */
  async errorsInAWeek(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, number>> {
    await this.flush()
    return this.#store.errorsSince(ids, this.#today() - 6)
  }

  usage(ids: readonly ApplicationId[]): Promise<ReadonlyMap<ApplicationId, Usage>> {
    return this.#store.usage(ids)
  }

  /** Stores the collected entries. Entries that can't be stored are kept for the next flush. */
  flush(): Promise<void> {
    // Flushes run one at a time, so that a read after a flush also sees what earlier flushes stored.
    const flushed = this.#flushed.then(() => this.#storePending())
    this.#flushed = flushed.catch(() => {})
    return flushed
  }

  async #storePending(): Promise<void> {
    const taken = [...this.#pending]
    this.#pending = new Map()
    await writeInBatches(
      taken,
      applicationsPerBatch,
      (batch) => this.#store.add(batch.map(toRows), failedRequestsKept),
      (unwritten) => {
        for (const [id, pending] of unwritten) this.#putBack(id, pending)
      },
    )
  }

  prune(limit: number): Promise<number> {
    const day = this.#today() - requestDaysKept + 1
    return this.#store.prune({ day, atMs: day * dayMs }, limit)
  }

  #pendingOf(id: ApplicationId): Pending {
    let pending = this.#pending.get(id)
    if (pending === undefined) {
      pending = { days: new Map(), failures: [] }
      this.#pending.set(id, pending)
    }
    return pending
  }

  #figures({ days }: Pending, day = this.#today()): RequestFigures {
    let figures = days.get(day)
    if (figures === undefined) {
      figures = { grants: 0, refreshes: 0, errors: 0 }
      days.set(day, figures)
    }
    return figures
  }

  #putBack(id: ApplicationId, { days, failures }: Pending): void {
    const pending = this.#pendingOf(id)
    pending.failures = [...failures, ...pending.failures].slice(-failedRequestsKept)
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

function toRows([applicationId, { days, failures }]: [ApplicationId, Pending]): CollectedRequests {
  return { applicationId, failures, days: [...days].map(([day, figures]) => ({ day, ...figures })) }
}
