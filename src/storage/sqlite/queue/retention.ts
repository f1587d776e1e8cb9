import { bisectFailures, oneAtATime } from '../../../domain/background-work.ts'
import type { BotId } from '../../../domain/ids-and-secrets.ts'
import type { RetentionLimits } from '../../../domain/limits/budget.ts'
import * as limits from '../../../domain/limits/limits.ts'
import { type DeadReason, isExpired } from '../../../domain/webhooks/retry.ts'
import {
  type Amount,
  excessOf,
  type FinishedState,
  finishedStates,
  holdersAtOnce,
  type Kind,
  kindOf,
  kinds,
  lossesOf,
  measures,
  retentionMs,
  rowsPerTransaction,
  totalOf,
} from '../../queue/queue-figures.ts'
import { idOf } from '../../queue/stored-events.ts'
import { sql } from '../../sql/sql.ts'
import { type EventHead, keptBytes } from './event-rows.ts'
import type { UnfinishedEvent } from './in-memory.ts'
import type { QueueParts } from './queue-parts.ts'

type Kept = Record<FinishedState, Amount>

/** Limits `events` by age and size, in order of acceptance: no index on time is needed. The file never shrinks. */
export class Retention {
  readonly #parts: QueueParts
  readonly #limits: RetentionLimits
  readonly #kept: Record<Kind, Kept> = { bots: zeroKept(), outboxes: zeroKept() }
  readonly #keptByBot = new Map<BotId, Kept>()
  /** Bots that exceed one of the per-bot limits. */
  readonly #overfull = new Set<BotId>()
  /** Number of the last event that pruning has examined. */
  #prunedTo = 0
  readonly #trimming = oneAtATime(() => this.#trim().catch(() => {}))

  constructor(parts: QueueParts, kept: RetentionLimits = limits.finishedEventsKept) {
    this.#parts = parts
    this.#limits = kept
  }

