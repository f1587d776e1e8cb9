import { bisectFailures, type OnFault } from '../../../domain/attempt.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import { leaseMs, runtimeErrorMaxCharacters } from '../../../domain/limits/limits.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { Failure } from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError } from '../../../domain/webhooks/retry.ts'
import { idOf } from '../../queue/event-number.ts'
import type { PostgresPool, Transaction } from '../postgres-pool.ts'
import { TickBatch } from '../tick-batch.ts'
import type { DayPartitions } from './day-partitions.ts'
import { type EventToFinish, type FinishedEvent, finish, withPartitions } from './finishing.ts'
import { type AttemptName, attemptNamed, deliveryOf, failuresOf } from './queue-row.ts'

interface LeaseRow {
  bot_id: BotId
  number: number
  flow_id: FlowId
  leases: number
  holder: string
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
}

export interface Failed {
  failed: FailedAttempt[]
  /** Events that became dead letters instead of being scheduled for a retry. */
  dead: FinishedEvent[]
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
  readonly #pool: PostgresPool
  readonly #days: DayPartitions
  readonly #nodeId: string
  readonly #chance: () => number
  readonly #onFault: OnFault
  readonly #reports = new TickBatch<Reported, Failed>({
    perform: (reports) => this.#writeTogether(reports),
    maxItems: 500,
    inOrder: true,
    bytesOf: ({ failure }) => failure.error?.length ?? 0,
  })

  constructor(parts: {
    pool: PostgresPool
    days: DayPartitions
    nodeId: string
    chance: () => number
    onFault: OnFault
  }) {
    this.#pool = parts.pool
    this.#days = parts.days
    this.#nodeId = parts.nodeId
    this.#chance = parts.chance
    this.#onFault = parts.onFault
  }

  /** Records failures reported by a runtime. Deliveries that the holder does not lease are ignored. */
  async report(holder: string, failures: readonly Failure[]): Promise<Failed> {
    const reported = failures.flatMap((failure) => {
      const name = attemptNamed(failure.delivery)
      return name === undefined ? [] : this.#reports.add({ holder, name, failure })
    })
    const all = await Promise.all(reported)
    return { failed: all.flatMap(({ failed }) => failed), dead: all.flatMap(({ dead }) => dead) }
  }

  close(): Promise<void> {
    return this.#reports.idle()
  }

  /**
   * Fails the holder's leases except those in `kept`.
   *
   * @param here whether to fail only leases held through this node.
   */
  reportOthers(holder: string, kept: ReadonlySet<string>, here: boolean, failure: AttemptFailure): Promise<Failed> {
    const values = [holder, here ? this.#nodeId : null]
    return this.#fail(lockOfHolder, values, (delivery) => (kept.has(delivery) ? undefined : failure))
  }

  /** Fails expired leases: this node's immediately, and other nodes' after a grace period. */
  lapse(nowMs: number): Promise<Failed> {
    const values = [nowMs, nowMs - lapseGraceMs, this.#nodeId, lapsedAtOnce]
    return this.#fail(lockLapsed, values, () => ({ failedAtMs: nowMs, error: leaseExpiredError }))
  }

  async #writeTogether(part: readonly Reported[]): Promise<Failed[]> {
    const byName = new Map(part.map((report) => [keyOf(report.holder, report.failure.delivery), report]))
    const reports = [...byName.values()]
    const names = reports.map(({ name, holder }) => ({ ...name, holder }))
    const failureOf: FailureOf = (delivery, holder) => byName.get(keyOf(holder, delivery))?.failure
    const { failed, dead } = await this.#failOnce(lockNamed, valuesOf(names), failureOf, () => {})
    const failedByName = new Map(failed.map((each) => [keyOf(each.holder, each.delivery), each]))
    const deadByEvent = new Map(dead.map((each) => [`${each.botId} ${each.number}`, each]))
    return part.map((report) => {
      const key = keyOf(report.holder, report.failure.delivery)
      const own = byName.get(key) === report ? failedByName.get(key) : undefined
      const letter = own && deadByEvent.get(`${own.botId} ${own.number}`)
      return { failed: own === undefined ? [] : [own], dead: letter === undefined ? [] : [letter] }
    })
  }

  /**
   * Fails the leases that the `lock` statement selects, in one transaction. If that throws, bisects the leases. Those
   * that cause the error remain leased and are reported to `onFault`.
   *
   * @throws StoreUnavailable, or the error of the `lock` statement.
   */
  async #fail(lock: string, values: unknown[], failureOf: FailureOf): Promise<Failed> {
    let rows: readonly LeaseRow[] = []
    try {
      return await this.#failOnce(lock, values, failureOf, (locked) => {
        rows = locked
      })
    } catch (error) {
      if (error instanceof StoreUnavailable || rows.length === 0) throw error
    }
    const all: Failed = { failed: [], dead: [] }
    await bisectFailures(
      rows,
      async (part) => {
        const names = part.map(({ bot_id: botId, number, leases: lease, holder }) => ({ botId, number, lease, holder }))
        const { failed, dead } = await this.#failOnce(lockNamed, valuesOf(names), failureOf, () => {})
        all.failed.push(...failed)
        all.dead.push(...dead)
      },
      ({ bot_id: botId, number }, error) =>
        this.#onFault(error, 'attempt failure recording', { botId, event: idOf(number) }),
    )
    return all
  }

  #failOnce(
    lock: string,
    values: unknown[],
    failureOf: FailureOf,
    onLocked: (rows: readonly LeaseRow[]) => void,
  ): Promise<Failed> {
    let rows: LeaseRow[] = []
    const work = () =>
      this.#pool.transaction(async (transaction) => {
        rows = await transaction.rows<LeaseRow>(lock, values)
        onLocked(rows)
        return this.#record(transaction, rows, failureOf)
      })
    return withPartitions(this.#days, () => rows.map(({ number }) => number), work)
  }

  async #record(transaction: Transaction, rows: readonly LeaseRow[], failureOf: FailureOf): Promise<Failed> {
    const failed: FailedAttempt[] = []
    const retries: { row: LeaseRow; dueAtMs: number; failures: string }[] = []
    const toFinish: EventToFinish[] = []
    for (const row of rows) {
      const delivery = deliveryOf({ botId: row.bot_id, number: row.number, lease: row.leases })
      const failure = failureOf(delivery, row.holder)
      if (failure === undefined) continue
      const failures = withFailure(row, failure)
      const next = this.#judge(row, failure)
      if (next.kind === 'retry') retries.push({ row, dueAtMs: next.dueAtMs, failures })
      else {
        const lease = { lease: row.leases, holder: row.holder }
        const { bot_id: botId, number } = row
        toFinish.push({ botId, number, lease, finishedAtMs: failure.failedAtMs, because: next.because, failures })
      }
      const { bot_id: botId, flow_id: flowId, number, holder } = row
      failed.push({ botId, flowId, number, holder, delivery, endedAtMs: failure.failedAtMs })
    }
    const retried =
      retries.length > 0 &&
      transaction.rows(retry, [
        retries.map(({ row }) => row.bot_id),
        retries.map(({ row }) => row.number),
        retries.map(({ dueAtMs }) => dueAtMs),
        retries.map(({ failures }) => failures),
      ])
    const [dead] = await Promise.all([toFinish.length > 0 ? finish(transaction, 'queue_dead', toFinish) : [], retried])
    return { failed, dead }
  }

  #judge(row: LeaseRow, { failedAtMs, retryMs, dead }: AttemptFailure) {
    const { attempts: attempt, accepted_at_ms: acceptedAtMs } = row
    return afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, this.#chance())
  }
}

