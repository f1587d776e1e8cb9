import { type Attempt, isolatedSteps, type OnFault, writeInBatches } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type {
  Claim,
  Claimed,
  DeadLetter,
  DeliveryLeases,
  Failure,
  QueueFigures,
  StrictFlow,
} from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { acceptedAtMsOf, idOf } from '../../queue/event-number.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog, DueEvent } from './backlog.ts'
import { type EventRows, errorBytes, type FailedAttempt, type LeasedEvent } from './event-rows.ts'
import type { HourlyCounts } from './hourly-counts.ts'
import type { Lease, Leases } from './leases.ts'
import type { Retention } from './retention.ts'
import type { Transitions } from './transitions.ts'

export interface DeliveriesParts {
  file: SqliteFile
  rows: EventRows
  backlog: Backlog
  leases: Leases
  transitions: Transitions
  retention: Retention
  counts: HourlyCounts
  figures: Pick<QueueFigures, 'delivered' | 'failedAttempts' | 'deadLetters' | 'deliveryTimes'>
  /** Returns the bot's flows that have strict order now. */
  strictFlows: (botId: BotId) => readonly StrictFlow[]
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /** Called with each bot that may have an event due. */
  onDue: (botId: BotId) => void
  onDead: (dead: DeadLetter) => void
  onFault: OnFault
}

/** Leases events and records their outcomes. If a write fails, the queue's in-memory state is restored. */
export class Deliveries implements DeliveryLeases {
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #backlog: Backlog
  readonly #leases: Leases
  readonly #transitions: Transitions
  readonly #retention: Retention
  readonly #counts: HourlyCounts
  readonly #figures: DeliveriesParts['figures']
  readonly #strictFlows: DeliveriesParts['strictFlows']
  readonly #chance: () => number
  readonly #onDue: (botId: BotId) => void
  readonly #onDead: (dead: DeadLetter) => void
  readonly #attempt: Attempt

  constructor(parts: DeliveriesParts) {
    this.#file = parts.file
    this.#rows = parts.rows
    this.#backlog = parts.backlog
    this.#leases = parts.leases
    this.#transitions = parts.transitions
    this.#retention = parts.retention
    this.#counts = parts.counts
    this.#figures = parts.figures
    this.#strictFlows = parts.strictFlows
    this.#chance = parts.chance
    this.#onDue = parts.onDue
    this.#onDead = parts.onDead
    this.#attempt = isolatedSteps(parts.onFault)
  }

