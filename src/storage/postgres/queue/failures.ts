import { bisectFailures, type OnFault } from '../../../domain/attempt.ts'
import type { BotId, FlowId } from '../../../domain/ids.ts'
import { runtimeErrorMaxCharacters } from '../../../domain/limits/limits.ts'
import type { Failure } from '../../../domain/webhooks/delivery-queue.ts'
import { afterFailure, leaseExpiredError } from '../../../domain/webhooks/retry.ts'
import { idOf } from '../../queue/event-number.ts'
import type { PostgresPool, Transaction } from '../postgres-pool.ts'
import { TickBatch } from '../tick-batch.ts'
import type { DayPartitions } from './day-partitions.ts'
import { type Distribution, statement } from './distribution.ts'
import { type EventToFinish, type FinishedEvent, finish, withPartitions } from './finishing.ts'
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
  readonly #distribution: Distribution
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
    distribution: Distribution
    nodeId: string
    chance: () => number
    onFault: OnFault
  }) {
    this.#pool = parts.pool
    this.#days = parts.days
    this.#distribution = parts.distribution
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
  async reportOthers(
    holder: string,
    kept: ReadonlySet<string>,
    here: boolean,
    failure: AttemptFailure,
  ): Promise<Failed> {
    const held = await this.#pool.rows<EventName>(leasesOf, [holder, here ? this.#nodeId : null])
    return this.#failLeases(held, (event) => {
      const isOther = event.holder === holder && !kept.has(deliveryNamed(event))
      return isOther && (!here || event.node_id === this.#nodeId) ? failure : undefined
    })
  }

  /** Fails expired leases: this node's immediately, and other nodes' after a grace period. */
  async lapse(nowMs: number): Promise<Failed> {
    const ended = await this.#pool.rows<EventName>(endedLeases, [
      nowMs,
      nowMs - lapseGraceMs,
      this.#nodeId,
      lapsedAtOnce,
    ])
    const failure = { failedAtMs: nowMs, error: leaseExpiredError }
    return this.#failLeases(ended, ({ until_ms: untilMs, node_id: nodeId }) => {
      const graceMs = nodeId === this.#nodeId ? 0 : lapseGraceMs
      return untilMs <= nowMs - graceMs ? failure : undefined
    })
  }

  async #writeTogether(part: readonly Reported[]): Promise<Failed[]> {
    const byName = new Map(part.map((report) => [keyOf(report.holder, report.failure.delivery), report]))
    const names = part.map(({ name }) => name)
    const failureOf: FailureOf = (event) => byName.get(keyOf(event.holder, deliveryNamed(event)))?.failure
    const { failed, dead } = await this.#failOnce(names, failureOf)
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
   * Fails the leases for which `failureOf` returns a failure. If that throws, bisects the leases. Those that
   * cause the error remain leased and are reported to `onFault`.
   *
   * @param leases read without a lock, so they may have changed since.
   * @throws StoreUnavailable
   */
  async #failLeases(leases: readonly EventName[], failureOf: FailureOf): Promise<Failed> {
    const all: Failed = { failed: [], dead: [] }
    await bisectFailures(
      leases.map(({ bot_id: botId, number }) => ({ botId, number })),
      async (part) => {
        const { failed, dead } = await this.#failOnce(part, failureOf)
        all.failed.push(...failed)
        all.dead.push(...dead)
      },
      ({ botId, number }, error) => this.#onFault(error, 'attempt failure recording', { botId, event: idOf(number) }),
    )
    return all
  }

  /** Fails the leases of these events in one transaction, which locks the events before it judges them. */
  #failOnce(events: readonly { botId: BotId; number: number }[], failureOf: FailureOf): Promise<Failed> {
    const work = () =>
      this.#pool.transaction(async (transaction) => {
        const rows = await this.#distribution.run<LeaseRow, (typeof events)[number]>(
          transaction,
          lock,
          events,
          (some) => [some.map(({ botId }) => botId), some.map(({ number }) => number)],
        )
        return this.#record(transaction, rows, failureOf)
      })
    return withPartitions(this.#days, () => events.map(({ number }) => number), work)
  }

  async #record(transaction: Transaction, rows: readonly LeaseRow[], failureOf: FailureOf): Promise<Failed> {
    const failed: FailedAttempt[] = []
    const retries: Retry[] = []
    const toFinish: EventToFinish[] = []
    for (const row of rows) {
      const failure = failureOf(row)
      if (failure === undefined) continue
      const { bot_id: botId, flow_id: flowId, number, leases: lease, holder } = row
      const failures = withFailure(row, failure)
      const { failedAtMs } = failure
      const next = this.#judge(row, failure)
      if (next.kind === 'retry') retries.push({ botId, number, dueAtMs: next.dueAtMs, failures })
      else
        toFinish.push({
          botId,
          number,
          lease: { lease, holder },
          finishedAtMs: failedAtMs,
          because: next.because,
          failures,
        })
      failed.push({ botId, flowId, number, holder, delivery: deliveryNamed(row), endedAtMs: failedAtMs })
    }
    const [dead] = await Promise.all([
      finish(transaction, this.#distribution, 'queue_dead', toFinish),
      this.#distribution.run(transaction, retry, retries, (some) => [
        some.map(({ botId }) => botId),
        some.map(({ number }) => number),
        some.map(({ dueAtMs }) => dueAtMs),
        some.map(({ failures }) => failures),
      ]),
      transaction.commit(),
    ])
    return { failed, dead }
  }

  #judge(row: LeaseRow, { failedAtMs, retryMs, dead }: AttemptFailure) {
    const { attempts: attempt, accepted_at_ms: acceptedAtMs } = row
    return afterFailure({ attempt, acceptedAtMs, failedAtMs, retryMs, dead }, this.#chance())
  }
}

interface EventName {
  bot_id: BotId
  number: number
}

interface Retry {
  botId: BotId
  number: number
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

const leasesOf = `SELECT bot_id, number FROM queue_events
    WHERE holder = $1 AND state = 'leased' AND ($2::text IS NULL OR node_id = $2)`
const endedLeases = `SELECT bot_id, number FROM queue_events
    WHERE state = 'leased' AND until_ms <= $1 AND (node_id = $3 OR until_ms <= $2) ORDER BY until_ms LIMIT $4`
const lock = statement(
  (and) => `SELECT event.bot_id, event.number, flow_id, leases, holder, node_id, until_ms, attempts, accepted_at_ms,
      began_at_ms, failures
    FROM unnest($1::text[], $2::bigint[]) AS named (bot_id, number)
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
