import type { BotId, FlowId } from '../../../domain/ids.ts'
import type { QueueLimits } from '../../../domain/webhooks/delivery-queue.ts'
import { FlowLine } from './flow-line.ts'
import { type ReadyEvent, ReadyEvents } from './ready-events.ts'

/** An event that is not finished, as far as its place in the queue goes. */
export interface Unfinished {
  number: number
  botId: BotId
  flowId: FlowId
  /** Stands in its flow's line. */
  ordered: boolean
  bodyBytes: number
}

interface BotBacklog {
  /** Not yet finished, with those still on their way to the disk. */
  events: number
  bodyBytes: number
  ready: ReadyEvents
  /** Of flows with strict order. */
  lines: Map<FlowId, FlowLine>
}

/** An event whose turn it is. */
export type Turn = ReadyEvent & { botId: BotId }

/** What every bot has in the queue: how much of its allowance is taken, what is ready, and what waits in line. */
export class Backlog {
  readonly #limits: QueueLimits
  readonly #onTurn: (botId: BotId) => void
  readonly #bots = new Map<BotId, BotBacklog>()
  #events = 0
  #bodyBytes = 0

  /** @param onTurn told of a bot whose next event in line has become ready. */
  constructor(limits: QueueLimits, onTurn: (botId: BotId) => void) {
    this.#limits = limits
    this.#onTurn = onTurn
  }

  /** Over all bots. */
  get size(): { events: number; bodyBytes: number } {
    return { events: this.#events, bodyBytes: this.#bodyBytes }
  }

  /** Takes room for one event, and its place in line. Tells whose room is used up when there is none. */
  enter(event: Unfinished): 'entered' | 'bot-full' | 'queue-full' {
    const { maxEventsPerBot, maxBytesPerBot, maxEvents, maxBytes } = this.#limits
    const { botId, bodyBytes } = event
    if (this.#events >= maxEvents || this.#bodyBytes + bodyBytes > maxBytes) return 'queue-full'
    const bot = this.#bots.get(botId)
    if (bodyBytes + (bot?.bodyBytes ?? 0) > maxBytesPerBot || (bot?.events ?? 0) >= maxEventsPerBot) return 'bot-full'
    this.#count(event, bot)
    return 'entered'
  }

  /** The event is on disk and may be handed out, once its turn comes. */
  written({ botId, flowId, ordered, number }: Unfinished): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    if (!ordered || bot.lines.get(flowId)?.written(number)) bot.ready.addFirst(number)
  }

  /**
   * Counts an event that is in the queue already, whatever the limits are now.
   *
   * @param ready undefined when it is leased.
   */
  recall(event: Unfinished, ready: ReadyEvent | undefined): void {
    const bot = this.#count(event, this.#bots.get(event.botId))
    const first = !event.ordered || bot.lines.get(event.flowId)?.written(event.number)
    if (first && ready !== undefined) bot.ready.add(ready)
  }

  /** Gives the room of one event back, and its place in line to the next. */
  leave({ botId, flowId, ordered, number, bodyBytes }: Unfinished): void {
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
    this.#onTurn(botId)
  }

  /** The lowest number of all that are ready, due or not; infinite when there is none. */
  oldestReady(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { ready } of this.#bots.values()) oldest = Math.min(oldest, ready.oldest)
    return oldest
  }

  /** The ready events of a bot that has unfinished ones. */
  readyOf(botId: BotId): ReadyEvents | undefined {
    return this.#bots.get(botId)?.ready
  }

  /** Takes due events of the bots, in turn over these. */
  takeTurns(botIds: readonly BotId[], most: number, nowMs: number): Turn[] {
    const turns: Turn[] = []
    let waiting = botIds
    while (turns.length < most && waiting.length > 0) {
      waiting = waiting.filter((botId) => {
        const event = turns.length < most ? this.readyOf(botId)?.take(nowMs) : undefined
        if (event !== undefined) turns.push({ ...event, botId })
        return event !== undefined
      })
    }
    return turns
  }

  putBack(turns: readonly Turn[]): void {
    for (const { botId, ...event } of turns) this.readyOf(botId)?.add(event)
  }

  has(botId: BotId): boolean {
    return this.#bots.has(botId)
  }

  /** Numbers of the bot's events that nobody holds: due, waiting for a retry, and waiting in line. */
  unleased(botId: BotId): number[] {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return []
    return [...bot.ready.numbers(), ...[...bot.lines.values()].flatMap((line) => line.waiting())]
  }

  /** Returns the number of the first event in the flow's line; `undefined` when the line is empty. */
  headOf(botId: BotId, flowId: FlowId): number | undefined {
    return this.#bots.get(botId)?.lines.get(flowId)?.first
  }

  /** The bots with a retry that came due after `sinceMs`. */
  retriesDue(sinceMs: number, nowMs: number): BotId[] {
    const due: BotId[] = []
    for (const [botId, { ready }] of this.#bots) {
      const atMs = ready.nextRetryAtMs
      if (atMs > sinceMs && atMs <= nowMs) due.push(botId)
    }
    return due
  }

  #count({ botId, flowId, ordered, number, bodyBytes }: Unfinished, known: BotBacklog | undefined): BotBacklog {
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
