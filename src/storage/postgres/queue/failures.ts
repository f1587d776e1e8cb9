import { bisectFailures } from '../../../domain/attempt.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import { runtimeErrorMaxCharacters } from '../../../domain/limits/limits.ts'
import type { Failure } from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError } from '../../../domain/webhooks/retry.ts'
import { idOf } from '../../queue/event-number.ts'
import type { Transaction } from '../postgres-pool.ts'
import { TickBatch } from '../tick-batch.ts'
import { columnsOf } from './columns-of.ts'
import { statement } from './distribution.ts'
import { type EventToFinish, type FinishedEvent, finish, withPartitions } from './finishing.ts'
import type { QueueParts } from './queue-parts.ts'
import { type AttemptName, attemptNamed, deliveryOf, failuresOf } from './queue-row.ts'

interface LeaseRow {
  bot_id: BotId
  number: number
  flow_id: FlowId
  leases: number
  holder: string
  node_id: string | null
  until_ms: number
  attempts: number
  accepted_at_ms: number
  began_at_ms: number
  failures: string | null
}

/** A failure without the ID of its delivery. */
type AttemptFailure = Omit<Failure, 'delivery'>

export interface FailedAttempt {
  botId: BotId
  flowId: FlowId
  number: number
  holder: string
  delivery: string
  endedAtMs: number
  /** Set if the event became a dead letter instead of being scheduled for a retry. */
  dead: FinishedEvent | undefined
}

interface Reported {
  holder: string
  name: AttemptName
  failure: Failure
}

const lapsedAtOnce = 500

/**
 * Grace period in which each node fails its own expired leases. After it, any node fails them, because the lease's node
 * may be down.
 */
const lapseGraceMs = 5_000

/**
 * Records failed attempts: each event is scheduled for a retry or becomes a dead letter. Reports from runtimes are
 * written one batch at a time, so that a burst of failures doesn't use up all connections.
 */
