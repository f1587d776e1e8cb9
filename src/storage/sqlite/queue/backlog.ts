import type { BotId, FlowId } from '../../../domain/ids-and-secrets.ts'
import { limitsOfBot, type QueueLimits } from '../../../domain/limits/budget.ts'
import type { BotLoad, StrictFlow } from '../../../domain/webhooks/delivery-queue.ts'
import type { QueueDepth } from '../../../domain/webhooks/event-log.ts'
import { type ReadyEvent, ReadyEvents, turnOf, type UnfinishedEvent } from './in-memory.ts'

type EventPlace = Omit<UnfinishedEvent, 'bodyBytes'>

interface BotBacklog {
  /** Number of unfinished events, including those still being written. */
  events: number
  bodyBytes: number
  /** Flows with events on disk. */
  flows: Map<FlowId, FlowBacklog>
}

interface FlowBacklog {
  ready: ReadyEvents
  /** Numbers of the events that are leased, or that are between two states. An array, see decision 0032. */
  inHand: number[]
}

/** A due event that has been taken from the backlog to be leased. */
export type DueEvent = ReadyEvent & Pick<UnfinishedEvent, 'botId' | 'flowId'>

/** Each bot's unfinished events, in memory: the capacity they use, and the ready events of each flow. */
export class Backlog {
  readonly #limits: QueueLimits
  readonly #strictFlows: (botId: BotId) => readonly StrictFlow[]
  readonly #onReady: (botId: BotId) => void
  readonly #bots = new Map<BotId, BotBacklog>()
  #events = 0
  #bodyBytes = 0

  /**
   * @param strictFlows returns the bot's flows that have strict order now.
   * @param onReady called with the bot when the next event of a flow with strict order may have become due.
   */
  constructor(
    limits: QueueLimits,
    strictFlows: (botId: BotId) => readonly StrictFlow[],
    onReady: (botId: BotId) => void,
  ) {
    this.#limits = limits
    this.#strictFlows = strictFlows
    this.#onReady = onReady
  }

