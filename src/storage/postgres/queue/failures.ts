import { bisectFailures } from '../../../domain/background-work.ts'
import type { FlowId } from '../../../domain/ids-and-secrets.ts'
import * as limits from '../../../domain/limits/limits.ts'
import type { Failure } from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError, runtimeDisconnectedError } from '../../../domain/webhooks/retry.ts'
import { idOf, type RecordedFailure } from '../../queue/stored-events.ts'
import { TickBatch } from '../batches.ts'
import type { Transaction } from '../postgres-pool.ts'
import { statement } from './distribution.ts'
import { type AttemptName, attemptsNamed, deliveryOf, type EventName } from './event-ids.ts'
import { type EventToFinish, finish, withPartitions } from './finishing.ts'
import type { FailedAttempt, QueueParts } from './queue-parts.ts'

interface LeasedEvent extends AttemptName {
  flowId: FlowId
  holder: string
  nodeId: string | null
  untilMs: number
  attempt: number
  acceptedAtMs: number
  beganAtMs: number
  failures: string | null
}

type AttemptFailure = Omit<Failure, 'delivery'>

type Reported = AttemptName & AttemptFailure & { holder: string }

type FailureOf = (event: LeasedEvent) => AttemptFailure | undefined

const lapsedAtOnce = 500

/** Each node fails its own expired leases. After this time, any node does, because that node may be down. */
const lapseGraceMs = 5_000

/** Retries or dead-letters failed attempts. Writes reports one batch at a time, so that a burst spares connections. */
export function newFailures({ pool, retention, distribution, books, nodeId, chance, onFault }: QueueParts) {
  const reports = new TickBatch<Reported, void>({
    perform: async (batch) => {
      const byAttempt = new Map(batch.map((report) => [keyOf(report), report]))
      await failOnce(batch, (event) => byAttempt.get(keyOf(event)))
      return []
    },
    maxItems: 500,
    partyOf: ({ botId }) => botId,
    bytesOf: ({ error }) => error?.length ?? 0,
  })

  return {
    /** Records failures reported by a runtime. Deliveries that the holder does not lease are ignored. */
    async report(holder: string, failures: readonly Failure[]): Promise<void> {
      const reported = failures.flatMap((failure) =>
        attemptsNamed([failure.delivery]).map((name) => reports.add({ ...failure, ...name, holder })),
      )
      await Promise.all(reported)
    },

    /** Resolves once the failures reported by the holder so far are recorded, or could not be. */
    settled: (holder: string) => reports.handled((reported) => reported.holder === holder),

    close(): Promise<void> {
      return reports.idle()
    },

    /**
     * Fails the leases of a holder that disconnected, except those in `kept`. Leases whose Citus worker is unavailable
     * expire later instead.
     *
     * @param here whether to fail only leases held through this node, and not those that were renewed since, because the
     * runtime has reconnected.
     */
    async disconnect(holder: string, failedAtMs: number, here: boolean, kept: ReadonlySet<string>): Promise<void> {
      const held = await distribution.readEvents<EventName>(pool, leasesOf, [holder, here ? nodeId : ''])
      const failure = { failedAtMs, error: runtimeDisconnectedError }
      await failLeases(held, (event) => {
        const isOther = event.holder === holder && !kept.has(deliveryOf(event))
        const isLost = event.nodeId === nodeId && event.untilMs <= failedAtMs + limits.leaseMs
        return isOther && (!here || isLost) ? failure : undefined
      })
    },

    /** Fails expired leases: this node's immediately, and other nodes' after a grace period. */
    async lapse(nowMs: number): Promise<FailedAttempt[]> {
      const values = [nowMs, nowMs - lapseGraceMs, nodeId, lapsedAtOnce]
      const ended = await distribution.readEvents<EventName>(pool, endedLeases, values)
      const failure = { failedAtMs: nowMs, error: leaseExpiredError }
      return failLeases(ended, (event) => {
        const graceMs = event.nodeId === nodeId ? 0 : lapseGraceMs
        return event.untilMs <= nowMs - graceMs ? failure : undefined
      })
    },
  }

  /**
   * Fails the leases for which `failureOf` returns a failure. If that throws, bisects the leases. Those that cause the
   * error remain leased and are reported to `onFault`.
   *
   * @param leases read without a lock, so they may have changed since.
   * @throws StoreUnavailable
   */
  async function failLeases(leases: readonly EventName[], failureOf: FailureOf): Promise<FailedAttempt[]> {
    const all: FailedAttempt[] = []
    await bisectFailures(
      leases,
      async (part) => {
        all.push(...(await failOnce(part, failureOf)))
      },
      ({ botId, number }, error) => onFault(error, 'attempt failure recording', { botId, event: idOf(number) }),
    )
    return all
  }

  /** Fails the leases of these events in one transaction, which locks the events before it judges them. */
  async function failOnce(events: readonly EventName[], failureOf: FailureOf): Promise<FailedAttempt[]> {
    await distribution.learn(pool, events)
    const work = () =>
      pool.transaction(async (transaction) => {
        const leased = await distribution.run<LeasedEvent, EventName>(transaction, lock, events, ['botId', 'number'])
        return record(transaction, leased, failureOf)
      })
    const { failed, dead } = await withPartitions(retention, events, work)
    books.failed(failed)
    books.deadLettered(dead)
    return failed
  }

  async function record(transaction: Transaction, leased: readonly LeasedEvent[], failureOf: FailureOf) {
    const failed: FailedAttempt[] = []
    const retries: (EventName & { dueAtMs: number; failures: string })[] = []
    const toFinish: EventToFinish[] = []
    for (const event of leased) {
      const failure = failureOf(event)
      if (failure === undefined) continue
      const { botId, flowId, number, lease, holder, attempt, beganAtMs } = event
      const { failedAtMs, retryMs, dead } = failure
      const error = failure.error?.slice(0, limits.runtimeErrorMaxCharacters)
      const latest = { attempt, beganAtMs, endedAtMs: failedAtMs, error }
      const failures = JSON.stringify([...failuresOf(event), latest])
      const next = afterFailure({ ...event, failedAtMs, retryMs, dead }, chance())
      const isRetried = next.kind === 'retry'
      if (isRetried) retries.push({ botId, number, dueAtMs: next.dueAtMs, failures })
      else toFinish.push({ botId, number, lease, holder, finishedAtMs: failedAtMs, because: next.because, failures })
      failed.push({ botId, flowId, holder, delivery: deliveryOf(event), endedAtMs: failedAtMs, isRetried })
    }
    const [finished] = await Promise.all([
      finish(transaction, distribution, 'dead', toFinish),
      distribution.run(transaction, retry, retries, ['botId', 'number', 'dueAtMs', 'failures']),
      transaction.commit(),
    ])
    return { failed, dead: finished }
  }
}

