import { yieldToOthers } from '../background-work.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import type { EventInterventions } from './delivery-queue.ts'
import type { EventFilter, EventLog } from './event-log.ts'

export type DeliveryLogRefusalReason =
  | 'event-unknown'
  | 'in-process'
  /** The event was acknowledged or is a dead letter. */
  | 'finished'
  /** The flow has strict order, and an earlier event in it is unfinished. */
  | 'behind-another'
  | 'queue-full'
  | 'gateway-unavailable'

export class DeliveryLogRefusal extends Refusal<DeliveryLogRefusalReason> {}

export type BulkFilter = EventFilter & { state: 'done' | 'dead' }

export interface BulkOutcome {
  events: number
  /** Value of `from` for the next call. `undefined` when all events were processed. */
  next: string | undefined
  /**
   * Why the call stopped early: the queue is full or unavailable. `next` then resumes with the rejected event. Absent
   * if the call did not stop early.
   */
  stopped?: 'queue-full' | 'gateway-unavailable'
}

const batchEvents = 100

/**
 * Replays and discards events of a bot. Callers must have checked that the bot exists and that the person or operator
 * may perform the action, and must record the action in the audit log.
 */
export class EventActions {
  readonly #log: EventLog
  readonly #queue: EventInterventions
  readonly #clock: Clock

  constructor({ queue, clock }: { queue: EventInterventions & { log: EventLog }; clock: Clock }) {
    this.#log = queue.log
    this.#queue = queue
    this.#clock = clock
  }

  /**
   * Replays the event: accepts it again as a new event with its own ID. The new event's `replayOf` is the ID of the
   * original. Each call creates another replay.
   *
   * Resolves with the new ID.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `queue-full`, `gateway-unavailable`.
   */
  async replay(botId: BotId, id: string): Promise<string> {
    const outcome = await this.#queue.replay(botId, id, this.#clock.nowMs())
    switch (outcome.kind) {
      case 'replayed':
        return outcome.id
      case 'unknown':
        throw new DeliveryLogRefusal('event-unknown', { detail: `bot ${botId}` })
      case 'full':
        throw new DeliveryLogRefusal('queue-full', { detail: `bot ${botId}` })
      case 'unavailable':
        throw new DeliveryLogRefusal('gateway-unavailable', { cause: outcome.cause })
    }
  }

  /**
   * Replays the matching events that have not been replayed before, oldest first, up to `eventsPerBulk` per call.
   * Repeating the call therefore replays only the remaining events.
   *
   * @param from the `next` of the previous call.
   */
  replayAll(botId: BotId, filter: BulkFilter, from?: string): Promise<BulkOutcome> {
    return this.#each(botId, filter, from, async (ids) => {
      for (const [at, id] of ids.entries()) {
        const { kind } = await this.#queue.replay(botId, id, this.#clock.nowMs())
        if (kind === 'full') return { done: at, stopped: 'queue-full' }
        if (kind === 'unavailable') return { done: at, stopped: 'gateway-unavailable' }
      }
      return { done: ids.length }
    })
  }

  /**
   * Removes a waiting event or a dead letter. A removed waiting event is never delivered. Resolves with the state of
   * the removed event.
   *
   * @throws DeliveryLogRefusal `event-unknown`, `in-process`, `finished`.
   */
  async discard(botId: BotId, id: string): Promise<'ready' | 'dead'> {
    if (await this.#queue.discardWaiting(botId, id)) return 'ready'
    if ((await this.#queue.discardDead(botId, [id])) === 1) return 'dead'
    const event = await this.#log.find(botId, id)
    const reason = event === undefined ? 'event-unknown' : event.state === 'done' ? 'finished' : 'in-process'
    throw new DeliveryLogRefusal(reason, { detail: `bot ${botId}` })
  }

  /** Removes the matching dead letters, oldest first, up to `eventsPerBulk` per call. */
  discardAll(botId: BotId, filter: Omit<EventFilter, 'state'>, from?: string): Promise<BulkOutcome> {
    return this.#each(botId, { ...filter, state: 'dead', replayedToo: true }, from, async (ids) => {
      await this.#queue.discardDead(botId, ids)
      return { done: ids.length }
    })
  }

  /**
   * Calls `act` with the matching events in batches. A bulk operation that takes several calls excludes events accepted
   * after the first call started.
   */
  async #each(
    botId: BotId,
    filter: BulkFilter & { replayedToo?: boolean },
    from: string | undefined,
    act: (ids: string[]) => Promise<{ done: number; stopped?: 'queue-full' | 'gateway-unavailable' }>,
  ): Promise<BulkOutcome> {
    const { after: start, untilMs: begunMs } = readCursor(from) ?? { after: undefined, untilMs: this.#clock.nowMs() }
    const untilMs = Math.min(filter.untilMs ?? begunMs, begunMs)
    let after = start
    let events = 0
    while (events < limits.eventsPerBulk) {
      const batch = await this.#log.finished(botId, { ...filter, untilMs }, { after, most: batchEvents })
      const wanted = batch.filter(({ replayedAs }) => filter.replayedToo === true || replayedAs === undefined)
      const ids = wanted.map(({ id }) => id)
      const { done, stopped } = await act(ids)
      events += done
      // `act` stopped early. The next call continues after the last event that `act` processed.
      if (stopped !== undefined) return { events, next: cursorAt(ids[done - 1] ?? after ?? '', begunMs), stopped }
      after = batch.at(-1)?.id ?? after
      if (batch.length < batchEvents) return { events, next: undefined }
      await yieldToOthers()
    }
    return { events, next: cursorAt(after ?? '', begunMs) }
  }
}

/** Encodes the position and start time of a bulk operation. The result matches {@link bulkCursorPattern}. */
function cursorAt(after: string, untilMs: number): string {
  return `${untilMs}.${after}`
}

/** Format of a bulk operation's cursor. The longest event IDs have 78 characters. */
export const bulkCursorPattern = '^(\\d{1,15})\\.([A-Za-z0-9_-]{0,78})$'

function readCursor(text: string | undefined): { after: string | undefined; untilMs: number } | undefined {
  const [, untilMs, after] = new RegExp(bulkCursorPattern).exec(text ?? '') ?? []
  return untilMs === undefined ? undefined : { untilMs: Number(untilMs), after: after || undefined }
}
