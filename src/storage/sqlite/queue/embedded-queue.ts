import { type Attempt, isolatedSteps, type OnFault } from '../../../domain/background-work.ts'
import type { Leased } from '../../../domain/bots/deleted-bots.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type {
  AcceptOutcome,
  BotLoad,
  Claim,
  Claimed,
  DeadLetter,
  DeliveryQueue,
  EnqueueOutcome,
  Failure,
  NewEvent,
  QueueFigures,
  QueueLimits,
  ReplayOutcome,
  RetentionLimits,
  StrictFlow,
} from '../../../domain/webhooks/delivery-queue.ts'
import type { EventLog } from '../../../domain/webhooks/event-log.ts'
import { newCountedFigures } from '../../queue/counted-figures.ts'
import { acceptedAtMsOf, EventNumbers, idOf, numberOf } from '../../queue/event-number.ts'
import { Listeners } from '../../queue/listeners.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { Acceptance, Marks } from './acceptance.ts'
import { Backlog, Transitions } from './backlog.ts'
import { Deliveries } from './deliveries.ts'
import { EmbeddedLog } from './embedded-log.ts'
import { type EventHead, EventRows, leaseOf } from './event-rows.ts'
import { FinishedEvents } from './finished-events.ts'
import { HourlyCounts } from './hourly-counts.ts'
import { Leases } from './leases.ts'
import { Retention, rowsPerTransaction } from './retention.ts'

interface EmbeddedQueueParts {
  /**
   * The queue's own file, separate from the identity database, so that webhooks and tokens don't wait for each other's
   * commits.
   */
  file: SqliteFile
  limits: QueueLimits
  kept?: RetentionLimits | undefined
  /** Current time, from which leases found in the file at startup get their full duration. */
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /** Returns the bot's flows that have strict order now. */
  strictFlows: (botId: BotId) => readonly StrictFlow[]
  /** Called with errors from steps that failed without stopping the others. Failed steps are retried. */
  onFault?: OnFault | undefined
}

/**
 * The delivery queue in one SQLite file, which only this process writes. Every change is on disk before its promise
 * resolves. The leases and the order of ready events are kept in memory, and are rebuilt from the rows at startup.
 */
export class EmbeddedQueue implements DeliveryQueue {
  /** The delivery log, as shown to bot owners. */
  readonly log: EventLog
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #marks: Marks
  readonly #backlog: Backlog
  readonly #leases = new Leases()
  readonly #numbers: EventNumbers
  readonly #retention: Retention
  readonly #counts: HourlyCounts
  readonly #acceptance: Acceptance
  readonly #deliveries: Deliveries
  readonly #attempt: Attempt
  /** Holders of the leases that were found in the file at startup. */
  readonly #orphans: string[]
  readonly #due = new Listeners<BotId>()
  readonly onDue = this.#due.add
  readonly #dead = new Listeners<DeadLetter>()
  readonly onDead = this.#dead.add
  readonly #figures = newCountedFigures()

  constructor({
    file,
    limits: queueLimits,
    kept = limits.finishedEventsKept,
    nowMs,
    chance,
    strictFlows,
    onFault = () => {},
  }: EmbeddedQueueParts) {
    this.#file = file
    this.#attempt = isolatedSteps(onFault)
    this.#rows = new EventRows(file)
    this.#marks = new Marks(file)
    this.#backlog = new Backlog(queueLimits, this.#due.call)
    this.#counts = new HourlyCounts(file)
    const finished = new FinishedEvents(file)
    const onExpired = ({ botId, flowId, number }: EventHead, atMs: number) => {
      this.#figures.deadLetters += 1
      this.#counts.note('dead', { botId, flowId }, atMs)
      this.#dead.call({ botId, flowId, id: idOf(number), because: 'expired' })
    }
    const transitions = new Transitions()
    const common = { file, rows: this.#rows, backlog: this.#backlog, transitions }
    this.#retention = new Retention({ ...common, limits: kept, finished, onExpired, onFault })
    const memory = { backlog: this.#backlog, leases: this.#leases, retention: this.#retention }
    this.#numbers = new EventNumbers(loadEvents(this.#rows, memory, nowMs))
    const { leases } = memory
    this.#orphans = leases.holders()
    const reported = { counts: this.#counts, figures: this.#figures, onDue: this.#due.call }
    this.#acceptance = new Acceptance({ ...common, ...reported, marks: this.#marks })
    this.#deliveries = new Deliveries({
      ...common,
      ...memory,
      ...reported,
      strictFlows,
      chance,
      onDead: this.#dead.call,
      onFault,
    })
    this.log = new EmbeddedLog({ ...common, finished, leases, counts: this.#counts, strictFlows })
  }

  async loadsFrom(share: number): Promise<BotLoad[]> {
    return this.#backlog.loadsFrom(share)
  }

  onTaken(): () => void {
    return () => {}
  }

  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome> {
    return this.#acceptance.accept({ number: this.#numbers.next(event.acceptedAtMs), event, mark })
  }

  async enqueue(event: NewEvent): Promise<EnqueueOutcome> {
    const number = this.#numbers.next(event.acceptedAtMs)
    const outcome = await this.#acceptance.accept({ number, event })
    return outcome.kind === 'full' || outcome.kind === 'unavailable' ? outcome : { kind: 'accepted', id: idOf(number) }
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#deliveries.claim(claim)
  }

  acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    return this.#deliveries.acknowledge(holder, deliveries, nowMs)
  }

  fail(holder: string, failures: readonly Failure[]): Promise<void> {
    return this.#deliveries.fail(holder, failures)
  }

  release(holder: string, deliveries: readonly string[]): Promise<void> {
    return this.#deliveries.release(holder, deliveries)
  }

  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]> {
    return this.#deliveries.renew(holder, deliveries, nowMs)
  }

  resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    return this.#deliveries.resume(holder, listed, at)
  }

