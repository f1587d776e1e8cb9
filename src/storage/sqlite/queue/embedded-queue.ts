import { type Attempt, attempts, isolating, type OnFault } from '../../../domain/attempt.ts'
import type { BotId } from '../../../domain/ids.ts'
import { leaseMs, runtimeErrorMaxCharacters, unsyncedBodiesMaxBytes } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { DedupeMark } from '../../../domain/webhooks/dedupe-mark.ts'
import type {
  AcceptOutcome,
  Claim,
  Claimed,
  DeliveryQueue,
  Failure,
  NewEvent,
  QueueFigures,
  QueueLimits,
  ReplayOutcome,
} from '../../../domain/webhooks/delivery-queue.ts'
import type { EventLog } from '../../../domain/webhooks/event-log.ts'
import { afterFailure, leaseRanOut, runtimeGone } from '../../../domain/webhooks/retry.ts'
import { newCountedFigures } from '../../queue/counted-figures.ts'
import { acceptedAtMsOf, EventNumbers, idOf, numberOf } from '../../queue/event-number.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import { Backlog, type Turn, type Unfinished } from './backlog.ts'
import { EmbeddedLog } from './embedded-log.ts'
import { type EventHead, EventRows, errorBytes, type FailedLease, type Leased, leaseOf } from './event-rows.ts'
import { FinishedEvents } from './finished-events.ts'
import { HourlyCounts } from './hourly-counts.ts'
import { type Lease, Leases } from './leases.ts'
import { Marks } from './marks.ts'
import { recall } from './recall.ts'
import { Retention, rowsAtOnce } from './retention.ts'

export interface EmbeddedQueueParts {
  /** Its own file: a flood of webhooks does not queue behind tokens, nor the reverse. */
  file: SqliteFile
  limits: QueueLimits
  /** When the leases that are found begin again, in milliseconds since the epoch. */
  nowMs: number
  /** From 0 up to 1, for the jitter of retries. */
  chance: () => number
  /** Receives errors of steps that failed without stopping the others. Failed steps are retried. */
  onFault?: OnFault | undefined
}

const accepted: AcceptOutcome = { kind: 'accepted' }
const botFull: AcceptOutcome = { kind: 'full', of: 'bot' }
const queueFull: AcceptOutcome = { kind: 'full', of: 'queue' }

/**
 * The delivery queue in one SQLite file that this process alone writes. Every change is on disk before it is told;
 * whose turn it is, and who holds which lease, is kept in memory and rebuilt from the rows at the start.
 */
export class EmbeddedQueue implements DeliveryQueue {
  /** What the owners of bots see of it. */
  readonly log: EventLog
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #marks: Marks
  readonly #backlog: Backlog
  readonly #leases = new Leases()
  readonly #numbers: EventNumbers
  readonly #retention: Retention
  readonly #counts: HourlyCounts
  readonly #chance: () => number
  readonly #attempt: Attempt
  /** Who held leases when the process before this one ended. */
  readonly #orphans: string[]
  readonly #dueListeners = new Set<(botId: BotId) => void>()
  readonly #figures = newCountedFigures()
  #unsyncedBytes = 0

  constructor({ file, limits, nowMs, chance, onFault = () => {} }: EmbeddedQueueParts) {
    this.#file = file
    this.#attempt = attempts(onFault)
    this.#rows = new EventRows(file)
    this.#marks = new Marks(file)
    this.#backlog = new Backlog(limits, (botId) => this.#tellDue(botId))
    this.#chance = chance
    this.#counts = new HourlyCounts(file)
    const finished = new FinishedEvents(file)
    const onExpired = ({ bot_id: botId, flow_id: flowId }: EventHead, atMs: number) => {
      this.#figures.deadLetters += 1
      this.#counts.note('dead', { botId, flowId }, atMs)
    }
    this.#retention = new Retention({ file, rows: this.#rows, finished, backlog: this.#backlog, onExpired, onFault })
    const memory = { backlog: this.#backlog, leases: this.#leases, retention: this.#retention }
    this.#numbers = new EventNumbers(recall(this.#rows, memory, nowMs))
    const { backlog, leases } = memory
    this.#orphans = leases.holders()
    this.log = new EmbeddedLog({ file, rows: this.#rows, finished, backlog, leases, counts: this.#counts })
  }

  onDue(listener: (botId: BotId) => void): () => void {
    this.#dueListeners.add(listener)
    return () => this.#dueListeners.delete(listener)
  }

  onTaken(): () => void {
    return () => {}
  }

  accept(event: NewEvent, mark?: DedupeMark): Promise<AcceptOutcome> {
    return this.#accept(this.#numbers.next(event.acceptedAtMs), event, null, mark)
  }

  async claim(claim: Claim): Promise<Claimed> {
    const turns = this.#backlog.takeTurns(claim.botIds, claim.most, claim.nowMs)
    if (turns.length === 0) return { deliveries: [], more: [] }
    let leased: { taken: Leased[]; untouched: Turn[] }
    try {
      leased = await this.#file.write(() => this.#lease(turns, claim))
    } catch (error) {
      this.#backlog.putBack(turns)
      throw error
    }
    this.#backlog.putBack(leased.untouched)
    for (const { lease } of leased.taken) {
      this.#leases.add({ ...lease, holder: claim.holder, untilMs: claim.nowMs + leaseMs })
    }
    const more = claim.botIds.filter((botId) => this.#backlog.readyOf(botId)?.hasDue(claim.nowMs))
    return { deliveries: leased.taken.map(({ delivery }) => delivery), more }
  }

  async botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]> {
    return [...botIds].filter((botId) => this.#backlog.has(botId))
  }

  async botsOverlooked(): Promise<BotId[]> {
    return []
  }

  async botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]> {
    return this.#backlog.retriesDue(sinceMs, nowMs)
  }

  async acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    await this.#settle(this.#take(holder, deliveries), {
      write: ({ lease }) => this.#rows.finish(lease.number, nowMs),
      written: ({ lease }) => {
        this.#backlog.leave(lease)
        this.#retention.keep('done', lease.botId, lease.keptBytes)
        this.#counts.note('delivered', lease, nowMs)
        this.#figures.deliveryTimes.note(nowMs - lease.acceptedAtMs)
        this.#figures.delivered += 1
      },
    })
    this.#retention.trim()
  }