  add(state: FinishedState, botId: BotId, bytes: number): void {
    const kept = this.#keptByBot.getOrInsertComputed(botId, zeroKept)
    for (const amount of [kept[state], this.#kept[kindOf(botId)][state]]) {
      amount.events += 1
      amount.bytes += bytes
    }
    if (this.#excessOfBot(kept, state) !== undefined) this.#overfull.add(botId)
  }

  /** Adds an unfinished event that has become a dead letter. */
  addDead(event: UnfinishedEvent & { keptBytes: number }, atMs: number, because: DeadReason): void {
    const { backlog, figures, counts, dead } = this.#parts
    const { botId, flowId, number } = event
    figures.deadLetters += 1
    counts.note('dead', event, atMs)
    backlog.leave(event)
    this.add('dead', botId, event.keptBytes)
    dead.call({ botId, flowId, id: idOf(number), because })
  }

  /**
   * Examines the next `most` events: dead-letters expired ones and removes finished ones past their retention period.
   * Resolves with the number of events examined. Stops at the first event that is too young for either, and passes over
   * events of a clock that was ahead. The next call then starts over at the oldest event, because it may have passed over
   * events that were leased or are kept longer.
   */
  async prune(nowMs: number, most: number): Promise<number> {
    const events = this.#parts.rows.after(this.#prunedTo, most)
    const young = events.findIndex(
      ({ acceptedAtMs: atMs }) =>
        atMs <= nowMs && nowMs - atMs < limits.acknowledgedRetentionMs && !isExpired(atMs, nowMs),
    )
    const old = young < 0 ? events : events.slice(0, young)
    const expired = old.filter((event) => event.state === 'ready' && isExpired(event.acceptedAtMs, nowMs))
    await this.#expire(expired, nowMs)
    await this.#remove(old.filter(isFinished).filter((event) => nowMs - event.acceptedAtMs >= retentionMs[event.state]))
    this.#prunedTo = old.length < most ? 0 : (old.at(-1)?.number ?? 0)
    await this.trim()
    return old.length
  }

  /** Removes finished events beyond the limits, as pruning by age is too slow. Never rejects; the next call retries. */
  async trim(): Promise<void> {
    const exceeds = (kind: Kind) => finishedStates.some((state) => this.#excess(kind, state) !== undefined)
    if (this.#overfull.size === 0 && !kinds.some(exceeds)) return
    await this.#trimming.run()
  }

  async discard(botId: BotId, upTo: number): Promise<void> {
    const waiting = this.#parts.backlog.unleased(botId).filter((number) => number <= upTo)
    while (waiting.length > 0) {
      const batch = waiting.splice(0, rowsPerTransaction)
      const removed = await this.#parts.file.commit(() =>
        batch.flatMap((number) => this.#parts.rows.remove(number, 'ready') ?? []),
      )
      for (const head of removed) this.#parts.backlog.leave(head)
    }
    for (;;) {
      const events = this.#parts.rows.finishedOf(botId, upTo, rowsPerTransaction)
      if (events.length === 0 || (await this.#remove(events.filter(isFinished))) === 0) return
    }
  }

  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    const deadLetters = numbers.filter((number) => this.#parts.rows.isIn('dead', botId, number))
    return this.#remove(deadLetters.map((number) => ({ number, state: 'dead' as const })))
  }

  async #trim(): Promise<void> {
    let removed: number
    do {
      removed = 0
      for (const botId of [...this.#overfull]) removed += await this.#trimBot(botId)
      for (const kind of kinds) {
        for (const state of finishedStates) removed += await this.#trimTotal(kind, state)
      }
    } while (removed > 0)
  }

  async #trimBot(botId: BotId): Promise<number> {
    const kept = this.#keptByBot.get(botId) ?? zeroKept()
    let removed = 0
    for (const state of finishedStates) {
      const excess = this.#excessOfBot(kept, state)
      if (excess !== undefined) removed += await this.#removeOldest(botId, state, excess)
    }
    if (finishedStates.every((state) => this.#excessOfBot(kept, state) === undefined)) this.#overfull.delete(botId)
    return removed
  }

  async #trimTotal(kind: Kind, state: FinishedState): Promise<number> {
    let removed = 0
    for (const measure of measures) {
      const excess = this.#excess(kind, state)?.[measure] ?? 0
      if (excess === 0) continue
      const largest = [...this.#keptByBot]
        .filter(([botId]) => kindOf(botId) === kind)
        .map(([botId, kept]) => ({ botId, amount: kept[state][measure] }))
        .sort((one, other) => other.amount - one.amount)
        .slice(0, holdersAtOnce)
      for (const { botId, loss } of lossesOf(largest, measure, excess)) {
        removed += await this.#removeOldest(botId, state, loss)
      }
    }
    return removed
  }

  /** Removes the bot's oldest events until the excess is gone, at most {@link rowsPerTransaction} of them. */
  async #removeOldest(botId: BotId, state: FinishedState, { events, bytes }: Amount): Promise<number> {
    const whole = { state, flowId: undefined, from: 0, below: Number.MAX_SAFE_INTEGER }
    const most = bytes > 0 ? rowsPerTransaction : Math.min(Math.ceil(events), rowsPerTransaction)
    const beyond: number[] = []
    let beyondBytes = 0
    for (const number of this.#parts.finished.oldest(botId, whole, most)) {
      if (beyond.length >= events && beyondBytes >= bytes) break
      beyond.push(number)
      if (bytes === 0) continue
      const kept = sql`SELECT ${keptBytes} FROM events WHERE number = ${number}`
      beyondBytes += this.#parts.file.first<{ keptBytes: number }>(kept)?.keptBytes ?? 0
    }
    return this.#remove(beyond.map((number) => ({ number, state })))
  }

  async #expire(events: readonly EventHead[], nowMs: number): Promise<void> {
    const expire = async (part: readonly EventHead[]) => {
      const expired = await this.#parts.file.commit(() =>
        part.filter(({ number }) => this.#parts.rows.expire(number, nowMs)),
      )
      for (const event of expired) this.addDead(event, nowMs, 'expired')
    }
    const moving = events.map(({ botId, number }) => ({ botId, number }))
    await this.#parts.transitions.during(moving, () =>
      bisectFailures(events, expire, (event, error) => this.#onRemovalFault(event, error)),
    )
  }

  async #remove(events: readonly { number: number; state: FinishedState }[]): Promise<number> {
    let count = 0
    const remove = async (part: readonly { number: number; state: FinishedState }[]) => {
      const removed = await this.#parts.file.commit(() =>
        part.flatMap(({ number, state }) => {
          const head = this.#parts.rows.remove(number, state)
          return head === undefined ? [] : [{ ...head, state }]
        }),
      )
      for (const { state, botId, keptBytes: bytes } of removed) this.#subtract(state, botId, bytes)
      count += removed.length
    }
    await bisectFailures(events, remove, (event, error) => this.#onRemovalFault(event, error))
    return count
  }

  #onRemovalFault({ number }: { number: number }, error: unknown): void {
    this.#parts.onFault(error, 'old event removal', { event: idOf(number) })
  }

  #subtract(state: FinishedState, botId: BotId, bytes: number): void {
    const kept = this.#keptByBot.get(botId)
    for (const amount of [this.#kept[kindOf(botId)][state], ...(kept === undefined ? [] : [kept[state]])]) {
      amount.events -= 1
      amount.bytes -= bytes
    }
    if (kept?.done.events === 0 && kept.dead.events === 0) this.#keptByBot.delete(botId)
  }

  #excess(kind: Kind, state: FinishedState): Amount | undefined {
    return excessOf(this.#kept[kind][state], totalOf(this.#limits[state], kind))
  }

  #excessOfBot(kept: Kept, state: FinishedState): Amount | undefined {
    const { eventsPerBot: events, bytesPerBot: bytes } = this.#limits[state]
    return excessOf(kept[state], { events, bytes })
  }
}

function zeroKept(): Kept {
  return { done: { events: 0, bytes: 0 }, dead: { events: 0, bytes: 0 } }
}

type FinishedHead = EventHead & { state: FinishedState }

function isFinished(event: EventHead): event is FinishedHead {
  return event.state === 'done' || event.state === 'dead'
}