type FailureOf = (delivery: string, holder: string) => AttemptFailure | undefined

function keyOf(holder: string, delivery: string): string {
  return `${delivery} ${holder}`
}

function valuesOf(names: readonly (AttemptName & { holder: string })[]): unknown[] {
  return [
    names.map(({ botId }) => botId),
    names.map(({ number }) => number),
    names.map(({ lease }) => lease),
    names.map(({ holder }) => holder),
  ]
}

/** Adds the failure to the row's earlier failures, and returns all of them in their stored form. */
function withFailure(row: LeaseRow, { failedAtMs, error }: AttemptFailure): string {
  const { attempts: attempt, began_at_ms: beganAtMs } = row
  const cut = error?.slice(0, runtimeErrorMaxCharacters)
  return JSON.stringify([...failuresOf(row), { attempt, beganAtMs, endedAtMs: failedAtMs, error: cut }])
}

/** Renews leases and moves them to this node. Resolves with the deliveries that are not leased to the holder. */
export async function renewLeases(
  pool: PostgresPool,
  nodeId: string,
  renewal: { holder: string; deliveries: readonly string[]; nowMs: number },
): Promise<string[]> {
  const { holder, deliveries, nowMs } = renewal
  const names = deliveries.flatMap((delivery) => attemptNamed(delivery) ?? [])
  if (names.length === 0) return [...deliveries]
  const rows = await pool.rows<{ bot_id: BotId; number: number; leases: number }>(renew, [
    names.map(({ botId }) => botId),
    names.map(({ number }) => number),
    names.map(({ lease }) => lease),
    holder,
    nodeId,
    nowMs + leaseMs,
  ])
  const held = new Set(rows.map(({ bot_id: botId, number, leases: lease }) => deliveryOf({ botId, number, lease })))
  return deliveries.filter((delivery) => !held.has(delivery))
}

const leaseColumns = 'bot_id, number, flow_id, leases, holder, attempts, accepted_at_ms, began_at_ms, failures'

const lockNamed = `SELECT ${leaseColumns} FROM queue_events JOIN unnest($1::text[], $2::bigint[], $3::integer[], $4::text[])
      AS named (bot_id, number, lease, lease_holder) USING (bot_id, number)
    WHERE state = 'leased' AND leases = lease AND holder = lease_holder
    ORDER BY bot_id, number FOR UPDATE OF queue_events`
const lockOfHolder = `SELECT ${leaseColumns} FROM queue_events
    WHERE holder = $1 AND state = 'leased' AND ($2::text IS NULL OR node_id = $2)
    ORDER BY bot_id, number FOR UPDATE`
const lockLapsed = `SELECT ${leaseColumns} FROM queue_events
    WHERE state = 'leased' AND until_ms <= $1 AND (node_id = $3 OR until_ms <= $2)
    ORDER BY until_ms LIMIT $4 FOR UPDATE SKIP LOCKED`
const retry = `UPDATE queue_events AS event SET state = 'ready', holder = NULL, node_id = NULL, until_ms = NULL,
      due_at_ms = named.due_at_ms, failures = named.failures
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS named (bot_id, number, due_at_ms, failures)
    WHERE event.bot_id = named.bot_id AND event.number = named.number`
const renew = `UPDATE queue_events AS event SET until_ms = $6, node_id = $5
    FROM unnest($1::text[], $2::bigint[], $3::integer[]) AS named (bot_id, number, lease)
    WHERE event.bot_id = named.bot_id AND event.number = named.number
      AND state = 'leased' AND leases = named.lease AND holder = $4
    RETURNING event.bot_id, event.number, event.leases`
