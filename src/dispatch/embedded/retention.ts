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

/**
 * Keeps the table bounded. Events are looked at in the order accepted, oldest first, so no index on time is needed:
 * a walk ends at the first event that is too young for anything to be done, and the next walk goes on there. Once
 * a walk has caught up, the next one begins at the start again, for those that were skipped.
 */
export class Retention {
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #backlog: Backlog
  readonly #kept: Record<FinishedState, { events: number; bodyBytes: number }> = {
    done: { events: 0, bodyBytes: 0 },
    dead: { events: 0, bodyBytes: 0 },
  }
  #walkedTo = 0

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

  /** Looks at up to `most` events, and resolves with at how many it did. */
  async prune(nowMs: number, most: number): Promise<number> {
    const { remove, expire, walkedTo, looked } = this.#look(nowMs, most)
    if (remove.length > 0 || expire.length > 0) {
      const expired = await this.#file.write(() => {
        for (const { number } of remove) this.#rows.remove(number)
        return expire.filter(({ number }) => this.#rows.expire(number, nowMs))
      })
      for (const event of expired) {
        this.#backlog.readyOf(event.bot_id)?.withdraw(event.number)
        this.#backlog.leave(event.bot_id, event.body_bytes)
        this.keep('dead', event.body_bytes)
      }
      for (const event of remove) this.#drop(event.state as FinishedState, event.body_bytes)
    }
    this.#walkedTo = looked < most ? 0 : walkedTo
    return looked
  }

  #look(nowMs: number, most: number) {
    const remove: EventHead[] = []
    const expire: EventHead[] = []
    // What this walk removes is taken off at once, so that it stops where the limits are met.
    const surplus = { done: this.#surplus('done'), dead: this.#surplus('dead') }
    let walkedTo = this.#walkedTo
    const events = this.#rows.after(walkedTo, most)
    for (const [looked, event] of events.entries()) {
      const ageMs = nowMs - event.accepted_at_ms
      const young = ageMs < acknowledgedRetentionMs && !isExpired(event.accepted_at_ms, nowMs)
      if (young && !surplus.done.any && !surplus.dead.any) return { remove, expire, walkedTo, looked }
      walkedTo = event.number
      if (event.state === 'ready' && isExpired(event.accepted_at_ms, nowMs)) expire.push(event)
      if (event.state !== 'done' && event.state !== 'dead') continue
      if (ageMs < retentionMs[event.state] && !surplus[event.state].any) continue
      remove.push(event)
      surplus[event.state].take(event.body_bytes)
    }
    return { remove, expire, walkedTo, looked: events.length }
  }

  #surplus(state: FinishedState) {
    let { events, bodyBytes } = this.#kept[state]
    return {
      get any() {
        return events > finishedEventsMax || bodyBytes > finishedBodiesMaxBytes
      },
      take(bytes: number) {
        events -= 1
        bodyBytes -= bytes
      },
    }
  }

  #drop(state: FinishedState, bodyBytes: number): void {
    this.#kept[state].events -= 1
    this.#kept[state].bodyBytes -= bodyBytes
  }
}
