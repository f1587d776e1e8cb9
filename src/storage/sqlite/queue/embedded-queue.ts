import { isolatedSteps } from '../../../domain/background-work.ts'
import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type {
  AcceptOutcome,
  DeliveryQueue,
  EnqueueOutcome,
  NewEvent,
  Replay,
  ReplayOutcome,
  StrictFlow,
} from '../../../domain/webhooks/delivery-queue.ts'
import { rowsPerTransaction } from '../../queue/queue-figures.ts'
import { acceptedAtMsOf, firstNumberOf, idOf, numberAfter, numberOf } from '../../queue/stored-events.ts'
import { sql } from '../../sql/sql.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { embeddedDeliveries } from './deliveries.ts'
import { embeddedLog } from './embedded-log.ts'
import { leaseOf } from './event-rows.ts'
import type { UnfinishedEvent } from './in-memory.ts'
import { createParts, type EmbeddedQueueOptions, type QueueParts } from './queue-parts.ts'
import { Retention } from './retention.ts'

/**
 * The delivery queue in one SQLite file, which only this process writes. Every change is on disk before its promise
 * resolves. Leases and the order of ready events are in memory, rebuilt at startup.
 */
export function embeddedQueue(options: EmbeddedQueueOptions): DeliveryQueue {
  const parts = createParts(options)
  const { file, rows, marks, backlog, leases, counts, figures, due, dead } = parts
  const attempt = isolatedSteps(parts.onFault)
  const retention = new Retention(parts, options.kept)
  // Higher events may have been removed. Flows and marks still refer to their numbers.
  let lastNumber = Math.max(loadEvents(parts, retention, options.nowMs), firstNumberOf(options.nowMs) - 1)
  /** Holders of the leases that were found in the file at startup. */
  const orphans = leases.holders()
  const accept = newAcceptance(parts)
  const { releaseOf, ...deliveries } = embeddedDeliveries(parts, retention)

  function nextNumber({ acceptedAtMs }: NewEvent): number {
    lastNumber = numberAfter(lastNumber, acceptedAtMs)
    return lastNumber
  }

  async function enqueue(event: NewEvent): Promise<EnqueueOutcome>
  async function enqueue(event: NewEvent, replay: Replay): Promise<ReplayOutcome>
  async function enqueue(event: NewEvent, replay?: Replay): Promise<ReplayOutcome> {
    const number = nextNumber(event)
    const outcome = await accept({ number, event, replay })
    if (outcome.kind === 'repeated') return { kind: 'unknown' }
    return outcome.kind === 'accepted' ? { kind: 'accepted', id: idOf(number) } : outcome
  }

  return {
    ...deliveries,
    log: embeddedLog(parts),
    onDue: due.add,
    onDead: dead.add,
    onTaken: () => () => {},
    loadsFrom: async (share) => backlog.loadsFrom(share),
    accept: (event, mark) => accept({ number: nextNumber(event), event, mark }),
    enqueue: (event) => enqueue(event),
    adoptOrphans: async () => orphans.splice(0),
    botsWithEvents: async (botIds) => [...botIds].filter((botId) => backlog.eventsOf(botId) > 0),
    botsWithMissedEvents: async () => [],
    botsWithRetriesDue: async (_sinceMs, nowMs) => backlog.retriesDue(nowMs),
    probe: () => file.probe(),

    async replay(botId, id, nowMs, once = false) {
      const original = numberOf(id)
      const found = original === undefined ? undefined : rows.findWithPayload(botId, original)
      if (found === undefined) return { kind: 'unknown' }
      return enqueue({ ...found.payload, acceptedAtMs: nowMs, ordered: false }, { of: found.row.number, once })
    },

    async discardDead(botId, ids) {
      const numbers = ids.flatMap((id) => numberOf(id) ?? [])
      return retention.discardDead(botId, numbers)
    },

    async discardWaiting(botId, id) {
      const number = numberOf(id)
      if (number === undefined) return false
      const removed = await file.commit(() =>
        rows.isIn('ready', botId, number) ? rows.remove(number, 'ready') : undefined,
      )
      if (removed === undefined) return false
      backlog.leave(removed)
      return true
    },

    async tryNow(botId, id, nowMs) {
      const number = numberOf(id)
      if (number === undefined) return false
      const row = await file.commit(() =>
        file.first<{ flowId: FlowId }>(
          sql`UPDATE events SET due_at_ms = ${nowMs} WHERE number = ${number} AND bot_id = ${botId}
            AND state = 'ready' AND attempts > 0 AND due_at_ms > ${nowMs} RETURNING flow_id`,
        ),
      )
      if (row === undefined) return false
      backlog.makeDue({ botId, flowId: row.flowId, number }, nowMs)
      due.call(botId)
      return true
    },

    // Each claim reads the settings.
    applyFlowSettings: async () => {},

    async lastAccepted() {
      // Writes finish in order. Once this empty write has finished, all events that were being accepted are stored.
      await file.commit(() => {})
      return lastNumber
    },

    async discard(botId, upTo, leased) {
      // Deduplication marks and hourly counts have no event number to compare with `upTo`. Submit all their removals
      // now, so that they run before any write for a later bot with the same ID.
      const batches = Math.ceil(marks.countOf(botId) / rowsPerTransaction)
      await Promise.all([
        counts.discard(botId),
        ...Array.from({ length: batches }, () => marks.remove(botId, rowsPerTransaction)),
        (leased === 'remove' ? releaseOf(botId, upTo) : Promise.resolve()).then(() => retention.discard(botId, upTo)),
      ])
    },

    async prune(nowMs, most) {
      await attempt('webhook count pruning', {}, () => counts.prune(nowMs, most))
      return await retention.prune(nowMs, most)
    },

    flushCounts: () => counts.flush(),

    async figures() {
      const { events, bodyBytes } = backlog.size
      const oldest = Math.min(backlog.oldestReady(), leases.oldest())
      return {
        waitingEvents: events,
        waitingBytes: bodyBytes,
        leasedEvents: leases.size,
        oldestAcceptedAtMs: oldest === Number.POSITIVE_INFINITY ? undefined : acceptedAtMsOf(oldest),
        ...figures,
      }
    },

    pruneMarks: marks.prune,
  }
}

