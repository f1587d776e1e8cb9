import { isolatedSteps, writeInBatches } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Claim, Claimed, Failure } from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { sql } from '../../sql/sql.ts'
import type { DueEvent } from './backlog.ts'
import { errorBytes, type FailedAttempt, type LeasedEvent } from './event-rows.ts'
import type { Lease } from './in-memory.ts'
import type { QueueParts } from './queue-parts.ts'
import type { Retention } from './retention.ts'

/** Leases events and records their outcomes. If a write fails, the queue's in-memory state is restored. */
export function embeddedDeliveries(parts: QueueParts, retention: Retention) {
  const { file, rows, backlog, leases, transitions, counts, figures, chance, due: onDue, onFault } = parts
  const attempt = isolatedSteps(onFault)

  async function claim(claim: Claim): Promise<Claimed> {
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
      write: ({ lease }) =>
        file.run(sql`UPDATE events SET state = 'done', holder = NULL, finished_at_ms = ${nowMs}
          WHERE number = ${lease.number}`),
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
      write: ({ lease }) =>
        file.run(sql`UPDATE events SET state = 'ready', holder = NULL, attempts = attempts - 1
          WHERE number = ${lease.number}`),
      onWritten: ({ lease }) => {
        // Due at once, also if the clock was set back after the event was accepted.
        backlog.makeReady(lease, { dueAtMs: 0, first: lease.attempt === 1 })
        onDue.call(lease.botId)
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
    await abandon(holder, at.failedAtMs, kept)
    return { kept: [...kept], lost }
  }

  async function abandon(holder: string, failedAtMs: number, kept: ReadonlySet<string> = new Set()): Promise<void> {
    const dropped = leases.heldBy(holder).filter(({ delivery }) => !kept.has(delivery))
    const failures = dropped.map(({ delivery }) => ({ delivery, failedAtMs, error: runtimeDisconnectedError }))
    await fail(holder, failures)
  }

  async function failExpired(nowMs: number): Promise<{ holder: string; delivery: string }[]> {
    const expired = leases.expired(nowMs)
    for (const [holder, lost] of Map.groupBy(expired, (lease) => lease.holder)) {
      const failures = lost.map(({ delivery }) => ({ delivery, failedAtMs: nowMs, error: leaseExpiredError }))
      await attempt('lease cleanup of a runtime', { holder }, () => fail(holder, failures))
    }
    // Skips leases whose failure could not be written: they are restored, so the runtime still holds them.
    const ended = expired.filter(({ holder, delivery }) => leases.find(holder, delivery) === undefined)
    return ended.map(({ holder, delivery }) => ({ holder, delivery }))
  }

  function leaseDue(due: readonly DueEvent[], { holder, mostBytes, nowMs }: Claim) {
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
      onDue.call(lease.botId)
      return
    }
    retention.addDead({ ...lease, keptBytes: lease.keptBytes + errorBytes(error) }, endedAtMs, next.because)
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
    { write, onWritten }: { write: (each: Ended) => unknown; onWritten: (each: Ended) => void },
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

  return { claim, acknowledge, fail, release, releaseOf, renew, resume, abandon, failExpired }
}