  abandon(holder: string, failedAtMs: number): Promise<void> {
    return this.#deliveries.abandon(holder, failedAtMs)
  }

  failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    return this.#deliveries.lapse(nowMs)
  }

  async adoptOrphans(): Promise<string[]> {
    return this.#orphans.splice(0)
  }

  async botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]> {
    return [...botIds].filter((botId) => this.#backlog.has(botId))
  }

  async botsWithMissedEvents(): Promise<BotId[]> {
    return []
  }

  async botsWithRetriesDue(_sinceMs: number, nowMs: number): Promise<BotId[]> {
    return this.#backlog.retriesDue(nowMs)
  }

  probe(): Promise<void> {
    return this.#file.probe()
  }

  async replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome> {
    const original = numberOf(id)
    const found = original === undefined ? undefined : this.#rows.findWithPayload(botId, original)
    if (original === undefined || found === undefined) return { kind: 'unknown' }
    const number = this.#numbers.next(nowMs)
    const event = { ...found.payload, acceptedAtMs: nowMs, ordered: false }
    const outcome = await this.#acceptance.accept({ number, event, replayOf: original })
    if (outcome.kind === 'full' || outcome.kind === 'unavailable') return outcome
    return { kind: 'replayed', id: idOf(number) }
  }

  discardDead(botId: BotId, ids: readonly string[]): Promise<number> {
    return this.#retention.discardDead(
      botId,
      ids.flatMap((id) => numberOf(id) ?? []),
    )
  }

  async discardWaiting(botId: BotId, id: string): Promise<boolean> {
    const number = numberOf(id)
    if (number === undefined) return false
    const removed = await this.#file.write(() =>
      this.#rows.isIn('ready', botId, number) ? this.#rows.removeReady(number) : undefined,
    )
    if (removed === undefined) return false
    this.#backlog.leave(leaseOf(removed))
    return true
  }

  async tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean> {
    const number = numberOf(id)
    if (number === undefined) return false
    const flowId = await this.#file.write(() => this.#rows.makeDue(botId, number, nowMs))
    if (flowId === undefined) return false
    this.#backlog.makeDue({ botId, flowId, number }, nowMs)
    this.#due.call(botId)
    return true
  }

  async applyFlowSettings(botId: BotId): Promise<void> {
    // Each claim reads the settings.
    if (this.#backlog.has(botId)) this.#due.call(botId)
  }

  async lastAccepted(): Promise<number> {
    // Writes finish in order. Once this empty write has finished, all events that were being accepted are stored.
    await this.#file.write(() => {})
    return this.#numbers.last
  }

  async discard(botId: BotId, upTo: number, leased: Leased): Promise<void> {
    // Deduplication marks and hourly counts have no event number to compare with `upTo`. Submit all their removals now,
    // so that they run before any write for a later bot with the same ID.
    const batches = Math.ceil(this.#marks.countOf(botId) / rowsPerTransaction)
    await Promise.all([
      this.#counts.discard(botId),
      ...Array.from({ length: batches }, () => this.#file.write(() => this.#marks.remove(botId, rowsPerTransaction))),
      (leased === 'remove' ? this.#deliveries.releaseOf(botId, upTo) : Promise.resolve()).then(() =>
        this.#retention.discard(botId, upTo),
      ),
    ])
  }

  async prune(nowMs: number, most: number): Promise<number> {
    await this.#attempt('webhook count pruning', {}, () => this.#counts.prune(nowMs, most))
    return this.#retention.prune(nowMs, most)
  }

  flushCounts(): Promise<void> {
    return this.#counts.flush()
  }

  async figures(): Promise<QueueFigures> {
    const { events, bodyBytes } = this.#backlog.size
    const oldest = Math.min(this.#backlog.oldestReady(), this.#leases.oldest())
    return {
      waitingEvents: events,
      waitingBytes: bodyBytes,
      leasedEvents: this.#leases.size,
      oldestAcceptedAtMs: oldest === Number.POSITIVE_INFINITY ? undefined : acceptedAtMsOf(oldest),
      ...this.#figures,
    }
  }

  pruneMarks(nowMs: number, most: number): Promise<number> {
    return this.#file.write(() => this.#marks.prune(nowMs, most))
  }
}

/**
 * Loads the queue's in-memory state from the file at startup. Leases get their full duration from `nowMs`. All
 * connections were lost, so the dispatcher ends the leases of runtimes that don't reconnect in time.
 *
 * @returns the highest event number in use, or 0 if there is none.
 */
function loadEvents(
  rows: EventRows,
  { backlog, leases, retention }: { backlog: Backlog; leases: Leases; retention: Retention },
  nowMs: number,
): number {
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
