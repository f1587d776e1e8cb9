import type { BotId } from '../../domain/ids.ts'
import { type ReadyEvent, ReadyEvents } from './ready-events.ts'

interface BotBacklog {
  /** Not yet finished, with those still on their way to the disk. */
  events: number
  bodyBytes: number
  ready: ReadyEvents
}

/** An event whose turn it is. */
export type Turn = ReadyEvent & { botId: BotId }

export interface BacklogLimits {
  maxEventsPerBot: number
  maxBytesPerBot: number
}

/** What every bot has in the queue: how much of its allowance is taken, and what is ready. */
export class Backlog {
  readonly #limits: BacklogLimits
  readonly #bots = new Map<BotId, BotBacklog>()

  constructor(limits: BacklogLimits) {
    this.#limits = limits
  }

  /** Takes room for one event, unless the bot has none left. */
  enter(botId: BotId, bodyBytes: number): boolean {
    const bot = this.#bots.get(botId)
    if (bot === undefined) {
      if (bodyBytes > this.#limits.maxBytesPerBot) return false
      this.#bots.set(botId, { events: 1, bodyBytes, ready: new ReadyEvents() })
      return true
    }
    if (bot.events >= this.#limits.maxEventsPerBot) return false
    if (bot.bodyBytes + bodyBytes > this.#limits.maxBytesPerBot) return false
    bot.events += 1
    bot.bodyBytes += bodyBytes
    return true
  }

  /** Counts an event that is in the queue already, whatever the limits are now. */
  recall(botId: BotId, bodyBytes: number): void {
    const bot = this.#bots.get(botId) ?? { events: 0, bodyBytes: 0, ready: new ReadyEvents() }
    bot.events += 1
    bot.bodyBytes += bodyBytes
    this.#bots.set(botId, bot)
  }

  /** Gives the room of one event back. */
  leave(botId: BotId, bodyBytes: number): void {
    const bot = this.#bots.get(botId)
    if (bot === undefined) return
    bot.events -= 1
    bot.bodyBytes -= bodyBytes
    if (bot.events === 0) this.#bots.delete(botId)
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

  /** The bots with a retry that came due after `sinceMs`. */
  retriesDue(sinceMs: number, nowMs: number): BotId[] {
    const due: BotId[] = []
    for (const [botId, { ready }] of this.#bots) {
      const atMs = ready.nextRetryAtMs
      if (atMs > sinceMs && atMs <= nowMs) due.push(botId)
    }
    return due
  }
}
