import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../domain/clock.ts'
import { refusalSubjectsLoggedMax, refusalsLoggedEveryMs } from '../domain/limits.ts'

/** What a refusal is counted by. Few values, since they are labels of a figure. */
type Labels = Readonly<Record<string, string>>

interface Repeated {
  fields: object
  /** Since the last line about it. */
  count: number
}

/**
 * Counts refused requests for the figures, and logs them so that a flood stays readable: the first of each subject at
 * once, those that follow as one line per {@link refusalsLoggedEveryMs} with their count. Beyond
 * {@link refusalSubjectsLoggedMax} subjects at a time, further ones share one such line for each cause. At level debug
 * each has its line.
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
   * @param labels the cause, and what else tells few kinds apart.
   * @param subject whose request it was, for the log; nothing secret.
   * @param more of this one request, for its own line.
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
    this.#stop ??= this.#clock.every(refusalsLoggedEveryMs, () => this.#summarize())
    if (this.#subjects === refusalSubjectsLoggedMax) {
      this.#noteTogether({ ...labels, subjects: 'many' })
      this.#log.debug({ ...more, ...fields }, this.#message)
      return
    }
    this.#subjects += 1
    this.#repeated.set(JSON.stringify(fields), { fields, count: 0 })
    this.#log.info({ ...more, ...fields }, this.#message)
  }

  /** How many there were, by their labels. */
  get counts(): Iterable<{ labels: Labels; count: number }> {
    return this.#counts.values()
  }

  /** Logs what was only counted so far. */
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

  /** A subject that was silent since the last time is forgotten: its next refusal is logged at once again. */
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
