import type { BotId } from '../../../domain/ids.ts'
import { StoreUnavailable } from '../../../domain/store-unavailable.ts'
import type { QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { Batches } from '../batches.ts'
import type { PostgresPool } from '../postgres-pool.ts'
import {
  type Entering,
  type Inserted,
  judgedInsertionOf,
  judgedValuesOf,
  type StoredWhole,
  wholeInsertion,
  wholeValuesOf,
} from './insertion.ts'
import { laneOf } from './lane-of.ts'
import { statementMs } from './queue-pool.ts'

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
 * Stores new events in batches. One statement stores a batch and enforces each bot's allowance across all nodes. It
 * stores either all of a bot's events or, if they don't all fit, none of them. A second statement then accepts or
 * rejects each of the remaining events. Batches with deduplication marks, replays or recently full queues use only the
 * second statement. Rows of `queue_entered` are locked in bot order, so batches never deadlock.
 */
export class Acceptance {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #lanes: Batches<Waiting>[]
  readonly #timer: NodeJS.Timeout
  /** Bots whose queues were full recently. Cleared every `checkEveryMs`. */
  readonly #full = new Set<string>()

  constructor(pool: PostgresPool, limits: QueueLimits) {
    this.#pool = pool
    this.#limits = limits
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
    this.#timer = setInterval(() => {
      this.#rejectLate()
      this.#full.clear()
    }, checkEveryMs)
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

  async #write(batch: Waiting[]): Promise<void> {
    const { first, repetitions } = separateRepetitions(batch)
    const outcomes = await this.#insert(first)
    const again = repetitions.filter(({ of, repetition }) => {
      const known = isKnown(of, outcomes.get(of), repetition)
      if (known) repetition.resolve({ kind: 'repeated' })
      return !known
    })
    if (again.length > 0) await this.#write(again.map(({ repetition }) => repetition))
  }

  async #insert(batch: Waiting[]): Promise<Map<Waiting, Inserted['outcome']>> {
    const judged = batch.some(({ mark, replayOf, event }) => mark || replayOf !== null || this.#full.has(event.botId))
      ? batch
      : await this.#insertWhole(batch)
    return judged.length === 0 ? new Map() : this.#insertJudged(judged)
  }

  async #insertWhole(batch: Waiting[]): Promise<Waiting[]> {
    try {
      const { values, offsets } = wholeValuesOf(batch, this.#limits)
      const rows = await this.#pool.rows<StoredWhole>(wholeInsertion, values)
      const numbersAfter = new Map(rows.map(({ bot_id, before }) => [bot_id, before]))
      defer(() => {
        for (const [index, { event, resolve }] of batch.entries()) {
          const before = numbersAfter.get(event.botId)
          if (before !== undefined) resolve({ kind: 'accepted', number: before + (offsets[index] as number) })
        }
      })
      return batch.filter(({ event }) => !numbersAfter.has(event.botId))
    } catch (error) {
      // Probably only one event causes the error. `#insertJudged` isolates it.
      if (!(error instanceof StoreUnavailable)) return batch
      for (const { reject } of batch) reject(error)
      return []
    }
  }

  async #insertJudged(batch: Waiting[]): Promise<Map<Waiting, Inserted['outcome']>> {
    const outcomes = new Map<Waiting, Inserted['outcome']>()
    try {
      const rows = await this.#pool.rows<Inserted>(judgedInsertionOf(batch), judgedValuesOf(batch, this.#limits))
      defer(() => resolveEach(batch, rows))
      const unknownBots: Waiting[] = []
      for (const { place, outcome } of rows) {
        const each = batch[place - 1] as Waiting
        if (outcome === 'unknown-bot') unknownBots.push(each)
        else outcomes.set(each, outcome)
        if (outcome === 'full') this.#full.add(each.event.botId)
      }
      if (unknownBots.length === 0) return outcomes
      await this.#pool.rows(addBots, [unknownBots.map(({ event }) => event.botId)])
      return new Map([...outcomes, ...(await this.#insertJudged(unknownBots))])
    } catch (error) {
      // If `addBots` failed, the events of known bots already have an outcome. Their promises may still be pending.
      const left = batch.filter((each) => !outcomes.has(each))
      if (error instanceof StoreUnavailable || left.length === 1) {
        for (const { reject } of left) reject(error)
        return outcomes
      }
      // Probably only one event causes the error. Insert the events one by one, so that the others are stored.
      for (const each of left) await this.#insertJudged([each])
      return outcomes
    }
  }
}

/** Runs `act` after the next batch has been sent, so that resolving callers doesn't delay that batch. */
function defer(act: () => void): void {
  setImmediate(act)
}

/** Resolves events with their outcome, except events of unknown bots, which are stored once the bot has been added. */
function resolveEach(batch: readonly Waiting[], rows: readonly Inserted[]): void {
  for (const { place, number, outcome } of rows) {
    if (outcome === 'unknown-bot') continue
    batch[place - 1]?.resolve(outcome === 'accepted' ? { kind: outcome, number } : { kind: outcome })
  }
}

interface Repetition {
  repetition: Waiting
  /** The first event in the batch with the same deduplication mark. */
  of: Waiting
}

/**
 * Separates out events whose deduplication mark occurs earlier in the batch, because one statement can't upsert the
 * same mark twice.
 */
function separateRepetitions(batch: Waiting[]): { first: Waiting[]; repetitions: Repetition[] } {
  if (!batch.some(({ mark }) => mark !== undefined)) return { first: batch, repetitions: [] }
  const marked = new Map<string, Waiting>()
  const first: Waiting[] = []
  const repetitions: Repetition[] = []
  for (const each of batch) {
    const key = each.mark && `${each.event.botId} ${Buffer.from(each.mark.digest).toString('base64')}`
    const of = key === undefined ? undefined : marked.get(key)
    if (of !== undefined) {
      repetitions.push({ repetition: each, of })
      continue
    }
    if (key !== undefined) marked.set(key, each)
    first.push(each)
  }
  return { first, repetitions }
}

/** Returns whether an event is a duplicate, given the outcome of the first event with the same mark. */
function isKnown(first: Waiting, outcome: Inserted['outcome'] | undefined, { event }: Waiting): boolean {
  if (outcome === 'accepted') return event.acceptedAtMs < (first.mark?.untilMs ?? 0)
  return outcome === 'repeated' && event.acceptedAtMs <= first.event.acceptedAtMs
}

const addBots = `INSERT INTO queue_entered (bot_id, last_number)
    SELECT DISTINCT bot_id, coalesce((SELECT numbers_below FROM queue_copied), 0) FROM unnest($1::text[]) AS bot_id
    ORDER BY bot_id ON CONFLICT DO NOTHING`
