import type { Audit, AuditKind } from '../audit/audit.ts'
import { yieldToOthers } from '../background-work.ts'
import { type Actor, type BotAccess, botAuditEntry } from '../bots/bot-access.ts'
import type { Clock } from '../clock.ts'
import type { BotId } from '../ids-and-secrets.ts'
import * as limits from '../limits/limits.ts'
import { Refusal } from '../refusal.ts'
import { StoreUnavailable } from '../store-unavailable.ts'
import { hasCause } from './dead-letter-causes.ts'
import type { EventInterventions } from './delivery-queue.ts'
import type { EventFilter, EventLog } from './event-log.ts'

export type EventRefusalReason =
  | 'event-unknown'
  | 'in-process'
  | 'finished'
  /** Strict order, and an earlier event of the flow is unfinished. */
  | 'behind-another'
  | 'queue-full'
  | 'gateway-unavailable'

export class EventRefusal extends Refusal<EventRefusalReason> {}

/** All events, or only dead letters with the cause of this name. */
export type CauseFilter = EventFilter & { cause?: string | undefined }
export type BulkFilter = CauseFilter & { state: 'done' | 'dead' }

type Stop = 'queue-full' | 'gateway-unavailable'

export interface BulkOutcome {
  /** Events that the call changed. */
  events: number
  /** `undefined` when all events were processed. */
  next: string | undefined
  /** Why the call stopped early. `next` then resumes with the rejected event. */
  stopped: Stop | undefined
}

export interface SelectionOutcome {
  done: number
  /** Unknown, or in a state that doesn't permit the action. */
  skipped: number
  /** Why the call stopped early. */
  stopped?: Stop
}

interface Progress {
  events: number
  /** ID of the last event processed. */
  after: string | undefined
}

/** Changes these events, oldest first, and adds each change to the progress, also before it throws. */
type BulkAction = (ids: string[], progress: Progress) => Promise<void>

/** Users' rights are checked and their changes audited. The operator's calls are audited elsewhere. */
export type EventActor = Actor | 'operator'

const batchEvents = 100

export interface EventParts {
  access: BotAccess
  queue: EventInterventions & { log: EventLog }
  audit: Audit
  clock: Clock
}

