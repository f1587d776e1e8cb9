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

/** What became of an event on its way into the tables. */
export type Stored = { kind: 'accepted'; number: number } | { kind: 'repeated' } | { kind: 'full' }

interface Waiting extends Entering {
  /** By the monotonic clock. */
  sinceMs: number
  resolve(stored: Stored): void
  reject(error: unknown): void
}

/** Batches in flight at once. */
export const lanes = 3

const lookEveryMs = 250

/**
 * Writes new events in batches. A batch is one statement, which goes by the allowance of each bot as it is there and then:
 * it holds over all nodes. It stores all events of a bot, or none where they don't all fit: those are judged one by one, by
 * a second statement. The rows of `queue_entered` are locked in the order of their bots, so batches never lock crosswise.
 */
export class Acceptance {
  readonly #pool: PostgresPool
  readonly #limits: QueueLimits
  readonly #lanes: Batches<Waiting>[]
  readonly #timer: NodeJS.Timeout
  /** Bots that had no room a moment ago. */
  readonly #full = new Set<string>()

  constructor(pool: PostgresPool, limits: QueueLimits) {
    this.#pool = pool
    this.#limits = limits
    this.#lanes = Array.from(
      { length: lanes },
      () =>
        new Batches({
          handle: (batch) => this.#write(batch),
          most: 500,
          inOrder: true,
          bytesOf: ({ event }) => event.body.length,
        }),
    )
    this.#timer = setInterval(() => {
      this.#giveUpLate()
      this.#full.clear()
    }, lookEveryMs)
    this.#timer.unref()
  }

  /**
   * Resolves once the event is durable, or with why it is not.
   *
   * @throws StoreUnavailable when the database can't take it, or did not begin to in time; what it does not take for
   * the event's own sake (as it is).
   */
  store(entering: Entering): Promise<Stored> {
    const { botId } = entering.event
    return new Promise((resolve, reject) => {
      const sinceMs = performance.now()
      this.#lanes[laneOf(botId, lanes)]?.add({ ...entering, sinceMs, resolve, reject })
    })
  }

  /** Resolves once the events of the bot that are on their way are stored or refused. */
  async settled(botId: BotId): Promise<void> {
    await this.#lanes[laneOf(botId, lanes)]?.handled()
  }

  /** Resolves once nothing is on its way. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()))
    clearInterval(this.#timer)
  }

  #giveUpLate(): void {
    const before = performance.now() - statementMs
    const isLate = ({ sinceMs }: Waiting) => sinceMs < before
    for (const lane of this.#lanes) {
      // What is on its way may still be stored; whoever sent it is told that it is not, and sends it again.
      for (const { reject } of [...lane.inFlight.filter(isLate), ...lane.withdraw(isLate)]) {
        reject(new StoreUnavailable('the database does not take it in time'))
      }
    }
  }

  async #write(batch: Waiting[]): Promise<void> {
    const { first, repetitions } = byMark(batch)
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

  /** Resolves with those that are left to be judged. */
  async #insertWhole(batch: Waiting[]): Promise<Waiting[]> {
    try {
      const { values, furtherOn } = wholeValuesOf(batch, this.#limits)
      const rows = await this.#pool.rows<StoredWhole>(wholeInsertion, values)
      const numbersAfter = new Map(rows.map(({ bot_id, before }) => [bot_id, before]))
      inALaterTurn(() => {
        for (const [index, { event, resolve }] of batch.entries()) {
          const before = numbersAfter.get(event.botId)
          if (before !== undefined) resolve({ kind: 'accepted', number: before + (furtherOn[index] as number) })
        }
      })
      return batch.filter(({ event }) => !numbersAfter.has(event.botId))
    } catch (error) {
      // One of them is at fault: they are judged, so that only that one is refused.
      if (!(error instanceof StoreUnavailable)) return batch
      for (const { reject } of batch) reject(error)
      return []
    }
  }

  async #insertJudged(batch: Waiting[]): Promise<Map<Waiting, Inserted['outcome']>> {
    const outcomes = new Map<Waiting, Inserted['outcome']>()
    try {
      const rows = await this.#pool.rows<Inserted>(judgedInsertionOf(batch), judgedValuesOf(batch, this.#limits))
      inALaterTurn(() => tell(batch, rows))
      const strangers: Waiting[] = []
      for (const { place, outcome } of rows) {
        const each = batch[place - 1] as Waiting
        if (outcome === 'unknown-bot') strangers.push(each)
        else outcomes.set(each, outcome)
        if (outcome === 'full') this.#full.add(each.event.botId)
      }
      if (strangers.length === 0) return outcomes
      await this.#pool.rows(addBots, [strangers.map(({ event }) => event.botId)])
      return new Map([...outcomes, ...(await this.#insertJudged(strangers))])
    } catch (error) {
      // What has its outcome keeps it, though it may not have been told yet.
      const left = batch.filter((each) => !outcomes.has(each))
      if (error instanceof StoreUnavailable || left.length === 1) {
        for (const { reject } of left) reject(error)
        return outcomes
      }
      // One of them is at fault. Each for itself, only that one is refused.
      for (const each of left) await this.#insertJudged([each])
      return outcomes
    }
  }
}

/** So that the next batch is on its way before this one is answered. */
function inALaterTurn(act: () => void): void {
  setImmediate(act)
}

/** All but those whose bot has to be added first. */
function tell(batch: readonly Waiting[], rows: readonly Inserted[]): void {
  for (const { place, number, outcome } of rows) {
    if (outcome === 'unknown-bot') continue
    batch[place - 1]?.resolve(outcome === 'accepted' ? { kind: outcome, number } : { kind: outcome })
  }
}

interface Repetition {
  repetition: Waiting
  /** The first of the batch with its mark. */
  of: Waiting
}

/** Those with a mark that an earlier one of the batch has too: one statement can't store a row twice. */
function byMark(batch: Waiting[]): { first: Waiting[]; repetitions: Repetition[] } {
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

/** Whether the fate of the first with that mark tells that this one repeats it. */
function isKnown(first: Waiting, outcome: Inserted['outcome'] | undefined, { event }: Waiting): boolean {
  if (outcome === 'accepted') return event.acceptedAtMs < (first.mark?.untilMs ?? 0)
  return outcome === 'repeated' && event.acceptedAtMs <= first.event.acceptedAtMs
}

const addBots = `INSERT INTO queue_entered (bot_id, last_number)
    SELECT DISTINCT bot_id, coalesce((SELECT numbers_below FROM queue_copied), 0) FROM unnest($1::text[]) AS bot_id
    ORDER BY bot_id ON CONFLICT DO NOTHING`
