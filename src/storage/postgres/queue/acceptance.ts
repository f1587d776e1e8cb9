import type { BotId } from '../../../domain/ids.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { Batches } from '../batches.ts'
import type { PostgresPool, Transaction } from '../postgres-pool.ts'
import { byBot } from './by-bot.ts'
import type { Distribution } from './distribution.ts'
import type { EventIds } from './event-ids.ts'
import { type Entering, insertEvents, noteReplay } from './insertion.ts'
import { laneOf } from './lane-of.ts'
import { statementMs } from './queue-pool.ts'
import { addBots, type Group, giveBack, reserve } from './reservation.ts'

export type Stored = { kind: 'accepted'; number: number } | { kind: 'repeated' } | { kind: 'full' }

interface Waiting extends Entering {
  /** When the event arrived, according to the monotonic clock. */
  sinceMs: number
  resolve(stored: Stored): void
  reject(error: unknown): void
}

/** Number of lanes. Each lane has one batch in flight at a time, and a bot always uses the same lane. */
export const lanes = 3

const checkEveryMs = 250

/**
 * Stores new events in batches. A batch is one transaction: it reserves numbers and room for each bot's events, and
 * then stores the events of all bots. New bots follow in a second transaction, and nearly full ones in a third, event
 * by event. Rows of `queue_entered` are locked in bot order, so batches never deadlock.
 */
export class Acceptance {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #ids: Pick<EventIds, 'copiedBelow'>
  readonly #distribution: Distribution
  readonly #lanes: Batches<Waiting>[]
  readonly #timer: NodeJS.Timeout

