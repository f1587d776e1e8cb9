import type { BotId } from '../../domain/ids.ts'
import {
  acknowledgedRetentionMs,
  deadLetterRetentionMs,
  finishedBodiesMaxBytes,
  finishedEventsMax,
} from '../../domain/limits.ts'
import { isExpired } from '../../domain/webhooks/retry.ts'
import type { SqliteFile } from '../../store/sqlite/sqlite-file.ts'
import type { Backlog } from './backlog.ts'
import type { EventHead, EventRows } from './event-rows.ts'

type FinishedState = 'done' | 'dead'

const retentionMs: Record<FinishedState, number> = { done: acknowledgedRetentionMs, dead: deadLetterRetentionMs }

/** Rows of one transaction, small enough that nobody waits for them. */
export const rowsAtOnce = 500

/**
 * Keeps the table bounded, by age and by amount. Events are looked at in the order accepted, oldest first, so no index on
 * time is needed.
 */
export class Retention {
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #backlog: Backlog
  readonly #kept: Record<FinishedState, { events: number; bodyBytes: number }> = {
    done: { events: 0, bodyBytes: 0 },
    dead: { events: 0, bodyBytes: 0 },
  }
  /** Event numbers up to which the walks by age and by amount have come. */
  #prunedTo = 0
  #trimmedTo = 0
  #trimming = false

  constructor(parts: { file: SqliteFile; rows: EventRows; backlog: Backlog }) {
    this.#file = parts.file
    this.#rows = parts.rows
    this.#backlog = parts.backlog
  }

  /** Counts a finished event. */
  keep(state: FinishedState, bodyBytes: number): void {
    this.#kept[state].events += 1
    this.#kept[state].bodyBytes += bodyBytes
  }

  /**
   * Gives up and removes what is too old, among up to `most` events, and resolves with at how many it looked. A walk ends
   * at the first event that is too young for either; the next begins at the start, for those that were skipped.
   */
  async prune(nowMs: number, most: number): Promise<number> {
    const events = this.#rows.after(this.#prunedTo, most)
    const young = events.findIndex(
      ({ accepted_at_ms: atMs }) => nowMs - atMs < acknowledgedRetentionMs && !isExpired(atMs, nowMs),
    )
    const old = young < 0 ? events : events.slice(0, young)
    await this.#expire(
      old.filter((event) => event.state === 'ready' && isExpired(event.accepted_at_ms, nowMs)),
      nowMs,
    )
    await this.#remove(
      old.filter(isFinished).filter((event) => nowMs - event.accepted_at_ms >= retentionMs[event.state]),
    )
    this.#prunedTo = old.length < most ? 0 : (old.at(-1)?.number ?? 0)
    return old.length
  }

  /**
   * Removes the oldest finished events of which there are too many. They may come faster than pruning by age runs, so
   * this is called after each; it does nothing while it is at work. What fails is left for the next call.
   */
  trim(): void {
    if (this.#trimming || !(this.#exceeds('done') || this.#exceeds('dead'))) return
    this.#trimming = true
    this.#trimOnce()
      .catch(() => {})
      .finally(() => {
        this.#trimming = false
      })
  }

  /** Removes what is kept of a bot. */
  async discard(botId: BotId): Promise<void> {
    for (;;) {
      const events = this.#rows.finishedOf(botId, rowsAtOnce)
      if (events.length === 0) return
      await this.#remove(events.filter(isFinished))
    }
  }

  async #trimOnce(): Promise<void> {
    const events = this.#rows.after(this.#trimmedTo, rowsAtOnce)
    await this.#remove(events.filter(isFinished).filter(({ state }) => this.#exceeds(state)))
    this.#trimmedTo = events.length < rowsAtOnce ? 0 : (events.at(-1)?.number ?? 0)
  }

  async #expire(events: readonly EventHead[], nowMs: number): Promise<void> {
    if (events.length === 0) return
    const expired = await this.#file.write(() => events.filter(({ number }) => this.#rows.expire(number, nowMs)))
    for (const event of expired) {
      this.#backlog.readyOf(event.bot_id)?.withdraw(event.number)
      this.#backlog.leave(event.bot_id, event.body_bytes)
      this.keep('dead', event.body_bytes)
    }
  }

  async #remove(events: readonly FinishedHead[]): Promise<void> {
    if (events.length === 0) return
    const removed = await this.#file.write(() => events.filter(({ number }) => this.#rows.remove(number)))
    for (const { state, body_bytes: bodyBytes } of removed) {
      this.#kept[state].events -= 1
      this.#kept[state].bodyBytes -= bodyBytes
    }
  }

  #exceeds(state: FinishedState): boolean {
    const { events, bodyBytes } = this.#kept[state]
    return events > finishedEventsMax || bodyBytes > finishedBodiesMaxBytes
  }
}

type FinishedHead = EventHead & { state: FinishedState }

function isFinished(event: EventHead): event is FinishedHead {
  return event.state === 'done' || event.state === 'dead'
}
