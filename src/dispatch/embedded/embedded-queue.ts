import type { BotId } from '../../domain/ids.ts'
import { leaseMs, runtimeErrorMaxCharacters, unsyncedBodiesMaxBytes } from '../../domain/limits.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import type {
  AcceptOutcome,
  Claim,
  Claimed,
  Delivery,
  DeliveryQueue,
  EventSummary,
  Failure,
  NewEvent,
  ReplayOutcome,
} from '../../domain/webhooks/delivery-queue.ts'
import { afterFailure } from '../../domain/webhooks/retry.ts'
import type { SqliteFile } from '../../store/sqlite/sqlite-file.ts'
import { Backlog, type BacklogLimits, type Turn } from './backlog.ts'
import { acceptedAtMsOf, EventNumbers, idOf, numberOf } from './event-number.ts'
import { EventRows, type NextState } from './event-rows.ts'
import { type Lease, Leases } from './leases.ts'
import { recall } from './recall.ts'
import { Retention, rowsAtOnce } from './retention.ts'

export interface EmbeddedQueueParts {
  /** Its own file: a flood of webhooks does not queue behind tokens, nor the reverse. */
  file: SqliteFile
  limits: BacklogLimits
  /** When the leases that are found begin again, in milliseconds since the epoch. */
  nowMs: number
  /** From 0 up to 1, for the jitter of retries. */
  chance: () => number
}

const accepted: AcceptOutcome = { kind: 'accepted' }
const full: AcceptOutcome = { kind: 'full' }

/**
 * The delivery queue in one SQLite file that this process alone writes. Every change is on disk before it is told;
 * whose turn it is, and who holds which lease, is kept in memory and rebuilt from the rows at the start.
 */
export class EmbeddedQueue implements DeliveryQueue {
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #backlog: Backlog
  readonly #leases = new Leases()
  readonly #numbers: EventNumbers
  readonly #retention: Retention
  readonly #chance: () => number
  readonly #dueListeners = new Set<(botId: BotId) => void>()
  #unsyncedBytes = 0

  constructor({ file, limits, nowMs, chance }: EmbeddedQueueParts) {
    this.#file = file
    this.#rows = new EventRows(file)
    this.#backlog = new Backlog(limits)
    this.#chance = chance
    this.#retention = new Retention({ file, rows: this.#rows, backlog: this.#backlog })
    const memory = { backlog: this.#backlog, leases: this.#leases, retention: this.#retention }
    this.#numbers = new EventNumbers(recall(this.#rows, memory, nowMs))
  }

  onDue(listener: (botId: BotId) => void): () => void {
    this.#dueListeners.add(listener)
    return () => this.#dueListeners.delete(listener)
  }

  accept(event: NewEvent): Promise<AcceptOutcome> {
    return this.#accept(this.#numbers.next(event.acceptedAtMs), event, null)
  }

  async claim(claim: Claim): Promise<Claimed> {
    const turns = this.#backlog.takeTurns(claim.botIds, claim.most, claim.nowMs)
    if (turns.length === 0) return { deliveries: [], more: [] }
    let leased: { deliveries: Delivery[]; untouched: Turn[] }
    try {
      leased = await this.#file.write(() => this.#lease(turns, claim))
    } catch (error) {
      this.#backlog.putBack(turns)
      throw error
    }
    this.#backlog.putBack(leased.untouched)
    for (const delivery of leased.deliveries) this.#hold(delivery, claim.holder, claim.nowMs)
    const more = claim.botIds.filter((botId) => this.#backlog.readyOf(botId)?.hasDue(claim.nowMs))
    return { deliveries: leased.deliveries, more }
  }

  async botsWithEvents(botIds: Iterable<BotId>): Promise<BotId[]> {
    return [...botIds].filter((botId) => this.#backlog.has(botId))
  }

  async botsWithRetriesDue(sinceMs: number, nowMs: number): Promise<BotId[]> {
    return this.#backlog.retriesDue(sinceMs, nowMs)
  }

  async acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    const ended = this.#take(holder, deliveries)
    await this.#settle(ended, () => {
      for (const { number } of ended) this.#rows.finish(number, nowMs)
    })
    for (const lease of ended) {
      this.#backlog.leave(lease.botId, lease.bodyBytes)
      this.#retention.keep('done', lease.bodyBytes)
    }
    this.#retention.trim()
  }

