import { isolatedSteps } from '../../../domain/background-work.ts'
import type {
  DeliveryQueue,
  EnqueueOutcome,
  NewEvent,
  Replay,
  ReplayOutcome,
} from '../../../domain/webhooks/delivery-queue.ts'
import { acceptedAtMsOf } from '../../queue/stored-events.ts'
import { newAcceptance } from './acceptance.ts'
import { newFailures } from './failures.ts'
import { newAcknowledgements } from './finishing.ts'
import { lastNumberOf } from './insertion.ts'
import { claimEvents, markOrder, releaseLeases, renewLeases, strictFlows } from './leases.ts'
import { newNodes } from './nodes.ts'
import { postgresLog } from './postgres-log.ts'
import { createParts, type PostgresQueueOptions } from './queue-parts.ts'
import { newTables } from './tables.ts'

export interface PostgresQueue extends DeliveryQueue {
  /** Resolves once everything in flight is done. Other nodes can then take over the leases held through this node. */
  close(): Promise<void>
}

/**
 * Opens the queue on a migrated PostgreSQL database, shared by any number of nodes. No node keeps event state in memory,
 * so an event accepted by one node can be claimed through another. When a node disappears, its leases expire or another
 * node takes them over. On shutdown, once the dispatcher has stopped, call `flushCounts` and then `close`.
 *
 * Lease expiry depends on `nowMs`, so the nodes' clocks must agree to within a few milliseconds, as they do with
 * `DatabaseClock`.
 *
 * @throws StoreUnavailable
 */
