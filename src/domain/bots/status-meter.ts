import type { BotId } from '../ids.ts'
import { snapshotFreshForMs, statusSlotMs, statusSlotsKept } from '../limits.ts'
import type { Bot } from './bot.ts'
import { nothingKnown, type StatusFigures, slotAt } from './status-span.ts'

/** What the meter needs to know of a bot. */
export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

/** A slot that is over, or the last one of this process, to be stored. */
export interface ClosedSlot {
  slot: number
  endMs: number
  /** Of the bots of which something was heard. */
  figures: Map<BotId, StatusFigures>
  /** The bots up to this one are stored already. */
  storedTo: BotId | undefined
}

interface Reading {
  hosting: boolean
  /** Until when it is online unless something is heard: the rule of `online`, as time. */
  onlineUntilMs: number
  countedToMs: number
  /** Of the current slot up to `countedToMs`. */
  figures: StatusFigures
}

/**
 * Measures in memory how long each bot is up, down, or has its hosting off, slot by slot. Only bots that are online,
 * or of which something was heard in the current slot, take memory: the others were all the time as their record says.
 *
 * The service itself has to be there to know. For the first ninety seconds, in which runtimes find back to it, a
 * bot that was not heard of yet is neither up nor down.
 */
export class StatusMeter {
  readonly #knowsFromMs: number
  readonly #readings = new Map<BotId, Reading>()
  readonly #closed: ClosedSlot[] = []
  #slot: number

  constructor(nowMs: number) {
    this.#knowsFromMs = nowMs + snapshotFreshForMs
    this.#slot = slotAt(nowMs)
  }

  /** Slots to be stored, oldest first. */
  get closed(): readonly ClosedSlot[] {
    return this.#closed
  }

  heartbeat(botId: BotId, ready: boolean, nowMs: number): void {
    this.turn(nowMs)
    const reading = this.#readings.get(botId) ?? this.#begin(botId, true, Math.min(this.#unheardFromMs(), nowMs))
    count(reading, nowMs)
    reading.onlineUntilMs = ready ? nowMs + snapshotFreshForMs : nowMs
  }

  /** The bot's runtime said goodbye. */
  left(botId: BotId, nowMs: number): void {
    this.turn(nowMs)
    const reading = this.#readings.get(botId)
    if (reading === undefined) return
    count(reading, nowMs)
    reading.onlineUntilMs = nowMs
  }

  /** The bot's record changed. @param hostedBefore undefined for a new bot, which begins here. */
  changed(bot: MeteredBot, hostedBefore: boolean | undefined, nowMs: number): void {
    this.turn(nowMs)
    if (hostedBefore === undefined) {
      this.removed(bot.id)
      this.#begin(bot.id, bot.hostingEnabled, nowMs)
      return
    }
    if (hostedBefore === bot.hostingEnabled) return
    // Slots that are over but not stored yet are to be as the record was then.
    const before = { ...bot, hostingEnabled: hostedBefore }
    for (const closed of this.#closed) closed.figures.set(bot.id, this.figuresOf(before, closed))
    const reading =
      this.#readings.get(bot.id) ??
      this.#begin(bot.id, hostedBefore, Math.min(nowMs, Math.max(this.#unheardFromMs(), bot.createdAtMs)))
    count(reading, nowMs)
    reading.hosting = bot.hostingEnabled
  }

  removed(botId: BotId): void {
    this.#readings.delete(botId)
    for (const { figures } of this.#closed) figures.delete(botId)
  }

  /** Closes the slots that are over. */
  turn(nowMs: number): void {
    const slot = slotAt(nowMs)
    if (slot <= this.#slot) return
    // After a leap of the clock there is no use in slots that nobody keeps.
    this.#slot = Math.max(this.#slot, slot - statusSlotsKept)
    for (; this.#slot < slot; this.#slot += 1) this.#close((this.#slot + 1) * statusSlotMs)
  }

  /** Closes the current slot before it is over: the process ends. */
  end(nowMs: number): void {
    this.turn(nowMs)
    this.#close(nowMs)
  }

  /** The oldest closed slot is stored. */
  stored(): void {
    this.#closed.shift()
  }

  /**
   * How the bot was in a closed slot. Of one that was not heard of, its record tells: here nothing is known of the time
   * for which another node has heard of it.
   */
  figuresOf(bot: MeteredBot & { heardAtMs?: number | null }, { slot, endMs, figures }: ClosedSlot): StatusFigures {
    const heard = figures.get(bot.id)
    if (heard !== undefined) return heard
    const heardAtMs = this.#readings.has(bot.id) ? null : (bot.heardAtMs ?? null)
    const elsewhereUntilMs = heardAtMs === null ? 0 : heardAtMs + snapshotFreshForMs
    const fromMs = Math.max(slot * statusSlotMs, this.#knowsFromMs, bot.createdAtMs, elsewhereUntilMs)
    const reading = { hosting: bot.hostingEnabled, onlineUntilMs: 0, countedToMs: fromMs, figures: nothingKnown() }
    count(reading, endMs)
    return reading.figures
  }

  /** How the bot has been in the current slot so far. */
  current(bot: MeteredBot, nowMs: number): { slot: number; figures: StatusFigures } {
    this.turn(nowMs)
    const reading = this.#readings.get(bot.id)
    if (reading !== undefined) count(reading, nowMs)
    const figures = new Map(reading && [[bot.id, reading.figures]])
    const sofar = { slot: this.#slot, endMs: nowMs, figures, storedTo: undefined }
    return { slot: this.#slot, figures: { ...this.figuresOf(bot, sofar) } }
  }

  /** From when on a bot that was not heard of is known to be as its record says, within the current slot. */
  #unheardFromMs(): number {
    return Math.max(this.#slot * statusSlotMs, this.#knowsFromMs)
  }

  #begin(botId: BotId, hosting: boolean, fromMs: number): Reading {
    const reading = { hosting, onlineUntilMs: 0, countedToMs: fromMs, figures: nothingKnown() }
    this.#readings.set(botId, reading)
    return reading
  }

  #close(endMs: number): void {
    const figures = new Map<BotId, StatusFigures>()
    for (const [botId, reading] of this.#readings) {
      count(reading, endMs)
      figures.set(botId, reading.figures)
      if (reading.onlineUntilMs <= endMs) this.#readings.delete(botId)
      else reading.figures = nothingKnown()
    }
    this.#closed.push({ slot: this.#slot, endMs, figures, storedTo: undefined })
  }
}

/** Adds the time up to `toMs`, in which nothing was heard. */
function count(reading: Reading, toMs: number): void {
  const { figures, countedToMs } = reading
  const lengthMs = toMs - countedToMs
  if (lengthMs <= 0) return
  const onlineMs = Math.min(Math.max(reading.onlineUntilMs - countedToMs, 0), lengthMs)
  if (!reading.hosting) figures.hostingOffMs += lengthMs
  else {
    figures.upMs += onlineMs
    figures.downMs += lengthMs - onlineMs
  }
  reading.countedToMs = toMs
}