/** @throws BotRefusal `bot-unknown`, `not-allowed` (every method, for users). */
export function createEventChanges({ access, queue, audit, clock }: EventParts) {
  const { log } = queue

  async function demand(by: EventActor, botId: BotId): Promise<void> {
    if (by !== 'operator') await access.demand(by.userId, botId, 'replay')
  }

  /**
   * After the change and before the response. The queue and the audit log can be in different databases, so they can't
   * share a transaction (decision 0014).
   */
  async function record(kind: AuditKind, by: EventActor, botId: BotId, detail: Record<string, string>): Promise<void> {
    if (by !== 'operator') await audit.record(botAuditEntry(kind, botId, by, detail))
  }

  /**
   * Returns whether all events were processed. Excludes those accepted or finished after the operation began: with its
   * first call, or the page that asked.
   */
  async function inBatches(
    botId: BotId,
    filter: BulkFilter & { replayedToo?: boolean },
    begunMs: number,
    progress: Progress,
    act: BulkAction,
  ): Promise<boolean> {
    const untilMs = Math.min(filter.untilMs ?? begunMs, begunMs)
    const { cause, replayedToo } = filter
    for (let examined = 0; progress.events < limits.eventsPerBulk && examined < limits.eventsExaminedPerBulk; ) {
      const batch = await log.pageAfter(botId, { ...filter, untilMs }, { after: progress.after, most: batchEvents })
      examined += batch.length
      const wanted = batch.filter(
        ({ replayedAs, finishedAtMs = 0 }) =>
          finishedAtMs <= begunMs && (replayedToo === true || replayedAs === undefined),
      )
      const matching = wanted.filter((event) => cause === undefined || hasCause(event, cause))
      const ids = matching.map(({ id }) => id).slice(0, limits.eventsPerBulk - progress.events)
      await act(ids, progress)
      if (ids.length < matching.length) {
        progress.after = ids.at(-1)
        return false
      }
      progress.after = batch.at(-1)?.id ?? progress.after
      if (batch.length < batchEvents) return true
      await yieldToOthers()
    }
    return false
  }

  async function bulk(
    kind: AuditKind,
    by: EventActor,
    botId: BotId,
    filter: BulkFilter & { replayedToo?: boolean },
    from: string | undefined,
    act: BulkAction,
  ): Promise<BulkOutcome> {
    await demand(by, botId)
    const { after, untilMs: begunMs } = readCursor(from) ?? { after: undefined, untilMs: clock.nowMs() }
    const progress: Progress = { events: 0, after }
    let isComplete = false
    let stopped: Stop | undefined
    try {
      isComplete = await inBatches(botId, filter, begunMs, progress, act)
    } catch (error) {
      stopped = stopOf(error)
      if (stopped === undefined) throw error
    } finally {
      const { flowId } = filter
      const detail = { events: String(progress.events), ...(flowId !== undefined && { flow: flowId }) }
      if (progress.events > 0) await record(kind, by, botId, detail)
    }
    return {
      events: progress.events,
      next: isComplete ? undefined : cursorAt(progress.after ?? '', begunMs),
      stopped,
    }
  }

  /** Returns the ID of the replay, or `undefined` if the event is unknown, or is to be replayed once and was before. */
  async function accept(botId: BotId, id: string, once: boolean): Promise<string | undefined> {
    const outcome = await queue.replay(botId, id, clock.nowMs(), once)
    if (outcome.kind === 'full') throw new EventRefusal('queue-full', { detail: `bot ${botId}` })
    if (outcome.kind === 'unavailable') throw new EventRefusal('gateway-unavailable', { cause: outcome.cause })
    return outcome.kind === 'accepted' ? outcome.id : undefined
  }

  async function replay(by: EventActor, botId: BotId, id: string): Promise<string> {
    await demand(by, botId)
    const replayId = await accept(botId, id, false)
    if (replayId === undefined) throw new EventRefusal('event-unknown', { detail: `bot ${botId}` })
    await record('events-replayed', by, botId, { events: '1', event: id })
    return replayId
  }

  async function remove(botId: BotId, id: string): Promise<'ready' | 'dead'> {
    if (await queue.discardWaiting(botId, id)) return 'ready'
    if ((await queue.discardDead(botId, [id])) === 1) return 'dead'
    const event = await log.find(botId, id)
    const reason = event === undefined ? 'event-unknown' : event.state === 'done' ? 'finished' : 'in-process'
    throw new EventRefusal(reason, { detail: `bot ${botId}` })
  }

  async function discard(by: EventActor, botId: BotId, id: string): Promise<'ready' | 'dead'> {
    await demand(by, botId)
    const was = await remove(botId, id)
    await record('events-discarded', by, botId, { events: '1', event: id })
    return was
  }

  async function eachSelected(
    by: Actor,
    botId: BotId,
    ids: readonly string[],
    act: (id: string) => Promise<boolean>,
  ): Promise<SelectionOutcome> {
    await demand(by, botId)
    let done = 0
    for (const [at, id] of ids.entries()) {
      try {
        if (await act(id)) done += 1
      } catch (error) {
        const stopped = stopOf(error)
        if (stopped !== undefined) return { done, skipped: at - done, stopped }
        if (!(error instanceof EventRefusal)) throw error
      }
    }
    return { done, skipped: ids.length - done }
  }

  return {
    /**
     * Accepts the event again with a new ID, which it returns. Each call creates another replay.
     *
     * @throws EventRefusal `event-unknown`, `queue-full`, `gateway-unavailable`.
     */
    replay,

    /** Removes a waiting event or a dead letter. Throws EventRefusal `event-unknown`, `in-process` or `finished`. */
    discard,

    /**
     * Replays the matching events that have not been replayed before, oldest first, up to `eventsPerBulk` per call.
     *
     * @param from the `next` of the previous call.
     */
    replayAll: (by: EventActor, botId: BotId, filter: BulkFilter, from?: string) =>
      bulk('events-replayed', by, botId, filter, from, async (ids, progress) => {
        for (const id of ids) {
          if ((await accept(botId, id, true)) !== undefined) progress.events += 1
          progress.after = id
        }
      }),

    discardAll: (by: EventActor, botId: BotId, filter: Omit<BulkFilter, 'state'>, from?: string) =>
      bulk(
        'events-discarded',
        by,
        botId,
        { ...filter, state: 'dead', replayedToo: true },
        from,
        async (ids, progress) => {
          progress.events += await queue.discardDead(botId, ids)
        },
      ),

    /**
     * Makes a scheduled retry due now. The number of attempts stays the same. Does nothing if the event is already due
     * or leased.
     *
     * @throws EventRefusal `event-unknown`, `finished`, `behind-another`.
     */
    async tryNow(by: Actor, botId: BotId, id: string): Promise<'due' | 'in-process'> {
      await demand(by, botId)
      const event = await log.find(botId, id)
      const detail = `bot ${botId}`
      if (event === undefined) throw new EventRefusal('event-unknown', { detail })
      if (event.state === 'leased') return 'in-process'
      if (event.state !== 'ready') throw new EventRefusal('finished', { detail })
      if ((await log.waitedFor(botId, [event])).size > 0) throw new EventRefusal('behind-another', { detail })
      if (await queue.tryNow(botId, id, clock.nowMs())) {
        await record('events-tried-now', by, botId, { events: '1', event: id })
      }
      return 'due'
    },

    selected: {
      /** Skips unfinished events, which would otherwise be delivered twice. */
      replay: (by: Actor, botId: BotId, ids: readonly string[]) =>
        eachSelected(by, botId, ids, async (id) => {
          const event = await log.find(botId, id)
          if (event?.finishedAtMs === undefined) return false
          await replay(by, botId, id)
          return true
        }),

      /** Skips events that are neither waiting nor dead letters. */
      discard: (by: Actor, botId: BotId, ids: readonly string[]) =>
        eachSelected(by, botId, ids, async (id) => {
          await discard(by, botId, id)
          return true
        }),
    },
  }
}

/** Returns why the error ends a change of several events early, or `undefined` if it is another refusal or a fault. */
function stopOf(error: unknown): Stop | undefined {
  if (error instanceof StoreUnavailable) return 'gateway-unavailable'
  const reason = error instanceof EventRefusal ? error.reason : undefined
  return reason === 'queue-full' || reason === 'gateway-unavailable' ? reason : undefined
}

/** The position and start time of a bulk operation, in the format of {@link bulkCursorPattern}. */
export function cursorAt(after: string, untilMs: number): string {
  return `${untilMs}.${after}`
}

/** The longest event IDs of bots have 78 characters. */
export const bulkCursorPattern = '^(\\d{1,15})\\.([A-Za-z0-9_-]{0,78})$'

function readCursor(text: string | undefined): { after: string | undefined; untilMs: number } | undefined {
  const [, untilMs, after] = new RegExp(bulkCursorPattern).exec(text ?? '') ?? []
  return untilMs === undefined ? undefined : { untilMs: Number(untilMs), after: after || undefined }
}
