import type { OnFault } from '../../../domain/background-work.ts'
import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import { limitsOfBot, type QueueLimits, type RetentionLimits } from '../../../domain/limits/budget.ts'
import { Listeners } from '../../../domain/listeners.ts'
import type { BotLoad, DeadLetter, NewEvent } from '../../../domain/webhooks/delivery-queue.ts'
import type { QueueDepth } from '../../../domain/webhooks/event-log.ts'
import type { DeadReason } from '../../../domain/webhooks/retry.ts'
import { HourlyCounts, newCountedFigures } from '../../queue/queue-figures.ts'
import { acceptedAtMsOf } from '../../queue/stored-events.ts'
import { changesOfEach, type Database } from '../../sql/sql.ts'
import type { NodeConnection } from '../nodes/node-connection.ts'
import { perform } from '../postgres-database.ts'
import { PostgresPool } from '../postgres-pool.ts'
import type { Primary } from '../primary.ts'
import { Distribution } from './distribution.ts'
import { EventIds, type EventName } from './event-ids.ts'
import { type KeptOfBot, Retention } from './retention.ts'
import { WakeUp } from './wake-up.ts'

export interface PostgresQueueOptions {
  primary: Primary
  node: NodeConnection
  /** The queue's limits, which must be the same on all nodes. */
  limits: QueueLimits
  kept?: RetentionLimits | undefined
  /** Unique to this process, across all nodes and restarts. Must not contain spaces. */
  nodeId: string
  nowMs: number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive), for retry jitter. */
  chance: () => number
  /** Called with errors from rows or steps that failed without stopping the others. They are retried. */
  onFault?: OnFault | undefined
}

/** Batches of accepted events in flight at once. */
export const acceptanceBatches = 3
/** Maximum duration of a queue statement, so that webhooks don't wait longer than this if the database hangs. */
export const statementMs = 2_000
/** Size of the pool for claims and all other work except acceptance. */
const claimConnections = 3

export type QueueParts = ReturnType<typeof createParts>

export function createParts({ primary, node, limits, kept, nodeId, chance, onFault = () => {} }: PostgresQueueOptions) {
  const pool = queuePool(primary, claimConnections)
  const retention = new Retention(pool, kept)
  const load = new QueueLoad(pool, limits, () => retention.trimTotals())
  const wakeUp = new WakeUp(node, nodeId)
  const counts = new HourlyCounts('queue_hourly_counts', sharedDialect(pool))
  const tracked = { ids: new EventIds(), counts, load, retention, wakeUp }
  const books = newBooks(tracked)
  const writers = queuePool(primary, acceptanceBatches)
  const distribution = new Distribution()
  return { ...tracked, pool, writers, distribution, books, nodeId, chance, onFault }
}

/** Opens a pool for one kind of queue work, so that different kinds of work don't wait for each other. */
export function queuePool(primary: Primary, connections: number): PostgresPool {
  // Webhooks come in bursts, so idle connections are kept for the life of the process.
  return new PostgresPool({ primary, applicationName: 'gatehouse queue', connections, statementMs, idleMs: 0 })
}

/** Runs statements in the dialect that both databases share. */
function sharedDialect(pool: PostgresPool): Pick<Database, 'queryOnce' | 'writeEach'> {
  return {
    queryOnce: ({ text, values }) => pool.rows(text, values),
    async writeEach(statements) {
      await pool.transaction((transaction) => perform(transaction, changesOfEach(statements)))
    },
  }
}

export interface RemovedEvent extends EventName {
  /** 0 or 1. */
  ordered: number
  bodyBytes: number
}

/** An event that was moved to a table of finished events, with the bot's totals there after the batch. */
export interface FinishedEvent extends RemovedEvent, KeptOfBot {
  flowId: FlowId
  finishedAtMs: number
  /** Set only for dead letters. */
  because?: DeadReason | undefined
}

export interface FailedAttempt {
  botId: BotId
  flowId: FlowId
  holder: string
  delivery: string
  endedAtMs: number
  /** False if the event became a dead letter. */
  isRetried: boolean
}

interface TrackedParts {
  counts: HourlyCounts
  load: QueueLoad
  retention: Retention
  ids: EventIds
  wakeUp: WakeUp
}

