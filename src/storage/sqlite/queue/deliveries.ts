import { isolatedSteps, type OnFault, writeInBatches } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type {
  Claim,
  Claimed,
  DeadLetter,
  Failure,
  QueueFigures,
  StrictFlow,
} from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { acceptedAtMsOf, idOf } from '../../queue/stored-events.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog, DueEvent } from './backlog.ts'
import { type EventRows, errorBytes, type FailedAttempt, type LeasedEvent } from './event-rows.ts'
import type { HourlyCounts } from './hourly-counts.ts'
import type { Lease, Leases, Transitions } from './leases.ts'
import type { Retention } from './retention.ts'

export interface DeliveriesParts {
  file: SqliteFile
  rows: EventRows
  backlog: Backlog
  leases: Leases
  transitions: Transitions
  retention: Retention
  counts: HourlyCounts
  figures: Pick<QueueFigures, 'delivered' | 'failedAttempts' | 'deadLetters' | 'deliveryTimes'>
  strictFlows: (botId: BotId) => readonly StrictFlow[]
  chance: () => number
  onDue: (botId: BotId) => void
  onDead: (dead: DeadLetter) => void
  onFault: OnFault
}

/** Leases events and records their outcomes. If a write fails, the queue's in-memory state is restored. */
export function embeddedDeliveries({
  file,
  rows,
  backlog,
  leases,
  transitions,
  retention,
  counts,
  figures,
  strictFlows,
  chance,
  onDue,
  onDead,
  onFault,
}: DeliveriesParts) {
  const attempt = isolatedSteps(onFault)

  async function claim(claim: Claim): Promise<Claimed> {
    for (const botId of claim.botIds) {
      if (backlog.has(botId)) backlog.setStrict(botId, strictFlows(botId))
    }
    const due = backlog.takeDue(claim.botIds, claim.most, claim.nowMs)
    if (due.length === 0) return { deliveries: [], more: [] }
    return transitions.during(due, () => claimDue(due, claim))
  }

  async function claimDue(due: readonly DueEvent[], claim: Claim): Promise<Claimed> {
    let leased: { taken: LeasedEvent[]; untouched: DueEvent[] }
    try {
      leased = await file.commit(() => leaseDue(due, claim))
    } catch (error) {
      backlog.putBack(due)
      throw error
    }
    backlog.putBack(leased.untouched)
    for (const { lease } of leased.taken) {
      leases.add({ ...lease, holder: claim.holder, untilMs: claim.nowMs + limits.leaseMs })
    }
    const more = claim.botIds.filter((botId) => backlog.hasDue(botId, claim.nowMs))
    return { deliveries: leased.taken.map(({ delivery }) => delivery), more }
  }

  async function acknowledge(holder: string, deliveries: readonly string[], nowMs: number): Promise<void> {
    await settle(take(holder, deliveries), {
      write: ({ lease }) => rows.finish(lease.number, nowMs),
      onWritten: ({ lease }) => {
        backlog.leave(lease)
        retention.add('done', lease.botId, lease.keptBytes)
        counts.note('delivered', lease, nowMs)
        figures.deliveryTimes.record(nowMs - lease.acceptedAtMs)
        figures.delivered += 1
      },
    })
    retention.trim()
  }

  async function fail(holder: string, failures: readonly Failure[]): Promise<void> {
    const failed: { lease: Lease; failure: FailedAttempt }[] = []
    for (const failure of failures) {
      const lease = leases.take(holder, failure.delivery)
      if (lease !== undefined) failed.push({ lease, failure: judge(lease, failure) })
    }
    await settle(failed, {
      write: ({ lease, failure }) => rows.fail(lease, failure),
      onWritten: ({ lease, failure }) => recordFailure(lease, failure),
    })
    retention.trim()
  }

  async function release(holder: string, deliveries: readonly string[]): Promise<void> {
    await settle(take(holder, deliveries), {
      write: ({ lease }) => rows.giveBack(lease.number),
      onWritten: ({ lease }) => {
        backlog.makeReady(lease, { dueAtMs: acceptedAtMsOf(lease.number), first: lease.attempt === 1 })
        onDue(lease.botId)
      },
    })
  }

  /** Releases the bot's leased events up to this number, regardless of which runtime holds them. */
  async function releaseOf(botId: BotId, upTo: number): Promise<void> {
    for (const { holder, delivery, number } of leases.ofBot(botId)) {
      if (number <= upTo) await release(holder, [delivery])
    }
  }

  async function renew(holder: string, deliveries: readonly string[], nowMs: number): Promise<string[]> {
    return deliveries.filter((delivery) => {
      const lease = leases.find(holder, delivery)
      if (lease !== undefined) lease.untilMs = nowMs + limits.leaseMs
      return lease === undefined
    })
  }

  async function resume(holder: string, listed: readonly string[], at: { nowMs: number; failedAtMs: number }) {
    const lost = await renew(holder, listed, at.nowMs)
    const kept = new Set(listed).difference(new Set(lost))
    const dropped = leases.heldBy(holder).filter((lease) => !kept.has(lease.delivery))
    await fail(
      holder,
      dropped.map(({ delivery }) => ({ delivery, failedAtMs: at.failedAtMs, error: runtimeDisconnectedError })),
    )
    return { kept: [...kept], lost }
  }

  async function abandon(holder: string, failedAtMs: number): Promise<void> {
    await fail(
      holder,
      leases.heldBy(holder).map(({ delivery }) => ({ delivery, failedAtMs, error: runtimeDisconnectedError })),
    )
  }

  async function lapse(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const expired = leases.expired(nowMs)
    for (const [holder, lost] of Map.groupBy(expired, (lease) => lease.holder)) {
      const failures = lost.map(({ delivery }) => ({ delivery, failedAtMs: nowMs, error: leaseExpiredError }))
      await attempt('lease cleanup of a runtime', { holder }, () => fail(holder, failures))
    }
    // Skips leases whose failure could not be written: they are restored, so the runtime still holds them.
    const ended = expired.filter(({ holder, delivery }) => leases.find(holder, delivery) === undefined)
    return ended.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  function leaseDue(
    due: readonly DueEvent[],
    { holder, mostBytes, nowMs }: Claim,
  ): { taken: LeasedEvent[]; untouched: DueEvent[] } {
    const taken: LeasedEvent[] = []
    let bytes = 0
    for (const [index, { number }] of due.entries()) {
      if (bytes >= mostBytes) return { taken, untouched: due.slice(index) }
      const leased = rows.lease(number, holder, nowMs)
      if (leased === undefined) continue
      taken.push(leased)
      bytes += leased.lease.bodyBytes
    }
    return { taken, untouched: [] }
  }

  function recordFailure(lease: Lease, { next, endedAtMs, error }: FailedAttempt): void {
    figures.failedAttempts += 1
    counts.note('failed', lease, endedAtMs)
    if (next.kind === 'retry') {
      backlog.makeReady(lease, { dueAtMs: next.dueAtMs, first: false })
      onDue(lease.botId)
      return
    }
    figures.deadLetters += 1
    counts.note('dead', lease, endedAtMs)
    backlog.leave(lease)
    retention.add('dead', lease.botId, lease.keptBytes + errorBytes(error))
    const { botId, flowId, number } = lease
    onDead({ botId, flowId, id: idOf(number), because: next.because })
  }

  function take(holder: string, deliveries: readonly string[]): { lease: Lease }[] {
    return deliveries.flatMap((delivery) => {
      const lease = leases.take(holder, delivery)
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
  async function settle<Ended extends { lease: Lease }>(
    ended: readonly Ended[],
    { write, onWritten }: { write: (each: Ended) => void; onWritten: (each: Ended) => void },
  ): Promise<void> {
    const writing = () =>
      writeInBatches(
        ended,
        ended.length,
        async (part) => {
          await file.commit(() => {
            for (const each of part) write(each)
          })
          for (const each of part) onWritten(each)
        },
        (unwritten) => {
          for (const { lease } of unwritten) leases.add(lease)
        },
      )
    const moving = ended.map(({ lease }) => lease)
    await transitions.during(moving, writing)
  }

  function judge(lease: Lease, failure: Failure): FailedAttempt {
    const { failedAtMs, retryMs, dead } = failure
    const { attempt, acceptedAtMs } = lease
    const next = afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, chance())
    return { endedAtMs: failedAtMs, error: failure.error?.slice(0, limits.runtimeErrorMaxCharacters), next }
  }

  return { claim, acknowledge, fail, release, releaseOf, renew, resume, abandon, lapse }
}
