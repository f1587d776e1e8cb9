import { isolating, type OnFault } from '../../../domain/attempt.ts'
import type { BotId } from '../../../domain/ids.ts'
import {
  acknowledgedKept,
  acknowledgedRetentionMs,
  deadLetterRetentionMs,
  deadLettersKept,
} from '../../../domain/limits/limits.ts'
import { isExpired } from '../../../domain/webhooks/retry.ts'
import { idOf } from '../../queue/event-number.ts'
import type { SqliteFile } from '../sqlite-file.ts'
import type { Backlog } from './backlog.ts'
import { type EventHead, type EventRows, leaseOf } from './event-rows.ts'
import type { FinishedEvents, FinishedState } from './finished-events.ts'

const retentionMs: Record<FinishedState, number> = { done: acknowledgedRetentionMs, dead: deadLetterRetentionMs }
const mostKept: Record<FinishedState, Record<keyof typeof deadLettersKept, number>> = {
  done: acknowledgedKept,
  dead: deadLettersKept,
}

/** Rows of one transaction, small enough that nobody waits for them. */
export const rowsAtOnce = 500

interface Amount {
  events: number
  bytes: number
}

type Kept = Record<FinishedState, Amount>

const finishedStates: readonly FinishedState[] = ['done', 'dead']

/**
 * Keeps the table bounded, by age and by amount, per bot and over all. Events are looked at in the order accepted, oldest
 * first, so no index on time is needed. Pages that fall free are used again, so the file stays as large as it once had to be.
 */
export class Retention {
  readonly #file: SqliteFile
  readonly #rows: EventRows
  readonly #finished: FinishedEvents
  readonly #backlog: Backlog
  readonly #onExpired: (event: EventHead, atMs: number) => void
  readonly #onFault: OnFault
  readonly #kept: Kept = nothing()
  readonly #keptOf = new Map<BotId, Kept>()
  /** Bots of which more is kept than may be. */
  readonly #overfull = new Set<BotId>()
  /** Event numbers up to which the walks by age and by amount have come. */
  #prunedTo = 0
  #trimmedTo = 0
  #trimming = false

  /** @param parts.onExpired told of an event that became a dead letter by its age. */
  constructor(parts: {
    file: SqliteFile
    rows: EventRows
    finished: FinishedEvents
    backlog: Backlog
    onExpired: (event: EventHead, atMs: number) => void
    onFault: OnFault
  }) {
    this.#file = parts.file
    this.#rows = parts.rows
    this.#finished = parts.finished
    this.#backlog = parts.backlog
    this.#onExpired = parts.onExpired
    this.#onFault = parts.onFault
  }

