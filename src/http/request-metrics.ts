import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import * as limits from '../domain/limits/limits.ts'

const lowestStatus = 100
const statuses = 500

class RouteCounts {
  readonly #byStatus = new Uint32Array(statuses)
  readonly #onUnavailable: () => void

  constructor(onUnavailable: () => void) {
    this.#onUnavailable = onUnavailable
  }

  note(status: number): void {
    if (status === 503) this.#onUnavailable()
    this.#byStatus[status - lowestStatus] = (this.#byStatus[status - lowestStatus] ?? 0) + 1
  }

  all(): { status: number; count: number }[] {
    return [...this.#byStatus].flatMap((count, at) => (count === 0 ? [] : [{ status: at + lowestStatus, count }]))
  }
}

/** Number of responses from one surface, by route and status, for metrics. */
export class ResponseCounts {
  readonly #byRoute = new Map<string, RouteCounts>()
  readonly #onUnavailable: () => void

  constructor(onUnavailable: () => void = () => {}) {
    this.#onUnavailable = onUnavailable
  }

  /** @param route the route's pattern. Never the requested path, because a label must have few distinct values. */
  route(route: string): RouteCounts {
    let counts = this.#byRoute.get(route)
    if (counts === undefined) {
      counts = new RouteCounts(this.#onUnavailable)
      this.#byRoute.set(route, counts)
    }
    return counts
  }

  all(): { route: string; status: number; count: number }[] {
    return [...this.#byRoute].flatMap(([route, counts]) => counts.all().map((each) => ({ route, ...each })))
  }
}

/** Each label must have few distinct values. */
type Labels = Readonly<Record<string, string>>

interface Repeated {
  fields: object
  /** Number of rejections with these fields since the last log line about them. */
  count: number
}

/**
 * Counts rejected requests for metrics, and logs them in a way that keeps the log readable during a flood.
 *
 * A subject's first rejection is logged immediately. Later ones are combined into one line with their count per
 * {@link refusalsLoggedEveryMs}. Subjects beyond {@link refusalSubjectsLoggedMax} share one such line per cause. The
 * debug level logs each rejection.
 */
export class Refusals {
  readonly #log: FastifyBaseLogger
  readonly #clock: Clock
  readonly #message: string
  readonly #counts = new Map<string, { labels: Labels; count: number }>()
  readonly #repeated = new Map<string, Repeated>()
  #subjects = 0
  #stop: (() => void) | undefined

  /** @param parts.message names the event, such as `webhook rejected`. */
  constructor(parts: { log: FastifyBaseLogger; clock: Clock; message: string }) {
    this.#log = parts.log
    this.#clock = parts.clock
    this.#message = parts.message
  }

  /**
   * @param labels the cause, and other labels with few distinct values.
   * @param subject the request's sender or target. It is logged, so it must not contain secrets.
   * @param more details that are logged only if the request gets its own line.
   */
  note(labels: Labels, subject: object, more: object = {}): void {
    this.#count(labels)
    const fields = { ...labels, ...subject }
    const known = this.#repeated.get(JSON.stringify(fields))
    if (known !== undefined) {
      known.count += 1
      this.#log.debug({ ...more, ...fields }, this.#message)
      return
    }
    this.#stop ??= this.#clock.every(limits.refusalsLoggedEveryMs, () => this.#summarize())
    if (this.#subjects === limits.refusalSubjectsLoggedMax) {
      this.#noteTogether({ ...labels, subjects: 'many' })
      this.#log.debug({ ...more, ...fields }, this.#message)
      return
    }
    this.#subjects += 1
    this.#repeated.set(JSON.stringify(fields), { fields, count: 0 })
    this.#log.info({ ...more, ...fields }, this.#message)
  }

  get counts(): Iterable<{ labels: Labels; count: number }> {
    return this.#counts.values()
  }

  /** Logs the rejections that have been counted but not logged yet, and stops the timer. */
  close(): void {
    this.#summarize()
    this.#stop?.()
    this.#stop = undefined
  }

  #count(labels: Labels): void {
    const key = Object.values(labels).join(' ')
    const counted = this.#counts.get(key)
    if (counted === undefined) this.#counts.set(key, { labels, count: 1 })
    else counted.count += 1
  }

  #noteTogether(fields: object): void {
    const key = JSON.stringify(fields)
    const together = this.#repeated.get(key)
    if (together === undefined) this.#repeated.set(key, { fields, count: 1 })
    else together.count += 1
  }

  /** Logs the counts. Forgets subjects without a new rejection, so that their next one is logged immediately. */
  #summarize(): void {
    for (const [key, { fields, count }] of this.#repeated) {
      if (count === 0) this.#repeated.delete(key)
      else this.#log.info({ ...fields, count }, `${this.#message} (repeated)`)
    }
    for (const repeated of this.#repeated.values()) repeated.count = 0
    this.#subjects = this.#repeated.size
    if (this.#subjects > 0) return
    this.#stop?.()
    this.#stop = undefined
  }
}