export function failuresOf({ failures }: { failures: string | null }): RecordedFailure[] {
  return failures === null ? [] : JSON.parse(failures)
}

function keyOf(attempt: AttemptName & { holder: string }): string {
  return `${deliveryOf(attempt)} ${attempt.holder}`
}

const leasesOf = `SELECT bot_id AS "botId", number FROM %s
    WHERE holder = $1 AND state = 'leased' AND ($2::text = '' OR node_id = $2)`
const endedLeases = `SELECT bot_id AS "botId", number FROM %s
    WHERE state = 'leased' AND until_ms <= $1 AND (node_id = $3 OR until_ms <= $2) ORDER BY until_ms LIMIT $4`
const lock = statement(
  (and) => `SELECT event.bot_id AS "botId", event.number, leases AS lease, flow_id AS "flowId", holder,
      node_id AS "nodeId", until_ms AS "untilMs", attempts AS attempt, accepted_at_ms AS "acceptedAtMs",
      began_at_ms AS "beganAtMs", failures
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::bigint[]) AS named (bot_id, number)) AS named
      JOIN queue_events AS event ON event.bot_id = named.bot_id AND event.number = named.number
    WHERE state = 'leased' AND holder IS NOT NULL ${and('event.bot_id')}
    ORDER BY event.bot_id, event.number FOR UPDATE OF event`,
)
const retry = statement(
  (and) => `UPDATE queue_events AS event SET state = 'ready', holder = NULL, node_id = NULL, until_ms = NULL,
      due_at_ms = named.due_at_ms, failures = named.failures
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS named (bot_id, number, due_at_ms, failures)
    WHERE event.bot_id = named.bot_id AND event.number = named.number ${and('event.bot_id')}`,
)