export async function openSharedQueue(options: PostgresQueueOptions): Promise<PostgresQueue> {
  const parts = createParts(options)
  const { pool, writers, ids, distribution, load, retention, wakeUp, books, counts, onFault } = parts
  const acceptance = newAcceptance(parts)
  const acknowledgements = newAcknowledgements(parts)
  const failures = newFailures(parts)
  const tables = newTables(parts)
  const nodes = newNodes(parts)
  const log = postgresLog(parts)
  const attempt = isolatedSteps(onFault)

  try {
    await retention.makePartitionsAhead(options.nowMs)
    await ids.read(pool)
    await distribution.read(pool)
    await load.read()
    await nodes.start()
  } catch (error) {
    await close()
    throw error
  }

  return {
    log,
    close,
    onDue: wakeUp.due.add,
    onTaken: wakeUp.taken.add,
    onDead: books.dead.add,
    enqueue: (event) => enqueue(event),
    claim: (claim) => claimEvents(parts, claim),
    renew: (...held) => renewLeases(parts, ...held),
    acknowledge: (...held) => acknowledgements.store(...held),
    fail: (...failed) => failures.report(...failed),
    abandon: (holder, atMs) => failures.disconnect(holder, atMs, true, new Set()),
    probe: () => nodes.probe(),
    adoptOrphans: () => nodes.adopt(),
    botsWithEvents: (botIds) => tables.botsWithEvents([...botIds]),
    botsWithRetriesDue: (...at) => tables.botsWithRetriesDue(...at),
    botsWithMissedEvents: (...at) => tables.botsWithDue(...at),
    pruneMarks: (...at) => tables.pruneMarks(...at),
    loadsFrom: (share) => load.loadsFrom(share),
    flushCounts: () => counts.flush(),

    async accept(event, mark) {
      const outcome = await acceptance.accept({ event, replay: undefined, mark })
      return outcome.kind === 'accepted' ? { kind: 'accepted' } : outcome
    },

    async release(holder, deliveries) {
      for (const botId of await releaseLeases(parts, holder, deliveries)) wakeUp.reportDue(botId)
    },

    async resume(holder, listed, at) {
      // Reports of an earlier session count, although they may still wait to be written.
      await Promise.all([acknowledgements.settled(holder), failures.settled(holder)])
      const lost = await renewLeases(parts, holder, listed, at.nowMs)
      const kept = new Set(listed).difference(new Set(lost))
      await failures.disconnect(holder, at.failedAtMs, false, kept)
      // Wait until the message is sent before accepting the runtime. If the runtime then reconnects to a third node,
      // that node's message must arrive after this one.
      await wakeUp.broadcastTaken({ holder, atMs: at.nowMs })
      return { kept: [...kept], lost }
    },

    async failExpired(nowMs) {
      return (await failures.lapse(nowMs)).map(({ holder, delivery }) => ({ holder, delivery }))
    },

    async replay(botId, id, nowMs, once = false) {
      const of = ids.numberOf(botId, id)
      const original = await log.find(botId, id)
      if (of === undefined || original === undefined) return { kind: 'unknown' }
      const { flowId, path, headers, clientIp, body, test } = original
      const strict = await strictFlows(pool, [botId])
      const ordered = strict.some((flow) => flow.flowId === flowId)
      const event: NewEvent = { botId, flowId, path, ordered, headers, clientIp, body, acceptedAtMs: nowMs }
      if (test) event.test = test
      return enqueue(event, { of, once })
    },

    async discardDead(botId, eventIds) {
      const numbers = eventIds.flatMap((id) => ids.numberOf(botId, id) ?? [])
      return retention.discardDead(botId, numbers)
    },

    async discardWaiting(botId, id) {
      const number = ids.numberOf(botId, id)
      if (number === undefined) return false
      const gone = await tables.discard(botId, { from: number, upTo: number }, ['ready'])
      books.removed(gone)
      return gone.length === 1
    },

    async tryNow(botId, id, nowMs) {
      const number = ids.numberOf(botId, id)
      if (number === undefined || !(await tables.makeDue(botId, number, nowMs))) return false
      wakeUp.reportDue(botId)
      return true
    },

    applyFlowSettings: (botId) => markOrder(parts, botId),

    async lastAccepted(botId) {
      await acceptance.settled(botId)
      return lastNumberOf(pool, botId)
    },

    async discard(botId, upTo, leased) {
      const states = leased === 'remove' ? ['ready', 'leased'] : ['ready']
      for (;;) {
        const gone = await tables.discard(botId, { from: 0, upTo }, states)
        if (gone.length === 0) break
        for (const { bodyBytes } of gone) load.leave(1, bodyBytes)
      }
      await retention.discard(botId, upTo)
      await counts.discard(botId)
      await tables.discardMarks(botId, acceptedAtMsOf(upTo))
    },

    async prune(nowMs, most) {
      await attempt('webhook count pruning', {}, () => counts.prune(nowMs, most))
      await attempt('day partition creation', {}, () => retention.makePartitionsAhead(nowMs))
      await attempt('day partition removal', {}, () => retention.dropPartitions(nowMs))
      await retention.trimTotals()
      const expired = await tables.expire(nowMs, most)
      return Math.max(expired, await tables.forgetIdleBots(nowMs, most))
    },

    async figures() {
      const { events: waitingEvents, bytes: waitingBytes } = load.size
      return { waitingEvents, waitingBytes, ...(await tables.waiting()), ...books.figures }
    },
  }

  async function enqueue(event: NewEvent): Promise<EnqueueOutcome>
  async function enqueue(event: NewEvent, replay: Replay): Promise<ReplayOutcome>
  async function enqueue(event: NewEvent, replay?: Replay): Promise<ReplayOutcome> {
    const outcome = await acceptance.accept({ event, replay, mark: undefined })
    if (outcome.kind === 'repeated') return { kind: 'unknown' }
    if (outcome.kind !== 'accepted') return outcome
    return { kind: 'accepted', id: ids.of(event.botId, outcome.number) }
  }

  async function close(): Promise<void> {
    load.close()
    await acceptance.close()
    await acknowledgements.close()
    await failures.close()
    await retention.close()
    wakeUp.close()
    await nodes.close()
    await Promise.all([writers.close(), pool.close()])
  }
}