  get size(): { events: number; bodyBytes: number } {
    return { events: this.#events, bodyBytes: this.#bodyBytes }
  }

  /** Reserves capacity for an event. If a limit is reached, returns whose limit instead. */
  enter(event: UnfinishedEvent): 'bot' | 'queue' | undefined {
    const { maxEvents, maxBytes } = this.#limits
    const { botId, bodyBytes } = event
    const free = { events: maxEvents - this.#events, bytes: maxBytes - this.#bodyBytes }
    if (free.events <= 0 || bodyBytes > free.bytes) return 'queue'
    const bot = this.#bots.get(botId)
    const most = limitsOfBot(this.#limits, free)
    if ((bot?.events ?? 0) >= most.events || bodyBytes + (bot?.bodyBytes ?? 0) > most.bytes) return 'bot'
    this.#count(event, bot)
    return undefined
  }

  /** Adds an event found in the file at startup, whatever the limits. `ready` is `undefined` if it is leased. */
  restore(event: UnfinishedEvent, ready: ReadyEvent | undefined): void {
    const flow = flowOf(this.#count(event, this.#bots.get(event.botId)), event.flowId)
    if (ready === undefined) flow.inHand.push(event.number)
    else flow.ready.add(ready)
  }

  /** Adds an event that is now on disk as ready: a new one, or one whose lease has ended. */
  makeReady({ botId, flowId, number }: EventPlace, ready: Omit<ReadyEvent, 'number'>): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    const flow = flowOf(bot, flowId)
    drop(flow.inHand, number)
    flow.ready.add({ number, ...ready })
  }

  /** Removes an event that has left the queue, or that was never written. */
  leave({ botId, flowId, number, bodyBytes }: UnfinishedEvent): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    this.#events -= 1
    this.#bodyBytes -= bodyBytes
    bot.events -= 1
    bot.bodyBytes -= bodyBytes
    if (bot.events === 0) this.#bots.delete(botId)
    const flow = bot.flows.get(flowId)
    if (flow === undefined) return
    if (!drop(flow.inHand, number)) flow.ready.withdraw(number)
    if (flow.inHand.length === 0 && flow.ready.isEmpty) bot.flows.delete(flowId)
    else if (this.#strictFlows(botId).some((strict) => strict.flowId === flowId)) this.#onReady(botId)
  }

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

  /** Returns the lowest number among all ready events, due or not, or Infinity if there are none. */
  oldestReady(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { flows } of this.#bots.values()) {
      for (const { ready } of flows.values()) oldest = Math.min(oldest, ready.oldestAfter(0))
    }
    return oldest
  }

  /** Removes and returns up to `most` due events, round-robin across the bots. */
  takeDue(botIds: readonly BotId[], most: number, nowMs: number): DueEvent[] {
    const due: DueEvent[] = []
    let waiting = botIds
    while (due.length < most && waiting.length > 0) {
      waiting = waiting.filter((botId) => {
        const event = due.length < most ? this.#take(botId, nowMs) : undefined
        if (event !== undefined) due.push(event)
        return event !== undefined
      })
    }
    return due
  }

  putBack(due: readonly DueEvent[]): void {
    for (const event of due) this.makeReady(event, event)
  }

  hasDue(botId: BotId, nowMs: number): boolean {
    const bot = this.#bots.get(botId)
    return bot !== undefined && nextOf(bot, this.#strictFlows(botId), nowMs) !== undefined
  }

  makeDue({ botId, flowId, number }: EventPlace, nowMs: number): void {
    this.#bots.get(botId)?.flows.get(flowId)?.ready.makeDue(number, nowMs)
  }

  /** Returns the number of the bot's unfinished events, including those still being written. */
  eventsOf(botId: BotId): number {
    return this.#bots.get(botId)?.events ?? 0
  }

  /** Returns the numbers of the bot's unleased events: due, waiting for a retry, or waiting for an earlier event. */
  unleased(botId: BotId): number[] {
    const flows = this.#bots.get(botId)?.flows.values() ?? []
    return [...flows].flatMap(({ ready }) => ready.numbers())
  }

  /** Returns the number of the first unfinished event that the strict order applies to, or Infinity if there is none. */
  headOf({ botId, flowId, eventsBefore }: StrictFlow): number {
    const flow = this.#bots.get(botId)?.flows.get(flowId)
    if (flow === undefined) return Number.POSITIVE_INFINITY
    return Math.min(flow.ready.oldestAfter(eventsBefore), ...flow.inHand.filter((number) => number > eventsBefore))
  }

  /** Returns all bots with a due retry, even if due before the last call: one can be due when it is stored. */
  retriesDue(nowMs: number): BotId[] {
    const due: BotId[] = []
    for (const [botId, { flows }] of this.#bots) {
      if (flows.values().some(({ ready }) => ready.nextRetryAtMs <= nowMs)) due.push(botId)
    }
    return due
  }

  #take(botId: BotId, nowMs: number): DueEvent | undefined {
    const bot = this.#bots.get(botId)
    const next = bot && nextOf(bot, this.#strictFlows(botId), nowMs)
    if (next === undefined) return undefined
    const { event, flow, flowId } = next
    flow.ready.withdraw(event.number)
    flow.inHand.push(event.number)
    return { ...event, botId, flowId }
  }

  #count({ botId, bodyBytes }: UnfinishedEvent, known: BotBacklog | undefined): BotBacklog {
    const bot = known ?? { events: 0, bodyBytes: 0, flows: new Map() }
    if (known === undefined) this.#bots.set(botId, bot)
    this.#events += 1
    this.#bodyBytes += bodyBytes
    bot.events += 1
    bot.bodyBytes += bodyBytes
    return bot
  }
}

function flowOf(bot: BotBacklog, flowId: FlowId): FlowBacklog {
  return bot.flows.getOrInsertComputed(flowId, () => ({ ready: new ReadyEvents(), inHand: [] }))
}

function drop(numbers: number[], number: number): boolean {
  const at = numbers.indexOf(number)
  if (at < 0) return false
  const last = numbers.pop() as number
  if (at < numbers.length) numbers[at] = last
  return true
}

interface Next {
  event: ReadyEvent
  flow: FlowBacklog
  flowId: FlowId
}

function nextOf({ flows }: BotBacklog, strict: readonly StrictFlow[], nowMs: number): Next | undefined {
  let next: Next | undefined
  let turn = Number.POSITIVE_INFINITY
  for (const [flowId, flow] of flows) {
    const order = strict.length === 0 ? undefined : strict.find((candidate) => candidate.flowId === flowId)
    const event = order === undefined ? flow.ready.next(nowMs) : nextInOrder(flow, order, nowMs)
    if (event === undefined || turnOf(event) >= turn) continue
    next = { event, flow, flowId }
    turn = turnOf(event)
  }
  return next
}

/** Returns the due event of a flow with strict order: its first unfinished one, or one of a removed flow. */
function nextInOrder({ ready, inHand }: FlowBacklog, { eventsBefore }: StrictFlow, nowMs: number) {
  const first = ready.oldestAfter(eventsBefore)
  const waits = inHand.some((number) => number > eventsBefore && number < first)
  return ready.next(nowMs, waits ? eventsBefore : first)
}