  async fail(holder: string, failures: readonly Failure[]): Promise<void> {
    const failed: { lease: Lease; failure: FailedLease }[] = []
    for (const failure of failures) {
      const lease = this.#leases.take(holder, failure.delivery)
      if (lease !== undefined) failed.push({ lease, failure: this.#judge(lease, failure) })
    }
    await this.#settle(failed, {
      write: ({ lease, failure }) => this.#rows.fail(lease, failure),
      written: ({ lease, failure }) => this.#afterFailure(lease, failure),
    })
    this.#retention.trim()
  }

  async release(holder: string, deliveries: readonly string[]): Promise<void> {
    await this.#settle(this.#take(holder, deliveries), {
      write: ({ lease }) => this.#rows.giveBack(lease.number),
      written: ({ lease: { botId, number, attempt } }) => {
        this.#backlog.readyOf(botId)?.add({ number, dueAtMs: acceptedAtMsOf(number), first: attempt === 1 })
        this.#tellDue(botId)
      },
    })
  }

  async renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]> {
    return deliveries.filter((delivery) => {
      const lease = this.#leases.find(holder, delivery)
      if (lease !== undefined) lease.untilMs = nowMs + leaseMs
      return lease === undefined
    })
  }

  async resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    const lost = await this.renew(holder, listed, at.nowMs)
    const kept = new Set(listed).difference(new Set(lost))
    const dropped = this.#leases.heldBy(holder).filter((lease) => !kept.has(lease.delivery))
    await this.fail(
      holder,
      dropped.map(({ delivery }) => ({ delivery, failedAtMs: at.failedAtMs, error: runtimeGone })),
    )
    return { kept: [...kept], lost }
  }

  async abandon(holder: string, failedAtMs: number): Promise<void> {
    await this.fail(
      holder,
      this.#leases.heldBy(holder).map(({ delivery }) => ({ delivery, failedAtMs, error: runtimeGone })),
    )
  }

  async lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const lapsed = this.#leases.lapsed(nowMs)
    for (const [holder, leases] of Map.groupBy(lapsed, (lease) => lease.holder)) {
      const failures = leases.map(({ delivery }) => ({ delivery, failedAtMs: nowMs, error: leaseRanOut }))
      await this.#attempt('lease cleanup of a runtime', { holder }, () => this.fail(holder, failures))
    }
    // A lease whose failure could not be written is still held.
    const ended = lapsed.filter(({ holder, delivery }) => this.#leases.find(holder, delivery) === undefined)
    return ended.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  async orphans(): Promise<string[]> {
    return this.#orphans.splice(0)
  }

  probe(): Promise<void> {
    return this.#file.probe()
  }

  async replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome> {
    const original = numberOf(id)
    const found = original === undefined ? undefined : this.#rows.whole(botId, original)
    if (original === undefined || found === undefined) return { kind: 'unknown' }
    const number = this.#numbers.next(nowMs)
    const outcome = await this.#accept(number, { ...found.payload, acceptedAtMs: nowMs }, original, undefined)
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
    this.#backlog.readyOf(botId)?.withdraw(number)
    this.#backlog.leave(leaseOf(removed))
    return true
  }

  async tryNow(botId: BotId, id: string, nowMs: number): Promise<boolean> {
    const number = numberOf(id)
    if (number === undefined || !(await this.#file.write(() => this.#rows.makeDue(botId, number, nowMs)))) return false
    this.#backlog.readyOf(botId)?.makeDue(number, nowMs)
    this.#tellDue(botId)
    return true
  }

  async discard(botId: BotId): Promise<void> {
    const waiting = this.#backlog.unleased(botId)
    this.#backlog.readyOf(botId)?.clear()
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsAtOnce)
      const removed = await this.#file.write(() => batch.flatMap((number) => this.#rows.removeReady(number) ?? []))
      for (const head of removed) this.#backlog.leave(leaseOf(head))
    }
    await this.#retention.discard(botId)
    await this.#counts.discard(botId)
    let removed = rowsAtOnce
    while (removed === rowsAtOnce) removed = await this.#file.write(() => this.#marks.remove(botId, rowsAtOnce))
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

  async #accept(
    number: number,
    event: NewEvent,
    replayOf: number | null,
    mark: DedupeMark | undefined,
  ): Promise<AcceptOutcome> {
    const { botId, flowId, ordered, body } = event
    if (this.#unsyncedBytes > unsyncedBodiesMaxBytes) {
      this.#figures.refusedUnavailable += 1
      return { kind: 'unavailable', cause: new StoreUnavailable('more waits for the disk than may be held in memory') }
    }
    const entry: Unfinished = { number, botId, flowId, ordered, bodyBytes: body.length }
    const entered = this.#backlog.enter(entry)
    if (entered !== 'entered') return this.#refuseFull(entered)
    this.#unsyncedBytes += body.length
    try {
      const repeated = await this.#file.write(() => {
        if (mark !== undefined && !this.#marks.add(botId, mark, event.acceptedAtMs)) return true
        this.#rows.insert(number, event, replayOf)
        if (replayOf !== null) this.#rows.noteReplay(replayOf, number)
        return false
      })
      if (repeated) {
        this.#backlog.leave(entry)
        return { kind: 'repeated' }
      }
    } catch (cause) {
      this.#backlog.leave(entry)
      this.#figures.refusedUnavailable += 1
      return { kind: 'unavailable', cause }
    } finally {
      this.#unsyncedBytes -= body.length
    }
    this.#figures.accepted += 1
    this.#counts.note('accepted', event, event.acceptedAtMs)
    this.#backlog.written(entry)
    this.#tellDue(botId)
    return accepted
  }

  #refuseFull(which: 'bot-full' | 'queue-full'): AcceptOutcome {
    if (which === 'bot-full') {
      this.#figures.refusedBotFull += 1
      return botFull
    }
    this.#figures.refusedQueueFull += 1
    return queueFull
  }

  #lease(turns: readonly Turn[], { holder, mostBytes, nowMs }: Claim): { taken: Leased[]; untouched: Turn[] } {
    const taken: Leased[] = []
    let bytes = 0
    for (const [index, { number }] of turns.entries()) {
      if (bytes >= mostBytes) return { taken, untouched: turns.slice(index) }
      const leased = this.#rows.lease(number, holder, nowMs)
      if (leased === undefined) continue
      taken.push(leased)
      bytes += leased.lease.bodyBytes
    }
    return { taken, untouched: [] }
  }

  #afterFailure(lease: Lease, { next, endedAtMs, error }: FailedLease): void {
    this.#figures.failedAttempts += 1
    this.#counts.note('failed', lease, endedAtMs)
    if (next.kind === 'retry') {
      this.#backlog.readyOf(lease.botId)?.addRetry(lease.number, next.dueAtMs)
      this.#tellDue(lease.botId)
      return
    }
    this.#figures.deadLetters += 1
    this.#counts.note('dead', lease, endedAtMs)
    this.#backlog.leave(lease)
    this.#retention.keep('dead', lease.botId, lease.keptBytes + errorBytes(error))
  }

  #take(holder: string, deliveries: readonly string[]): { lease: Lease }[] {
    return deliveries.flatMap((delivery) => {
      const lease = this.#leases.take(holder, delivery)
      return lease === undefined ? [] : { lease }
    })
  }

  /**
   * Writes the outcome of leases that memory has already released. A lease whose write fails is held again; the
   * others are still written.
   *
   * @param written is called for each lease after its commit.
   * @throws StoreUnavailable, or the error of the first lease that could not be written.
   */
  async #settle<Ended extends { lease: Lease }>(
    ended: readonly Ended[],
    { write, written }: { write: (each: Ended) => void; written: (each: Ended) => void },
  ): Promise<void> {
    const left = new Set(ended)
    const faults: unknown[] = []
    const settle = async (part: readonly Ended[]) => {
      await this.#file.write(() => {
        for (const each of part) write(each)
      })
      for (const each of part) {
        left.delete(each)
        written(each)
      }
    }
    try {
      await isolating(ended, settle, (_, error) => faults.push(error))
    } finally {
      for (const { lease } of left) this.#leases.add(lease)
    }
    if (faults.length > 0) throw faults[0]
  }

  #judge(lease: Lease, failure: Failure): FailedLease {
    const { failedAtMs, retryMs, dead } = failure
    const { attempt, acceptedAtMs } = lease
    const next = afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, this.#chance())
    return { endedAtMs: failedAtMs, error: failure.error?.slice(0, runtimeErrorMaxCharacters), next }
  }

  #tellDue(botId: BotId): void {
    for (const listener of this.#dueListeners) listener(botId)
  }
}
