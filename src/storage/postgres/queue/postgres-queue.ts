import { type Attempt, isolatedSteps, type OnFault } from '../../../domain/attempt.ts'
import type { Leased } from '../../../domain/bots/deleted-bots.ts'
import type { BotId } from '../../../domain/ids.ts'
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
} from '../../../domain/webhooks/delivery-queue.ts'
import type { EventLog } from '../../../domain/webhooks/event-log.ts'
import { runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { acceptedAtMsOf } from '../../queue/event-number.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import type { Primary } from '../primary.ts'
import { Acceptance, lanes } from './acceptance.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { Bookkeeping } from './bookkeeping.ts'
import { claimEvents } from './claims.ts'
import { DayPartitions } from './day-partitions.ts'
import { Distribution } from './distribution.ts'
import { EventIds } from './event-ids.ts'
import { Failures } from './failures.ts'
import { Intake } from './intake.ts'
import { Nodes } from './nodes.ts'
import { PostgresCounts } from './postgres-counts.ts'
import { PostgresLog } from './postgres-log.ts'
import { QueueLoad } from './queue-load.ts'
import type { QueueParts } from './queue-parts.ts'
import { queuePool } from './queue-pool.ts'
import { renewLeases } from './renewals.ts'
import { lastNumberOf } from './reservation.ts'
import { Retention } from './retention.ts'
import { Tables } from './tables.ts'
import { WakeUp } from './wake-up.ts'

export interface PostgresQueueOptions {
  primary: Primary
  /** The queue's limits, which must be the same on all nodes. */
  limits: QueueLimits
  /** Unique to this process, across all nodes and restarts. Must not contain spaces. */
  nodeId: string
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /**
   * Called with errors from individual rows or steps that failed without stopping the others. Failed rows and steps are
   * retried.
   */
  onFault?: OnFault | undefined
}

/** Size of the pool for claims and all other work except acceptance, which has its own pool. */
const claimConnections = 3

/**
 * The delivery queue on PostgreSQL, shared by any number of nodes. No node keeps event state in memory, so an event
 * accepted by one node can be claimed through another. When a node disappears, its leases expire or another node takes
 * them over.
 *
 * Lease expiry depends on `nowMs`, so the nodes' clocks must agree to within a few milliseconds, as they do with
 * `DatabaseClock`.
 */
export class PostgresQueue implements DeliveryQueue {
  readonly log: EventLog
  readonly #parts: QueueParts
  readonly #writers: PostgresPool
  readonly #acceptance: Acceptance
  readonly #intake: Intake
  readonly #books: Bookkeeping
  readonly #acknowledgements: Acknowledgements
  readonly #failures: Failures
  readonly #retention: Retention
  readonly #counts: PostgresCounts
  readonly #load: QueueLoad
  readonly #tables: Tables
  readonly #nodes: Nodes
  readonly #wakeUp: WakeUp
  readonly #attempt: Attempt

  /**
   * Opens the queue on a migrated database. On shutdown, once the dispatcher has stopped, call `flushCounts` and then
   * `close`.
   *
   * @throws StoreUnavailable
   */
  static async open(options: PostgresQueueOptions): Promise<PostgresQueue> {
    const queue = new PostgresQueue(options)
    const { pool, days, ids, distribution } = queue.#parts
    try {
      await days.makeAhead(options.nowMs)
      await ids.read(pool)
      await distribution.read(pool)
      await queue.#load.read()
      await queue.#nodes.start()
      await queue.#wakeUp.start()
    } catch (error) {
      await queue.close()
      throw error
    }
    return queue
  }

  private constructor({ primary, limits, nodeId, chance, onFault = () => {} }: PostgresQueueOptions) {
    this.#attempt = isolatedSteps(onFault)
    this.#wakeUp = new WakeUp(primary, nodeId)
    this.#writers = queuePool(primary, lanes)
    const pool = queuePool(primary, claimConnections)
    const [distribution, ids] = [new Distribution(), new EventIds()]
    this.#parts = { pool, days: new DayPartitions(pool), distribution, ids, nodeId, chance, onFault }
    this.#acceptance = new Acceptance({ pool: this.#writers, limits, ids, distribution })
    this.#acknowledgements = new Acknowledgements(this.#parts)
    this.#failures = new Failures(this.#parts)
    this.#tables = new Tables(this.#parts)
    this.#counts = new PostgresCounts(pool)
    this.#retention = new Retention(pool)
    this.#load = new QueueLoad(pool, limits, () => this.#retention.trimTotals())
    this.#books = new Bookkeeping({
      counts: this.#counts,
      load: this.#load,
      retention: this.#retention,
      ids,
      onDue: (botId) => this.#wakeUp.reportDue(botId),
    })
    this.#intake = new Intake({ acceptance: this.#acceptance, load: this.#load, books: this.#books })
    this.#nodes = new Nodes({ pool, probing: this.#writers, nodeId, onFault })
    this.log = new PostgresLog({ pool, ids, counts: this.#counts })
  }

  onDue(listener: (botId: BotId) => void): () => void {
    return this.#wakeUp.due.add(listener)
  }

  onTaken(listener: (holder: string) => void): () => void {
    return this.#wakeUp.taken.add(listener)
  }

  onDead(listener: (dead: DeadLetter) => void): () => void {
    return this.#books.dead.add(listener)
  }

  loadsFrom(share: number): Promise<BotLoad[]> {
    return this.#load.loadsFrom(share)
  }

  async accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome> {
    const outcome = await this.#intake.accept({ event, replayOf: null, mark })
    return outcome.kind === 'accepted' ? accepted : outcome
  }

  async enqueue(event: NewEvent): Promise<EnqueueOutcome> {
    const outcome = await this.#intake.accept({ event, replayOf: null, mark: undefined })
    if (outcome.kind === 'full' || outcome.kind === 'unavailable') return outcome
    if (outcome.kind === 'repeated') throw new Error('an event without a mark is never repeated')
    return { kind: 'accepted', id: this.#parts.ids.of(event.botId, outcome.number) }
  }

  claim(claim: Claim): Promise<Claimed> {
    return claimEvents(this.#parts, claim)
  }

  botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]> {
    return this.#tables.botsWithEvents([...botIds])
  }

  botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]> {
    return this.#tables.botsWithRetriesDue(sinceMs, nowMs)
  }

  botsWithMissedEvents(botIds: readonly BotId[], nowMs: number): Promise<BotId[]> {
    return this.#tables.botsWithDue(botIds, nowMs)
  }

  async acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    await this.#acknowledgements.store(holder, deliveries, nowMs, (finished) => {
      this.#books.delivered(finished, nowMs)
    })
  }

  async fail(holder: string, failures: readonly Failure[]): Promise<void> {
    this.#books.failed(await this.#failures.report(holder, failures))
  }

  async release(holder: string, deliveries: readonly string[]): Promise<void> {
    for (const botId of await this.#tables.release(holder, deliveries)) this.#wakeUp.reportDue(botId)
  }

  renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]> {
    return renewLeases(this.#parts, { holder, deliveries, nowMs })
  }

  async resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    const lost = await this.renew(holder, listed, at.nowMs)
    const kept = new Set(listed).difference(new Set(lost))
    const failure = { failedAtMs: at.failedAtMs, error: runtimeDisconnectedError }
    this.#books.failed(await this.#failures.reportOthers(holder, kept, false, failure))
    // Wait until the message is sent before accepting the runtime. If the runtime then reconnects to a third node, that
    // node's message must arrive after this one.
    await this.#wakeUp.broadcastTaken(holder)
    return { kept: [...kept], lost }
  }

  async abandon(holder: string, failedAtMs: number): Promise<void> {
    const failure = { failedAtMs, error: runtimeDisconnectedError }
    this.#books.failed(await this.#failures.reportOthers(holder, new Set(), true, failure))
  }

  async failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const failed = await this.#failures.lapse(nowMs)
    this.#books.failed(failed)
    return failed.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  adoptOrphans(): Promise<string[]> {
    return this.#nodes.adopt()
  }

  probe(): Promise<void> {
    return this.#nodes.probe()
  }

  async replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome> {
    const replayOf = this.#parts.ids.numberOf(botId, id)
    const original = await this.log.find(botId, id)
    if (replayOf === undefined || original === undefined) return { kind: 'unknown' }
    const { flowId, path, ordered, headers, clientIp, body } = original
    const event = { botId, flowId, path, ordered, headers, clientIp, body, acceptedAtMs: nowMs }
    const outcome = await this.#intake.accept({ event, replayOf, mark: undefined })
    if (outcome.kind === 'full' || outcome.kind === 'unavailable') return outcome
    if (outcome.kind !== 'accepted') return { kind: 'unknown' }
    return { kind: 'replayed', id: this.#parts.ids.of(botId, outcome.number) }
  }

  discardDead(botId: BotId, ids: readonly string[]): Promise<number> {
    return this.#retention.discardDead(
      botId,
      ids.flatMap((id) => this.#parts.ids.numberOf(botId, id) ?? []),
    )
  }

  async discardWaiting(botId: BotId, id: string): Promise<boolean> {
    const number = this.#parts.ids.numberOf(botId, id)
    const gone = number === undefined ? undefined : await this.#tables.discardReady(botId, number)
    if (gone !== undefined) this.#books.removed([gone])
    return gone !== undefined
  }

  async tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean> {
    const number = this.#parts.ids.numberOf(botId, id)
    if (number === undefined || !(await this.#tables.makeDue(botId, number, nowMs))) return false
    this.#wakeUp.reportDue(botId)
    return true
  }

  async lastAccepted(botId: BotId): Promise<number> {
    await this.#acceptance.settled(botId)
    return lastNumberOf(this.#parts.pool, botId)
  }

  async discard(botId: BotId, upTo: number, leased: Leased): Promise<void> {
    const states = leased === 'remove' ? ['ready', 'leased'] : ['ready']
    await this.#tables.discardUnfinished(botId, { upTo, states }, (events, bytes) => this.#load.leave(events, bytes))
    await this.#retention.discard(botId, upTo)
    await this.#counts.discard(botId)
    await this.#tables.discardMarks(botId, acceptedAtMsOf(upTo))
  }

  async prune(nowMs: number, most: number): Promise<number> {
    await this.#attempt('webhook count pruning', {}, () => this.#counts.prune(nowMs, most))
    await this.#attempt('day partition creation', {}, () => this.#parts.days.makeAhead(nowMs))
    await this.#attempt('day partition removal', {}, () => this.#parts.days.drop(nowMs))
    let count = 0
    await this.#tables.expire(nowMs, most, (expired) => {
      count += expired.length
      this.#books.deadLettered(expired, nowMs)
    })
    return Math.max(count, await this.#tables.forgetIdleBots(nowMs, most))
  }

  flushCounts(): Promise<void> {
    return this.#counts.flush()
  }

  async figures(): Promise<QueueFigures> {
    return {
      waitingEvents: this.#load.events,
      waitingBytes: this.#load.bytes,
      ...(await this.#tables.waiting()),
      ...this.#books.figures,
    }
  }

  pruneMarks(nowMs: number, most: number): Promise<number> {
    return this.#tables.pruneMarks(nowMs, most)
  }

  /** Resolves once everything in flight is done. Other nodes can then take over the leases held through this node. */
  async close(): Promise<void> {
    this.#load.close()
    await this.#acceptance.close()
    await this.#acknowledgements.close()
    await this.#failures.close()
    await this.#retention.close()
    await this.#wakeUp.close()
    await this.#nodes.close()
    await Promise.all([this.#writers.close(), this.#parts.pool.close()])
  }
}

const accepted: AcceptOutcome = { kind: 'accepted' }