  constructor(parts: {
    pool: PostgresPool
    limits: QueueLimits
    ids: Pick<EventIds, 'copiedBelow'>
    distribution: Distribution
  }) {
    this.#pool = parts.pool
    this.#limits = parts.limits
    this.#ids = parts.ids
    this.#distribution = parts.distribution
    this.#lanes = Array.from(
      { length: lanes },
      () =>
        new Batches({
          handle: (batch) => this.#write(batch),
          maxItems: 500,
          inOrder: true,
          bytesOf: ({ event }) => event.body.length,
        }),
    )
    this.#timer = setInterval(() => this.#rejectLate(), checkEveryMs)
    this.#timer.unref()
  }

  /**
   * Resolves once the event is durable, or with the reason why it was not stored.
   *
   * @throws StoreUnavailable if the database can't store the event, or not in time; the database's own error if this
   * event caused it.
   */
  store(entering: Entering): Promise<Stored> {
    const { botId } = entering.event
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now()
      this.#lanes[laneOf(botId, lanes)]?.add({ ...entering, sinceMs, resolve, reject })
    })
  }

  /** Resolves once each of the bot's events that is currently being stored has been stored or rejected. */
  async settled(botId: BotId): Promise<void> {
    await this.#lanes[laneOf(botId, lanes)]?.handled()
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()))
    clearInterval(this.#timer)
  }

  #rejectLate(): void {
    const before = performance.now() - statementMs
    const isLate = ({ sinceMs }: Waiting) => sinceMs < before
    for (const lane of this.#lanes) {
      // Events in flight may still be stored although the sender gets an error, so the sender's retry can be a
      // duplicate.
      for (const { reject } of [...lane.inFlight.filter(isLate), ...lane.withdraw(isLate)]) {
        reject(new StoreUnavailable(`webhook not stored within ${statementMs} ms`))
      }
    }
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const left = (await this.#isolated(batch, () => this.#writeWhole(batch, false))) ?? []
    if (left.length === 0) return
    const nearlyFull = (await this.#isolated(left, () => this.#writeWhole(left, true))) ?? []
    if (nearlyFull.length > 0) await this.#isolated(nearlyFull, () => this.#writeSingly(nearlyFull))
  }

  /**
   * Runs the work for these events. If one of them, or one bot's worker, makes it fail, the others are still stored.
   */
  async #isolated<T>(events: readonly Waiting[], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const isUnavailable = error instanceof StoreUnavailable
      const parts = isUnavailable
        ? this.#distribution.parts(events, ({ event }) => event.botId)
        : events.map((each) => [each])
      if (parts.length > 1) {
        // Concurrently, because a worker that fails to respond delays the parts that need it. A bot's events stay in
        // order.
        if (isUnavailable) await Promise.all(parts.map((part) => this.#write(part)))
        else for (const part of parts) await this.#write(part)
      } else for (const { reject } of events) reject(error)
      return undefined
    }
  }

  /**
   * Stores each bot's events if all of them fit. Resolves with the events of the other bots, which are not stored.
   *
   * @param addsBots whether to add the rows of unknown bots first.
   */
  async #writeWhole(batch: readonly Waiting[], addsBots: boolean): Promise<Waiting[]> {
    const groups = groupsOf(batch)
    await this.#distribution.learn(this.#pool, groups)
    return this.#pool.transaction(async (transaction) => {
      const adding = addsBots && addBots(transaction, groups, this.#ids.copiedBelow)
      const [numbers] = await Promise.all([reserve(transaction, this.#distribution, groups, this.#limits), adding])
      await this.#store(transaction, groups, numbers)
      return groups.flatMap(({ events }, at) => (numbers[at] === undefined ? events : []))
    })
  }

  /** Stores those events that fit, one after another. */
  #writeSingly(batch: readonly Waiting[]): Promise<void> {
    const groups = groupsOf(batch).flatMap(({ botId, events }) => events.map((each) => ({ botId, events: [each] })))
    return this.#pool.transaction(async (transaction) => {
      const reserving = groups.map((group) => reserve(transaction, this.#distribution, [group], this.#limits))
      const numbers = (await Promise.all(reserving)).flat()
      await this.#store(transaction, groups, numbers)
      defer(() => {
        for (const [at, { events }] of groups.entries()) {
          if (numbers[at] === undefined) for (const { resolve } of events) resolve({ kind: 'full' })
        }
      })
    })
  }

  /** Stores the groups that have numbers, and commits. Events with a known deduplication mark are not stored. */
  async #store(
    transaction: Transaction,
    groups: readonly Group<Waiting>[],
    numbersOf: readonly (readonly number[] | undefined)[],
  ): Promise<void> {
    let events = groups.flatMap(({ events }, at) => (numbersOf[at] === undefined ? [] : events))
    let numbers = numbersOf.flatMap((each = []) => each)
    let repeated: Waiting[] = []
    if (events.some(({ mark }) => mark !== undefined)) {
      const isNew = await Promise.all(events.map((each) => isMarkNew(transaction, each)))
      repeated = events.filter((_, at) => !isNew[at])
      numbers = numbers.filter((_, at) => isNew[at])
      events = events.filter((_, at) => isNew[at])
    }
    await Promise.all([
      ...groupsOf(repeated).map((group) => giveBack(transaction, group)),
      events.length > 0 && insertEvents(transaction, events, numbers),
      ...events.map((each, at) => each.replayOf !== null && noteReplay(transaction, each, numbers[at] as number)),
      transaction.commit(),
    ])
    defer(() => {
      for (const [at, { resolve }] of events.entries()) resolve({ kind: 'accepted', number: numbers[at] as number })
      for (const { resolve } of repeated) resolve({ kind: 'repeated' })
    })
  }
}

function groupsOf(events: readonly Waiting[]): Group<Waiting>[] {
  return byBot(events, ({ event }) => event.botId).map(([botId, events]) => ({ botId, events }))
}

/** Runs `act` after the next batch has been sent, so that resolving callers doesn't delay that batch. */
function defer(act: () => void): void {
  setImmediate(act)
}

/**
 * Stores the event's deduplication mark, if it has one. Returns false if the bot has that mark and it has not expired.
 * The bot's row is locked, so of concurrent events with the same mark, only one is new.
 */
async function isMarkNew(on: Transaction, { event, mark }: Entering): Promise<boolean> {
  if (mark === undefined) return true
  return (await on.rows(keepMark, [event.botId, mark.digest, event.acceptedAtMs, mark.untilMs])).length === 1
}

const keepMark = `INSERT INTO queue_marks AS known (bot_id, digest, since_ms, until_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (bot_id, digest) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms
      WHERE known.until_ms <= excluded.since_ms
    RETURNING 1 AS one`