  /** Counts a finished event. */
  keep(state: FinishedState, botId: BotId, bytes: number): void {
    let kept = this.#keptOf.get(botId)
    if (kept === undefined) {
      kept = nothing()
      this.#keptOf.set(botId, kept)
    }
    for (const amount of [kept[state], this.#kept[state]]) {
      amount.events += 1
      amount.bytes += bytes
    }
    if (exceedsOfBot(kept, state)) this.#overfull.add(botId)
  }

  /**
   * Gives up and removes what is too old, among up to `most` events, and resolves with at how many it looked. A walk ends
   * at the first event that is too young for either; the next begins at the start, for those that were skipped.
   */
  async prune(nowMs: number, most: number): Promise<number> {
    const events = this.#rows.after(this.#prunedTo, most)
    const young = events.findIndex(
      ({ accepted_at_ms: atMs }) => nowMs - atMs < acknowledgedRetentionMs && !isExpired(atMs, nowMs),
    )
    const old = young < 0 ? events : events.slice(0, young)
    await this.#expire(
      old.filter((event) => event.state === 'ready' && isExpired(event.accepted_at_ms, nowMs)),
      nowMs,
    )
    await this.#remove(
      old.filter(isFinished).filter((event) => nowMs - event.accepted_at_ms >= retentionMs[event.state]),
    )
    this.#prunedTo = old.length < most ? 0 : (old.at(-1)?.number ?? 0)
    return old.length
  }

  /**
   * Removes the oldest finished events of which there are too many. They may come faster than pruning by age runs, so
   * this is called after each; it does nothing while it is at work. What fails is left for the next call.
   */
  trim(): void {
    const tooMuch = this.#overfull.size > 0 || finishedStates.some((state) => this.#exceeds(state))
    if (this.#trimming || !tooMuch) return
    this.#trimming = true
    this.#trimOnce()
      .catch(() => {})
      .finally(() => {
        this.#trimming = false
      })
  }

  /** Removes a bot's finished events up to this number. */
  async discard(botId: BotId, upTo: number): Promise<void> {
    for (;;) {
      const events = this.#rows.finishedOf(botId, upTo, rowsAtOnce)
      if (events.length === 0 || (await this.#remove(events.filter(isFinished))) === 0) return
    }
  }

  /** Removes those that are dead letters of the bot; how many were. */
  async discardDead(botId: BotId, numbers: readonly number[]): Promise<number> {
    const letters = numbers.filter((number) => this.#rows.isIn('dead', botId, number))
    return this.#remove(letters.map((number) => ({ number, state: 'dead' as const })))
  }

  async #trimOnce(): Promise<void> {
    const [botId] = this.#overfull
    if (botId !== undefined) {
      // Moved to the end, so that a bot whose events can't be removed does not block the other bots.
      this.#overfull.delete(botId)
      this.#overfull.add(botId)
      await this.#trimBot(botId)
    }
    if (!finishedStates.some((state) => this.#exceeds(state))) return
    const events = this.#rows.after(this.#trimmedTo, rowsAtOnce)
    await this.#remove(events.filter(isFinished).filter(({ state }) => this.#exceeds(state)))
    this.#trimmedTo = events.length < rowsAtOnce ? 0 : (events.at(-1)?.number ?? 0)
  }

  async #trimBot(botId: BotId): Promise<void> {
    const kept = this.#keptOf.get(botId) ?? nothing()
    const state = finishedStates.find((each) => exceedsOfBot(kept, each))
    if (state === undefined) {
      this.#overfull.delete(botId)
      return
    }
    const whole = { state, flowId: undefined, from: 0, below: Number.MAX_SAFE_INTEGER }
    const oldest = this.#finished.oldest(botId, whole, rowsAtOnce)
    await this.#remove(oldest.map((number) => ({ number, state })))
  }

  async #expire(events: readonly EventHead[], nowMs: number): Promise<void> {
    const expire = async (part: readonly EventHead[]) => {
      const expired = await this.#file.write(() => part.filter(({ number }) => this.#rows.expire(number, nowMs)))
      for (const event of expired) {
        this.#backlog.readyOf(event.bot_id)?.withdraw(event.number)
        this.#backlog.leave(leaseOf(event))
        this.keep('dead', event.bot_id, event.kept_bytes)
        this.#onExpired(event, nowMs)
      }
    }
    await isolating(events, expire, (event, error) => this.#onKept(event, error))
  }

  async #remove(events: readonly { number: number; state: FinishedState }[]): Promise<number> {
    let count = 0
    const remove = async (part: readonly { number: number; state: FinishedState }[]) => {
      const removed = await this.#file.write(() =>
        part.flatMap(({ number, state }) => {
          const head = this.#rows.removeFinished(number, state)
          return head === undefined ? [] : [{ ...head, state }]
        }),
      )
      for (const { state, bot_id: botId, kept_bytes: bytes } of removed) this.#forget(state, botId, bytes)
      count += removed.length
    }
    await isolating(events, remove, (event, error) => this.#onKept(event, error))
    return count
  }

  #onKept({ number }: { number: number }, error: unknown): void {
    this.#onFault(error, 'old event removal', { event: idOf(number) })
  }

  #forget(state: FinishedState, botId: BotId, bytes: number): void {
    const kept = this.#keptOf.get(botId)
    for (const amount of [this.#kept[state], ...(kept === undefined ? [] : [kept[state]])]) {
      amount.events -= 1
      amount.bytes -= bytes
    }
    if (kept?.done.events === 0 && kept.dead.events === 0) this.#keptOf.delete(botId)
  }

  #exceeds(state: FinishedState): boolean {
    const { events, bytes } = this.#kept[state]
    return events > mostKept[state].events || bytes > mostKept[state].bytes
  }
}

function exceedsOfBot(kept: Kept, state: FinishedState): boolean {
  const { events, bytes } = kept[state]
  return events > mostKept[state].eventsPerBot || bytes > mostKept[state].bytesPerBot
}

function nothing(): Kept {
  return { done: { events: 0, bytes: 0 }, dead: { events: 0, bytes: 0 } }
}

type FinishedHead = EventHead & { state: FinishedState }

function isFinished(event: EventHead): event is FinishedHead {
  return event.state === 'done' || event.state === 'dead'
}
