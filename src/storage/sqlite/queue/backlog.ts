import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { BotLoad, QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import type { QueueDepth } from '../../../domain/webhooks/event-log.ts'
import { type ReadyEvent, ReadyEvents } from './ready-events.ts'

/** The fields of an unfinished event that determine its place in the queue. */
export interface UnfinishedEvent {
  number: number
  botId: BotId
  flowId: FlowId
  /** Whether the flow has strict order. */
  ordered: boolean
  bodyBytes: number
}

interface BotBacklog {
  /** Number of unfinished events, including those still being written. */
  events: number
  bodyBytes: number
  ready: ReadyEvents
  /** Unfinished events of each flow with strict order. */
  lines: Map<FlowId, FlowLine>
}

/** A due event that has been taken from the backlog to be leased. */
export type DueEvent = ReadyEvent & { botId: BotId }

/**
 * Each bot's unfinished events, in memory: the capacity they use, the ready events, and one line (waiting queue) per
 * flow with strict order.
 */
export class Backlog {
  readonly #limits: QueueLimits
  readonly #onReady: (botId: BotId) => void
  readonly #bots = new Map<BotId, BotBacklog>()
  #events = 0
  #bodyBytes = 0

  /** @param onReady called with the bot when the next event of a flow with strict order becomes ready. */
  constructor(limits: QueueLimits, onReady: (botId: BotId) => void) {
    this.#limits = limits
    this.#onReady = onReady
  }

  /** Number of unfinished events across all bots, and the total size of their bodies. */
  get size(): { events: number; bodyBytes: number } {
    return { events: this.#events, bodyBytes: this.#bodyBytes }
  }

  /**
   * Reserves capacity for an event, and a place in the flow's line. If a limit is reached, returns which one instead.
   */
  enter(event: UnfinishedEvent): 'entered' | 'bot-full' | 'queue-full' {
    const { maxEventsPerBot, maxBytesPerBot, maxEvents, maxBytes } = this.#limits
    const { botId, bodyBytes } = event
    if (this.#events >= maxEvents || this.#bodyBytes + bodyBytes > maxBytes) return 'queue-full'
    const bot = this.#bots.get(botId)
    if (bodyBytes + (bot?.bodyBytes ?? 0) > maxBytesPerBot || (bot?.events ?? 0) >= maxEventsPerBot) return 'bot-full'
    this.#count(event, bot)
    return 'entered'
  }

  /**
   * Makes an event ready once it is on disk. In a flow with strict order, it becomes ready only when it is first in
   * line.
   */
  markWritten({ botId, flowId, ordered, number }: UnfinishedEvent): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    if (!ordered || bot.lines.get(flowId)?.markWritten(number)) bot.ready.addFirst(number)
  }

  /**
   * Adds an event that was found in the file at startup. Limits don't apply.
   *
   * @param ready `undefined` if the event is leased.
   */
  restore(event: UnfinishedEvent, ready: ReadyEvent | undefined): void {
    const bot = this.#count(event, this.#bots.get(event.botId))
    const first = !event.ordered || bot.lines.get(event.flowId)?.markWritten(event.number)
    if (first && ready !== undefined) bot.ready.add(ready)
  }

  /** Returns the bots that use at least this share of one of their limits. */
  loadsFrom(share: number): BotLoad[] {
    const { maxEventsPerBot: maxEvents, maxBytesPerBot: maxBytes } = this.#limits
    const loads: BotLoad[] = []
    for (const [botId, { events, bodyBytes: bytes }] of this.#bots) {
      if (events >= share * maxEvents || bytes >= share * maxBytes)
        loads.push({ botId, events, bytes, maxEvents, maxBytes })
    }
    return loads
  }

  /** Returns the bots with the most unfinished events, the fullest first. */
  fullest(most: number): QueueDepth[] {
    return Array.from(this.#bots, ([botId, { events, bodyBytes: bytes }]) => ({ botId, events, bytes }))
      .sort((one, other) => other.events - one.events || (one.botId < other.botId ? -1 : 1))
      .slice(0, most)
  }

  /** Removes the event from its bot's counts and makes the next event of its line ready. */
  leave({ botId, flowId, ordered, number, bodyBytes }: UnfinishedEvent): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    this.#events -= 1
    this.#bodyBytes -= bodyBytes
    bot.events -= 1
    bot.bodyBytes -= bodyBytes
    if (bot.events === 0) this.#bots.delete(botId)
    const line = ordered ? bot.lines.get(flowId) : undefined
    if (line === undefined) return
    const next = line.leave(number)
    if (line.isEmpty) bot.lines.delete(flowId)
    if (next === undefined) return
    bot.ready.addFirst(next)
    this.#onReady(botId)
  }

  /** Returns the lowest number among all ready events, due or not, or Infinity if there are none. */
  oldestReady(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { ready } of this.#bots.values()) oldest = Math.min(oldest, ready.oldest)
    return oldest
  }

  /** Returns the bot's ready events, or `undefined` if the bot has no unfinished events. */
  readyOf(botId: BotId): ReadyEvents | undefined {
    return this.#bots.get(botId)?.ready
  }

  /** Removes and returns up to `most` due events, round-robin across the bots. */
  takeDue(botIds: readonly BotId[], most: number, nowMs: number): DueEvent[] {
    const due: DueEvent[] = []
    let waiting = botIds
    while (due.length < most && waiting.length > 0) {
      waiting = waiting.filter((botId) => {
        const event = due.length < most ? this.readyOf(botId)?.take(nowMs) : undefined
        if (event !== undefined) due.push({ ...event, botId })
        return event !== undefined
      })
    }
    return due
  }

  putBack(due: readonly DueEvent[]): void {
    for (const { botId, ...event } of due) this.readyOf(botId)?.add(event)
  }

  /** Returns the number of the bot's unfinished events, including those still being written. */
  eventsOf(botId: BotId): number {
    return this.#bots.get(botId)?.events ?? 0
  }

  has(botId: BotId): boolean {
    return this.#bots.has(botId)
  }

  /** Returns the numbers of the bot's unleased events: due, waiting for a retry, or waiting in line. */
  unleased(botId: BotId): number[] {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return []
    return [...bot.ready.numbers(), ...[...bot.lines.values()].flatMap((line) => line.waiting())]
  }

  /** Returns the number of the first event in the flow's line, or `undefined` if the line is empty. */
  headOf(botId: BotId, flowId: FlowId): number | undefined {
    return this.#bots.get(botId)?.lines.get(flowId)?.first
  }

  /**
   * Returns all bots that have a due retry, including retries that came due before the last call: a retry can already
   * be due when it is stored.
   */
  retriesDue(nowMs: number): BotId[] {
    const due: BotId[] = []
    for (const [botId, { ready }] of this.#bots) if (ready.nextRetryAtMs <= nowMs) due.push(botId)
    return due
  }

  #count({ botId, flowId, ordered, number, bodyBytes }: UnfinishedEvent, known: BotBacklog | undefined): BotBacklog {
    const bot = known ?? { events: 0, bodyBytes: 0, ready: new ReadyEvents(), lines: new Map() }
    if (known === undefined) this.#bots.set(botId, bot)
    this.#events += 1
    this.#bodyBytes += bodyBytes
    bot.events += 1
    bot.bodyBytes += bodyBytes
    if (ordered) {
      const line = bot.lines.get(flowId)
      if (line === undefined) bot.lines.set(flowId, lineOf(number))
      else line.join(number)
    }
    return bot
  }
}

function lineOf(number: number): FlowLine {
  const line = new FlowLine()
  line.join(number)
  return line
}

/**
 * The unfinished events of one flow with strict order, in the order in which they were accepted. Only the first event
 * may be delivered. It stays first until it is finished, however many attempts that takes.
 */
class FlowLine {
  /** Event numbers, ascending from index `#head`. Entries before that index have been removed. */
  #numbers: number[] = []
  #head = 0
  /** Events that are still being written. They have a place in line but can't be delivered yet. */
  readonly #unwritten = new Set<number>()

  /** The event that all others are waiting for; `undefined` if the line is empty. */
  get first(): number | undefined {
    return this.#numbers[this.#head]
  }

  get isEmpty(): boolean {
    return this.#head === this.#numbers.length
  }

  /** Adds an event at the end. Numbers must be added in ascending order. */
  join(number: number): void {
    this.#numbers.push(number)
    this.#unwritten.add(number)
  }

  /** Marks the event as written. Returns whether it is first in line and can therefore be delivered. */
  markWritten(number: number): boolean {
    this.#unwritten.delete(number)
    return this.#numbers[this.#head] === number
  }

  /** Removes an event that is finished or was never written. Returns the next event if it can now be delivered. */
  leave(number: number): number | undefined {
    this.#unwritten.delete(number)
    if (this.#numbers[this.#head] !== number) {
      const at = this.#numbers.indexOf(number, this.#head)
      if (at >= 0) this.#numbers.splice(at, 1)
      return undefined
    }
    this.#advance()
    const next = this.#numbers[this.#head]
    return next === undefined || this.#unwritten.has(next) ? undefined : next
  }

  /** Returns the written events that are waiting for an earlier one. */
  waiting(): number[] {
    return this.#numbers.slice(this.#head + 1).filter((number) => !this.#unwritten.has(number))
  }

  #advance(): void {
    this.#head += 1
    if (this.#head < 1_024 || this.#head * 2 < this.#numbers.length) return
    this.#numbers = this.#numbers.slice(this.#head)
    this.#head = 0
  }
}

interface Moving {
  botId: BotId
  number: number
}

/**
 * Unfinished events whose next state is being written. The in-memory state has them in neither their old nor their new
 * state, so readers look up their rows.
 */
export class Transitions {
  // An array, because a set that every event enters and leaves costs memory (decision 0079).
  readonly #batches: (readonly Moving[])[] = []

  /** Runs `change`, which writes the events' next state and then updates the in-memory state. */
  async during<T>(events: readonly Moving[], change: () => Promise<T>): Promise<T> {
    this.#batches.push(events)
    try {
      return await change()
    } finally {
      this.#batches.splice(this.#batches.indexOf(events), 1)
    }
  }

  ofBot(wanted: BotId): ReadonlySet<number> {
    const numbers = new Set<number>()
    for (const batch of this.#batches) {
      for (const { botId, number } of batch) if (botId === wanted) numbers.add(number)
    }
    return numbers
  }
}