/**
 * Loads the queue's in-memory state from the file at startup. Leases get their full duration from `nowMs`. All
 * connections were lost, so the dispatcher ends the leases of runtimes that don't reconnect in time.
 *
 * @returns the highest event number in use, or 0 if there is none.
 */
function loadEvents({ rows, backlog, leases }: QueueParts, retention: Retention, nowMs: number): number {
  let highest = 0
  for (const row of rows.all()) {
    highest = row.number
    if (row.state === 'done' || row.state === 'dead') {
      retention.add(row.state, row.botId, row.keptBytes)
      continue
    }
    const lease = leaseOf(row)
    if (row.state === 'ready') {
      backlog.restore(lease, { number: row.number, dueAtMs: row.dueAtMs, first: row.attempts === 0 })
      continue
    }
    backlog.restore(lease, undefined)
    leases.add({ ...lease, holder: row.holder ?? '', untilMs: nowMs + limits.leaseMs })
  }
  return highest
}

const cachedBotsMax = 10_000

/** Caches which of a bot's flows have strict order, for claims, until a trigger reports a change (decision 0004). */
export function strictFlowsIn(identity: SqliteFile): (botId: BotId) => readonly StrictFlow[] {
  const cache = new Map<BotId, readonly StrictFlow[]>()
  identity.onChange('flows', () => cache.clear())
  return (botId) => {
    const known = cache.get(botId)
    if (known !== undefined) return known
    const rows = identity.all<{ id: FlowId; eventsBefore: number }>(
      sql`SELECT id, events_before FROM flows WHERE bot_id = ${botId} AND webhook_ordered = 1`,
    )
    const flows = rows.map(({ id: flowId, eventsBefore }) => ({ botId, flowId, eventsBefore }))
    if (cache.size >= cachedBotsMax) cache.clear()
    cache.set(botId, flows)
    return flows
  }
}

interface NumberedEvent {
  number: number
  event: NewEvent
  replay?: Replay | undefined
  mark?: DedupeMark | undefined
}

/** Returns a function that stores an event. Limits the memory that events take while they wait for the disk. */
function newAcceptance({ file, rows, marks, backlog, counts, figures, due }: QueueParts) {
  let unsyncedBytes = 0

  return async ({ number, event, replay, mark }: NumberedEvent): Promise<AcceptOutcome> => {
    const { botId, flowId, body } = event
    if (unsyncedBytes > limits.unsyncedBodiesMaxBytes) {
      figures.refusedUnavailable += 1
      return { kind: 'unavailable', cause: new StoreUnavailable('write buffer full') }
    }
    const entry: UnfinishedEvent = { number, botId, flowId, bodyBytes: body.length }
    const full = backlog.enter(entry)
    if (full !== undefined) {
      figures[full === 'bot' ? 'refusedBotFull' : 'refusedQueueFull'] += 1
      return { kind: 'full', of: full }
    }
    unsyncedBytes += body.length
    try {
      const repeated = await file.commit(() => {
        if (mark !== undefined && !marks.add(botId, mark, event.acceptedAtMs)) return true
        if (replay !== undefined && !rows.noteReplay(replay, number)) return true
        rows.insert(number, event, replay?.of ?? null)
        return false
      })
      if (repeated) {
        backlog.leave(entry)
        return { kind: 'repeated' }
      }
    } catch (cause) {
      backlog.leave(entry)
      figures.refusedUnavailable += 1
      return { kind: 'unavailable', cause }
    } finally {
      unsyncedBytes -= body.length
    }
    figures.accepted += 1
    counts.note('accepted', event, event.acceptedAtMs)
    backlog.makeReady(entry, { dueAtMs: event.acceptedAtMs, first: true })
    due.call(botId)
    return { kind: 'accepted' }
  }
}