  async claim(claim: Claim): Promise<Claimed> {
    for (const botId of claim.botIds) {
      if (this.#backlog.has(botId)) this.#backlog.setStrict(botId, this.#strictFlows(botId))
    }
    const due = this.#backlog.takeDue(claim.botIds, claim.most, claim.nowMs)
    if (due.length === 0) return { deliveries: [], more: [] }
    return this.#transitions.during(due, () => this.#claim(due, claim))
  }

  async #claim(due: readonly DueEvent[], claim: Claim): Promise<Claimed> {
    let leased: { taken: LeasedEvent[]; untouched: DueEvent[] }
    try {
      leased = await this.#file.write(() => this.#lease(due, claim))
    } catch (error) {
      this.#backlog.putBack(due)
      throw error
    }
    this.#backlog.putBack(leased.untouched)
    for (const { lease } of leased.taken) {
      this.#leases.add({ ...lease, holder: claim.holder, untilMs: claim.nowMs + limits.leaseMs })
    }
    const more = claim.botIds.filter((botId) => this.#backlog.hasDue(botId, claim.nowMs))
    return { deliveries: leased.taken.map(({ delivery }) => delivery), more }
  }

  async acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    await this.#settle(this.#take(holder, deliveries), {
      write: ({ lease }) => this.#rows.finish(lease.number, nowMs),
      onWritten: ({ lease }) => {
        this.#backlog.leave(lease)
        this.#retention.add('done', lease.botId, lease.keptBytes)
        this.#counts.note('delivered', lease, nowMs)
        this.#figures.deliveryTimes.record(nowMs - lease.acceptedAtMs)
        this.#figures.delivered += 1
      },
    })
    this.#retention.trim()
  }

  async fail(holder: string, failures: readonly Failure[]): Promise<void> {
    const failed: { lease: Lease; failure: FailedAttempt }[] = []
    for (const failure of failures) {
      const lease = this.#leases.take(holder, failure.delivery)
      if (lease !== undefined) failed.push({ lease, failure: this.#judge(lease, failure) })
    }
    await this.#settle(failed, {
      write: ({ lease, failure }) => this.#rows.fail(lease, failure),
      onWritten: ({ lease, failure }) => this.#afterFailure(lease, failure),
    })
    this.#retention.trim()
  }

  async release(holder: string, deliveries: readonly string[]): Promise<void> {
    await this.#settle(this.#take(holder, deliveries), {
      write: ({ lease }) => this.#rows.giveBack(lease.number),
      onWritten: ({ lease }) => {
        this.#backlog.makeReady(lease, { dueAtMs: acceptedAtMsOf(lease.number), first: lease.attempt === 1 })
        this.#onDue(lease.botId)
      },
    })
  }

  /** Releases the bot's leased events up to this number, regardless of which runtime holds them. */
  async releaseOf(botId: BotId, upTo: number): Promise<void> {
    for (const { holder, delivery, number } of this.#leases.ofBot(botId)) {
      if (number <= upTo) await this.release(holder, [delivery])
    }
  }

  async renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]> {
    return deliveries.filter((delivery) => {
      const lease = this.#leases.find(holder, delivery)
      if (lease !== undefined) lease.untilMs = nowMs + limits.leaseMs
      return lease === undefined
    })
  }

  async resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    const lost = await this.renew(holder, listed, at.nowMs)
    const kept = new Set(listed).difference(new Set(lost))
    const dropped = this.#leases.heldBy(holder).filter((lease) => !kept.has(lease.delivery))
    await this.fail(
      holder,
      dropped.map(({ delivery }) => ({ delivery, failedAtMs: at.failedAtMs, error: runtimeDisconnectedError })),
    )
    return { kept: [...kept], lost }
  }

  async abandon(holder: string, failedAtMs: number): Promise<void> {
    await this.fail(
      holder,
      this.#leases.heldBy(holder).map(({ delivery }) => ({ delivery, failedAtMs, error: runtimeDisconnectedError })),
    )
  }

  async lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const expired = this.#leases.expired(nowMs)
    for (const [holder, leases] of Map.groupBy(expired, (lease) => lease.holder)) {
      const failures = leases.map(({ delivery }) => ({ delivery, failedAtMs: nowMs, error: leaseExpiredError }))
      await this.#attempt('lease cleanup of a runtime', { holder }, () => this.fail(holder, failures))
    }
    // Skips leases whose failure could not be written: they are restored, so the runtime still holds them.
    const ended = expired.filter(({ holder, delivery }) => this.#leases.find(holder, delivery) === undefined)
    return ended.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  #lease(
    due: readonly DueEvent[],
    { holder, mostBytes, nowMs }: Claim,
  ): { taken: LeasedEvent[]; untouched: DueEvent[] } {
    const taken: LeasedEvent[] = []
    let bytes = 0
    for (const [index, { number }] of due.entries()) {
      if (bytes >= mostBytes) return { taken, untouched: due.slice(index) }
      const leased = this.#rows.lease(number, holder, nowMs)
      if (leased === undefined) continue
      taken.push(leased)
      bytes += leased.lease.bodyBytes
    }
    return { taken, untouched: [] }
  }

  #afterFailure(lease: Lease, { next, endedAtMs, error }: FailedAttempt): void {
    this.#figures.failedAttempts += 1
    this.#counts.note('failed', lease, endedAtMs)
    if (next.kind === 'retry') {
      this.#backlog.makeReady(lease, { dueAtMs: next.dueAtMs, first: false })
      this.#onDue(lease.botId)
      return
    }
    this.#figures.deadLetters += 1
    this.#counts.note('dead', lease, endedAtMs)
    this.#backlog.leave(lease)
    this.#retention.add('dead', lease.botId, lease.keptBytes + errorBytes(error))
    const { botId, flowId, number } = lease
    this.#onDead({ botId, flowId, id: idOf(number), because: next.because })
  }

  #take(holder: string, deliveries: readonly string[]): { lease: Lease }[] {
    return deliveries.flatMap((delivery) => {
      const lease = this.#leases.take(holder, delivery)
      return lease === undefined ? [] : { lease }
    })
  }

  /**
   * Writes the outcomes of leases that have already been removed from memory. If a write fails, that lease is restored
   * and the others are still written.
   *
   * @param onWritten called for each lease after its commit.
   * @throws StoreUnavailable, or the error for the first lease that could not be written.
   */
  async #settle<Ended extends { lease: Lease }>(
    ended: readonly Ended[],
    { write, onWritten }: { write: (each: Ended) => void; onWritten: (each: Ended) => void },
  ): Promise<void> {
    const writing = () =>
      writeInBatches(
        ended,
        ended.length,
        async (part) => {
          await this.#file.write(() => {
            for (const each of part) write(each)
          })
          for (const each of part) onWritten(each)
        },
        (unwritten) => {
          for (const { lease } of unwritten) this.#leases.add(lease)
        },
      )
    const leases = ended.map(({ lease }) => lease)
    await this.#transitions.during(leases, writing)
  }

  #judge(lease: Lease, failure: Failure): FailedAttempt {
    const { failedAtMs, retryMs, dead } = failure
    const { attempt, acceptedAtMs } = lease
    const next = afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, this.#chance())
    return { endedAtMs: failedAtMs, error: failure.error?.slice(0, limits.runtimeErrorMaxCharacters), next }
  }
}
