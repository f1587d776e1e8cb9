import { isolatedSteps } from '../../../domain/background-work.ts'
import type { Leased } from '../../../domain/bots/deleted-bots.ts'
import type { BotId } from '../../../domain/ids.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type {
  AcceptOutcome,
  DeliveryQueue,
  EnqueueOutcome,
  NewEvent,
  QueueFigures,
  ReplayOutcome,
} from '../../../domain/webhooks/delivery-queue.ts'
import type { EventLog } from '../../../domain/webhooks/event-log.ts'
import { acceptedAtMsOf } from '../../queue/stored-events.ts'
import { Acceptance } from './acceptance.ts'
import { Failures } from './failures.ts'
import { Acknowledgements } from './finishing.ts'
import { lastNumberOf } from './insertion.ts'
import { claimEvents, releaseLeases, renewLeases } from './leases.ts'
import { Nodes } from './nodes.ts'
import { PostgresLog } from './postgres-log.ts'
import { createParts, type PostgresQueueOptions, type QueueParts } from './queue-parts.ts'
import { markOrder, strictFlows } from './strict-flows.ts'
import { Tables } from './tables.ts'

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
  readonly claim: DeliveryQueue['claim'] = (claim) => claimEvents(this.#parts, claim)
  readonly renew: DeliveryQueue['renew'] = (...held) => renewLeases(this.#parts, ...held)
  readonly acknowledge: DeliveryQueue['acknowledge'] = (...held) => this.#acknowledgements.store(...held)
  readonly fail: DeliveryQueue['fail'] = (...failed) => this.#failures.report(...failed)
  readonly abandon: DeliveryQueue['abandon'] = (holder, atMs) =>
    this.#failures.disconnect(holder, atMs, true, new Set())
  readonly enqueue: DeliveryQueue['enqueue'] = (event) => this.#enqueue(event, null)
  readonly probe: DeliveryQueue['probe'] = () => this.#nodes.probe()
  readonly adoptOrphans: DeliveryQueue['adoptOrphans'] = () => this.#nodes.adopt()
  readonly botsWithEvents: DeliveryQueue['botsWithEvents'] = (botIds) => this.#tables.botsWithEvents([...botIds])
  readonly botsWithRetriesDue: DeliveryQueue['botsWithRetriesDue'] = (...at) => this.#tables.botsWithRetriesDue(...at)
  readonly botsWithMissedEvents: DeliveryQueue['botsWithMissedEvents'] = (...at) => this.#tables.botsWithDue(...at)
  readonly pruneMarks: DeliveryQueue['pruneMarks'] = (...at) => this.#tables.pruneMarks(...at)
  readonly loadsFrom: DeliveryQueue['loadsFrom'] = (share) => this.#parts.load.loadsFrom(share)
  readonly flushCounts: DeliveryQueue['flushCounts'] = () => this.#parts.counts.flush()
  readonly onDue: DeliveryQueue['onDue']
  readonly onTaken: DeliveryQueue['onTaken']
  readonly onDead: DeliveryQueue['onDead']
  readonly #parts: QueueParts
  readonly #acceptance: Acceptance
  readonly #acknowledgements: Acknowledgements
  readonly #failures: Failures
  readonly #tables: Tables
  readonly #nodes: Nodes

  /**
   * Opens the queue on a migrated database. On shutdown, once the dispatcher has stopped, call `flushCounts` and then
   * `close`.
   *
   * @throws StoreUnavailable
   */
  static async open(options: PostgresQueueOptions): Promise<PostgresQueue> {
    const queue = new PostgresQueue(options)
    const { pool, ids, distribution, load, retention, wakeUp } = queue.#parts
    try {
      await retention.makePartitionsAhead(options.nowMs)
      await ids.read(pool)
      await distribution.read(pool)
      await load.read()
      await queue.#nodes.start()
      await wakeUp.start()
    } catch (error) {
      await queue.close()
      throw error
    }
    return queue
  }

  private constructor(options: PostgresQueueOptions) {
    this.#parts = createParts(options)
    const { books, wakeUp } = this.#parts
    this.#acceptance = new Acceptance(this.#parts)
    this.#acknowledgements = new Acknowledgements(this.#parts)
    this.#failures = new Failures(this.#parts)
    this.#tables = new Tables(this.#parts)
    this.#nodes = new Nodes(this.#parts)
    this.log = new PostgresLog(this.#parts)
    this.onDue = wakeUp.due.add
    this.onTaken = wakeUp.taken.add
    this.onDead = books.dead.add
  }

  async accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome> {
    const outcome = await this.#acceptance.accept({ event, replayOf: null, mark })
    return outcome.kind === 'accepted' ? accepted : outcome
  }

  async #enqueue(event: NewEvent, replayOf: number | null): Promise<EnqueueOutcome> {
    const outcome = await this.#acceptance.accept({ event, replayOf, mark: undefined })
    if (outcome.kind === 'repeated') throw new Error('an event without a mark is never repeated')
    if (outcome.kind !== 'accepted') return outcome
    return { kind: 'accepted', id: this.#parts.ids.of(event.botId, outcome.number) }
  }

  async release(holder: string, deliveries: readonly string[]): Promise<void> {
    for (const botId of await releaseLeases(this.#parts, holder, deliveries)) this.#parts.wakeUp.reportDue(botId)
  }

  async resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    const lost = await this.renew(holder, listed, at.nowMs)
    const kept = new Set(listed).difference(new Set(lost))
    await this.#failures.disconnect(holder, at.failedAtMs, false, kept)
    // Wait until the message is sent before accepting the runtime. If the runtime then reconnects to a third node, that
    // node's message must arrive after this one.
    await this.#parts.wakeUp.broadcastTaken(holder)
    return { kept: [...kept], lost }
  }

  async failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    return (await this.#failures.lapse(nowMs)).map(({ holder, delivery }) => ({ holder, delivery }))
  }

  async replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome> {
    const replayOf = this.#parts.ids.numberOf(botId, id)
    const original = await this.log.find(botId, id)
    if (replayOf === undefined || original === undefined) return { kind: 'unknown' }
    const { flowId, path, headers, clientIp, body, test } = original
    const strict = await strictFlows(this.#parts.pool, [botId])
    const ordered = strict.some((flow) => flow.flowId === flowId)
    const event: NewEvent = { botId, flowId, path, ordered, headers, clientIp, body, acceptedAtMs: nowMs }
    if (test) event.test = test
    const outcome = await this.#enqueue(event, replayOf)
    return outcome.kind === 'accepted' ? { kind: 'replayed', id: outcome.id } : outcome
  }

  discardDead(botId: BotId, ids: readonly string[]): Promise<number> {
    const numbers = ids.flatMap((id) => this.#parts.ids.numberOf(botId, id) ?? [])
    return this.#parts.retention.discardDead(botId, numbers)
  }

  async discardWaiting(botId: BotId, id: string): Promise<boolean> {
    const number = this.#parts.ids.numberOf(botId, id)
    if (number === undefined) return false
    const gone = await this.#tables.discard(botId, { from: number, upTo: number }, ['ready'])
    this.#parts.books.removed(gone)
    return gone.length === 1
  }

  async tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean> {
    const number = this.#parts.ids.numberOf(botId, id)
    if (number === undefined || !(await this.#tables.makeDue(botId, number, nowMs))) return false
    this.#parts.wakeUp.reportDue(botId)
    return true
  }

  async applyFlowSettings(botId: BotId): Promise<void> {
    await markOrder(this.#parts, botId)
    // Each node applies the change, so none needs a message.
    this.#parts.wakeUp.due.call(botId)
  }

  async lastAccepted(botId: BotId): Promise<number> {
    await this.#acceptance.settled(botId)
    return lastNumberOf(this.#parts.pool, botId)
  }

  async discard(botId: BotId, upTo: number, leased: Leased): Promise<void> {
    const { load, retention, counts } = this.#parts
    const states = leased === 'remove' ? ['ready', 'leased'] : ['ready']
    for (;;) {
      const gone = await this.#tables.discard(botId, { from: 0, upTo }, states)
      if (gone.length === 0) break
      for (const { bodyBytes } of gone) load.leave(1, bodyBytes)
    }
    await retention.discard(botId, upTo)
    await counts.discard(botId)
    await this.#tables.discardMarks(botId, acceptedAtMsOf(upTo))
  }

  async prune(nowMs: number, most: number): Promise<number> {
    const { counts, retention, onFault } = this.#parts
    const attempt = isolatedSteps(onFault)
    await attempt('webhook count pruning', {}, () => counts.prune(nowMs, most))
    await attempt('day partition creation', {}, () => retention.makePartitionsAhead(nowMs))
    await attempt('day partition removal', {}, () => retention.dropPartitions(nowMs))
    await retention.trimTotals()
    const expired = await this.#tables.expire(nowMs, most)
    return Math.max(expired, await this.#tables.forgetIdleBots(nowMs, most))
  }

  async figures(): Promise<QueueFigures> {
    const { load, books } = this.#parts
    const { events: waitingEvents, bytes: waitingBytes } = load.size
    return { waitingEvents, waitingBytes, ...(await this.#tables.waiting()), ...books.figures }
  }

  /** Resolves once everything in flight is done. Other nodes can then take over the leases held through this node. */
  async close(): Promise<void> {
    const { load, retention, wakeUp, writers, pool } = this.#parts
    load.close()
    await this.#acceptance.close()
    await this.#acknowledgements.close()
    await this.#failures.close()
    await retention.close()
    await wakeUp.close()
    await this.#nodes.close()
    await Promise.all([writers.close(), pool.close()])
  }
}

const accepted: AcceptOutcome = { kind: 'accepted' }