  async fail(holder: string, failures: readonly Failure[]): Promise<void> {
    const failed: { lease: Lease; next: NextState }[] = []
    for (const failure of failures) {
      const lease = this.#leases.take(holder, failure.delivery)
      if (lease !== undefined) failed.push({ lease, next: this.#nextState(lease, failure) })
    }
    await this.#settle(
      failed.map(({ lease }) => lease),
      () => {
        for (const { lease, next } of failed) this.#rows.fail(lease.number, next)
      },
    )
    for (const { lease, next } of failed) {
      if (next.kind === 'retry') {
        this.#backlog.readyOf(lease.botId)?.addRetry(lease.number, next.dueAtMs)
        this.#tellDue(lease.botId)
      } else {
        this.#backlog.leave(lease.botId, lease.bodyBytes)
        this.#retention.keep('dead', lease.bodyBytes)
      }
    }
    this.#retention.trim()
  }

  async release(holder: string, deliveries: readonly string[]): Promise<void> {
    const released = this.#take(holder, deliveries)
    await this.#settle(released, () => {
      for (const { number } of released) this.#rows.giveBack(number)
    })
    for (const { botId, number, attempt } of released) {
      this.#backlog.readyOf(botId)?.add({ number, dueAtMs: acceptedAtMsOf(number), first: attempt === 1 })
      this.#tellDue(botId)
    }
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
      dropped.map(({ delivery }) => ({ delivery, failedAtMs: at.failedAtMs, error: 'the runtime went away' })),
    )
    return { kept: [...kept], lost }
  }

  async lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const lapsed = this.#leases.lapsed(nowMs)
    for (const [holder, leases] of Map.groupBy(lapsed, (lease) => lease.holder)) {
      const failures = leases.map(({ delivery }) => ({ delivery, failedAtMs: nowMs, error: 'the lease ran out' }))
      await this.fail(holder, failures)
    }
    return lapsed.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  async holders(): Promise<string[]> {
    return this.#leases.holders()
  }

  async probe(): Promise<void> {
    await this.#file.write(() => this.#rows.probe())
  }

  async list(botId: BotId, state: 'done' | 'dead', most: number): Promise<EventSummary[]> {
    return this.#rows.finished(botId, state, most)
  }

  async replay(botId: BotId, id: string, nowMs: number): Promise<ReplayOutcome> {
    const original = numberOf(id)
    const event = original === undefined ? undefined : this.#rows.payload(botId, original)
    if (original === undefined || event === undefined) return { kind: 'unknown' }
    const number = this.#numbers.next(nowMs)
    const outcome = await this.#accept(number, { ...event, acceptedAtMs: nowMs }, original)
    return outcome.kind === 'accepted' ? { kind: 'replayed', id: idOf(number) } : outcome
  }

  async discard(botId: BotId): Promise<void> {
    const waiting = this.#backlog.readyOf(botId)?.takeAll() ?? []
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsAtOnce)
      const removed = await this.#file.write(() => batch.flatMap((number) => this.#rows.removeReady(number) ?? []))
      for (const bodyBytes of removed) this.#backlog.leave(botId, bodyBytes)
    }
    await this.#retention.discard(botId)
  }

  prune(nowMs: number, most: number): Promise<number> {
    return this.#retention.prune(nowMs, most)
  }

  async #accept(number: number, event: NewEvent, replayOf: number | null): Promise<AcceptOutcome> {
    const { botId, body } = event
    if (this.#unsyncedBytes > unsyncedBodiesMaxBytes) {
      return { kind: 'unavailable', cause: new StoreUnavailable('more waits for the disk than may be held in memory') }
    }
    if (!this.#backlog.enter(botId, body.length)) return full
    this.#unsyncedBytes += body.length
    try {
      await this.#file.write(() => this.#rows.insert(number, event, replayOf))
    } catch (cause) {
      this.#backlog.leave(botId, body.length)
      return { kind: 'unavailable', cause }
    } finally {
      this.#unsyncedBytes -= body.length
    }
    this.#backlog.readyOf(botId)?.addFirst(number)
    this.#tellDue(botId)
    return accepted
  }

  #lease(turns: readonly Turn[], { holder, mostBytes }: Claim): { deliveries: Delivery[]; untouched: Turn[] } {
    const deliveries: Delivery[] = []
    let bytes = 0
    for (const [index, { number }] of turns.entries()) {
      if (bytes >= mostBytes) return { deliveries, untouched: turns.slice(index) }
      const delivery = this.#rows.lease(number, holder)
      if (delivery === undefined) continue
      deliveries.push(delivery)
      bytes += delivery.body.length
    }
    return { deliveries, untouched: [] }
  }

  #hold({ delivery, id, botId, attempt, acceptedAtMs, body }: Delivery, holder: string, nowMs: number): void {
    const number = numberOf(id) as number
    this.#leases.add({
      delivery,
      number,
      botId,
      holder,
      attempt,
      acceptedAtMs,
      bodyBytes: body.length,
      untilMs: nowMs + leaseMs,
    })
  }

  #take(holder: string, deliveries: readonly string[]): Lease[] {
    return deliveries.flatMap((delivery) => this.#leases.take(holder, delivery) ?? [])
  }

  /** Writes the end of leases that memory has given up already; when the write fails they stand again. */
  async #settle(ended: readonly Lease[], work: () => void): Promise<void> {
    if (ended.length === 0) return
    try {
      await this.#file.write(work)
    } catch (error) {
      for (const lease of ended) this.#leases.add(lease)
      throw error
    }
  }

  #nextState(lease: Lease, failure: Failure): NextState {
    const { failedAtMs, retryMs, dead } = failure
    const { attempt, acceptedAtMs } = lease
    const error = failure.error?.slice(0, runtimeErrorMaxCharacters)
    const next = afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, this.#chance())
    return next.kind === 'retry' ? { ...next, error } : { ...next, atMs: failedAtMs, error }
  }

  #tellDue(botId: BotId): void {
    for (const listener of this.#dueListeners) listener(botId)
  }
}