/** Updates counters after writes to the tables, and reports which bots may now have an event due. */
function newBooks({ counts, load, retention, ids, wakeUp }: TrackedParts) {
  const figures = newCountedFigures()
  const dead = new Listeners<DeadLetter>()

  /** Subtracts events that left the queue. If an event's flow has strict order, the flow's next event may now be due. */
  function removed(events: readonly RemovedEvent[]): void {
    for (const { botId, bodyBytes, ordered } of events) {
      load.leave(1, bodyBytes)
      if (ordered === 1) wakeUp.reportDue(botId)
    }
  }

  return {
    figures,
    dead,
    removed,

    accepted(event: NewEvent): void {
      figures.accepted += 1
      counts.note('accepted', event, event.acceptedAtMs)
      wakeUp.reportDue(event.botId)
    },

    delivered(finished: readonly FinishedEvent[]): void {
      removed(finished)
      figures.delivered += finished.length
      for (const each of finished) {
        counts.note('delivered', each, each.finishedAtMs)
        figures.deliveryTimes.record(each.finishedAtMs - acceptedAtMsOf(each.number))
      }
      retention.trimBots('done', finished)
    },

    failed(failed: readonly FailedAttempt[]): void {
      figures.failedAttempts += failed.length
      for (const each of failed) {
        counts.note('failed', each, each.endedAtMs)
        if (each.isRetried) wakeUp.reportDue(each.botId)
      }
    },

    deadLettered(finished: readonly FinishedEvent[]): void {
      removed(finished)
      figures.deadLetters += finished.length
      for (const each of finished) {
        counts.note('dead', each, each.finishedAtMs)
        const { botId, flowId, number, because = 'expired' } = each
        dead.call({ botId, flowId, id: ids.of(botId, number), because })
      }
      retention.trimBots('dead', finished)
    },
  }
}

const readEveryMs = 5_000

/** A reading is inexact if this node adds or removes events meanwhile. It is used if the last exact one is this old. */
const exactWithinMs = 15_000

/**
 * Tracks unfinished events and their bytes across all bots and nodes: the last reading, plus this node's own changes
 * since then. Changes made on other nodes are included only after the next reading: usually within 5 seconds, and
 * within about 20 at most. The limits across all bots can be exceeded by as much as other nodes accept in that time.
 */
export class QueueLoad {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #timer: NodeJS.Timeout
  readonly size = { events: 0, bytes: 0 }
  /** Number of events that have entered and are being stored. A reading may miss them. */
  storing = 0
  #changes = 0
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(pool: PostgresPool, limits: QueueLimits, onRead: () => void) {
    this.#pool = pool
    this.#limits = limits
    this.#timer = setInterval(() => {
      // If a reading fails, the next interval tries again.
      this.read().then(onRead, () => {})
    }, readEveryMs)
    this.#timer.unref()
  }

  enter(bytes: number): boolean {
    const { maxEvents, maxBytes } = this.#limits
    if (this.size.events >= maxEvents || this.size.bytes + bytes > maxBytes) return false
    this.leave(-1, -bytes)
    return true
  }

  /** Returns the limits of a bot for some of these events, all of which have entered. `sizes` are of their bodies. */
  limitsOfBot(sizes: readonly number[]): { events: number; bytes: number } {
    const { maxEvents, maxBytes } = this.#limits
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    return limitsOfBot(this.#limits, {
      events: maxEvents - this.size.events + sizes.length,
      bytes: maxBytes - this.size.bytes + bytes,
    })
  }

  leave(events: number, bytes: number): void {
    this.#changes += 1
    this.#set(this.size.events - events, this.size.bytes - bytes)
  }

  async read(): Promise<void> {
    const [changes, isStoring] = [this.#changes, this.storing > 0]
    const [sum] = await this.#pool.rows<QueueLoad['size']>(sums)
    const nowMs = performance.now()
    const isExact = !isStoring && changes === this.#changes
    if (sum === undefined || (!isExact && nowMs - this.#readAtMs < exactWithinMs)) return
    this.#set(sum.events, sum.bytes)
    this.#readAtMs = nowMs
  }

  #set(events: number, bytes: number): void {
    this.size.events = Math.max(0, events)
    this.size.bytes = Math.max(0, bytes)
  }

  async loadsFrom(share: number): Promise<BotLoad[]> {
    const { maxEventsPerBot: maxEvents, maxBytesPerBot: maxBytes } = this.#limits
    const least = [maxEvents, maxBytes].map((limit) => Math.ceil(share * limit))
    const rows = await this.#pool.rows<QueueDepth>(loads, least)
    return rows.map((load) => ({ ...load, maxEvents, maxBytes }))
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

const sums = `SELECT (entered.events - gone.events)::bigint AS events, (entered.bytes - gone.bytes)::bigint AS bytes
    FROM (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_entered) AS entered,
      (SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes FROM queue_left) AS gone`
/** An SQL subquery with each bot's unfinished events and their bytes. */
export const botLoads = `(SELECT bot_id AS "botId", entered.events - coalesce(gone.events, 0) AS events,
      entered.bytes - coalesce(gone.bytes, 0) AS bytes
    FROM queue_entered AS entered LEFT JOIN queue_left AS gone USING (bot_id)) AS load`
const loads = `SELECT * FROM ${botLoads} WHERE events >= $1 OR bytes >= $2`