export class Failures {
  readonly #parts: QueueParts
  readonly #reports = new TickBatch<Reported, FailedAttempt | undefined>({
    perform: (reports) => this.#writeTogether(reports),
    maxItems: 500,
    inOrder: true,
    bytesOf: ({ failure }) => failure.error?.length ?? 0,
  })

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  /** Records failures reported by a runtime. Deliveries that the holder does not lease are ignored. */
  async report(holder: string, failures: readonly Failure[]): Promise<FailedAttempt[]> {
    const reported = failures.flatMap((failure) => {
      const name = attemptNamed(failure.delivery)
      return name === undefined ? [] : this.#reports.add({ holder, name, failure })
    })
    return (await Promise.all(reported)).flatMap((failed) => failed ?? [])
  }

  close(): Promise<void> {
    return this.#reports.idle()
  }

  /**
   * Fails the holder's leases except those in `kept`.
   *
   * @param here whether to fail only leases held through this node.
   */
  async reportOthers(
    holder: string,
    kept: ReadonlySet<string>,
    here: boolean,
    failure: AttemptFailure,
  ): Promise<FailedAttempt[]> {
    const { pool, nodeId } = this.#parts
    const held = await pool.rows<EventName>(leasesOf, [holder, here ? nodeId : null])
    return this.#failLeases(held, (event) => {
      const isOther = event.holder === holder && !kept.has(deliveryNamed(event))
      return isOther && (!here || event.node_id === nodeId) ? failure : undefined
    })
  }

  /** Fails expired leases: this node's immediately, and other nodes' after a grace period. */
  async lapse(nowMs: number): Promise<FailedAttempt[]> {
    const { pool, distribution, nodeId } = this.#parts
    const values = [nowMs, nowMs - lapseGraceMs, nodeId, lapsedAtOnce]
    const ended = await distribution.readEvents<EventName>(pool, endedLeases, values)
    const failure = { failedAtMs: nowMs, error: leaseExpiredError }
    return this.#failLeases(ended, (event) => {
      const graceMs = event.node_id === nodeId ? 0 : lapseGraceMs
      return event.until_ms <= nowMs - graceMs ? failure : undefined
    })
  }

  async #writeTogether(reports: readonly Reported[]): Promise<(FailedAttempt | undefined)[]> {
    const byName = new Map(reports.map((report) => [keyOf(report.holder, report.failure.delivery), report]))
    const reportOn = ({ holder, delivery }: Pick<FailedAttempt, 'holder' | 'delivery'>) =>
      byName.get(keyOf(holder, delivery))
    const failed = await this.#failOnce(
      reports.map(({ name }) => name),
      (event) => reportOn({ holder: event.holder, delivery: deliveryNamed(event) })?.failure,
    )
    const byReport = new Map(failed.map((each) => [reportOn(each), each]))
    return reports.map((report) => byReport.get(report))
  }

  /**
   * Fails the leases for which `failureOf` returns a failure. If that throws, bisects the leases. Those that
   * cause the error remain leased and are reported to `onFault`.
   *
   * @param leases read without a lock, so they may have changed since.
   * @throws StoreUnavailable
   */
  async #failLeases(leases: readonly EventName[], failureOf: FailureOf): Promise<FailedAttempt[]> {
    const all: FailedAttempt[] = []
    await bisectFailures(
      leases,
      async (part) => {
        all.push(...(await this.#failOnce(part, failureOf)))
      },
      ({ botId, number }, error) =>
        this.#parts.onFault(error, 'attempt failure recording', { botId, event: idOf(number) }),
    )
    return all
  }

  /** Fails the leases of these events in one transaction, which locks the events before it judges them. */
  async #failOnce(events: readonly EventName[], failureOf: FailureOf): Promise<FailedAttempt[]> {
    const { pool, days, distribution } = this.#parts
    await distribution.learn(pool, events)
    const work = () =>
      pool.transaction(async (transaction) => {
        const rows = await distribution.run<LeaseRow, EventName>(transaction, lock, events, (some) =>
          columnsOf(some, 'botId', 'number'),
        )
        return this.#record(transaction, rows, failureOf)
      })
    return withPartitions(days, events, work)
  }

  async #record(transaction: Transaction, rows: readonly LeaseRow[], failureOf: FailureOf): Promise<FailedAttempt[]> {
    const { distribution, chance } = this.#parts
    const failed: (Omit<FailedAttempt, 'dead'> & { finishing: EventToFinish | undefined })[] = []
    const retries: Retry[] = []
    for (const row of rows) {
      const failure = failureOf(row)
      if (failure === undefined) continue
      const { bot_id: botId, flow_id: flowId, number, leases: lease, holder, attempts: attempt } = row
      const { failedAtMs, retryMs, dead } = failure
      const failures = withFailure(row, failure)
      const next = afterFailure({ attempt, acceptedAtMs: row.accepted_at_ms, failedAtMs, retryMs, dead }, chance())
      let finishing: EventToFinish | undefined
      if (next.kind === 'retry') retries.push({ botId, number, dueAtMs: next.dueAtMs, failures })
      else finishing = { botId, number, lease, holder, finishedAtMs: failedAtMs, because: next.because, failures }
      failed.push({ botId, flowId, number, holder, delivery: deliveryNamed(row), endedAtMs: failedAtMs, finishing })
    }
    const toFinish = failed.flatMap(({ finishing }) => finishing ?? [])
    const [finished] = await Promise.all([
      finish(transaction, distribution, 'queue_dead', toFinish),
      distribution.run(transaction, retry, retries, (some) =>
        columnsOf(some, 'botId', 'number', 'dueAtMs', 'failures'),
      ),
      transaction.commit(),
    ])
    return failed.map(({ finishing, ...attempt }) => ({ ...attempt, dead: finishing && finished.get(finishing) }))
  }
}

interface EventName {
  botId: BotId
  number: number
}

interface Retry extends EventName {
  dueAtMs: number
  failures: string
}

type FailureOf = (event: LeaseRow) => AttemptFailure | undefined

function keyOf(holder: string, delivery: string): string {
  return `${delivery} ${holder}`
}

/** Returns the ID of the event's latest attempt. */
function deliveryNamed({ bot_id: botId, number, leases: lease }: LeaseRow): string {
  return deliveryOf({ botId, number, lease })
}

/** Adds the failure to the row's earlier failures, and returns all of them in their stored form. */
function withFailure(row: LeaseRow, { failedAtMs, error }: AttemptFailure): string {
  const { attempts: attempt, began_at_ms: beganAtMs } = row
  const cut = error?.slice(0, runtimeErrorMaxCharacters)
  return JSON.stringify([...failuresOf(row), { attempt, beganAtMs, endedAtMs: failedAtMs, error: cut }])
}

const leasesOf = `SELECT bot_id AS "botId", number FROM queue_events
    WHERE holder = $1 AND state = 'leased' AND ($2::text IS NULL OR node_id = $2)`
const endedLeases = `SELECT bot_id AS "botId", number FROM %s
    WHERE state = 'leased' AND until_ms <= $1 AND (node_id = $3 OR until_ms <= $2) ORDER BY until_ms LIMIT $4`
const lock = statement(
  (and) => `SELECT event.bot_id, event.number, flow_id, leases, holder, node_id, until_ms, attempts, accepted_at_ms,
      began_at_ms, failures
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
