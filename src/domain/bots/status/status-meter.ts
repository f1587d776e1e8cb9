import type { BotId } from '../../ids.ts'
import { snapshotFreshForMs, statusSlotMs, statusSlotsKept } from '../../limits/limits.ts'
import type { MeteredBot, StoredMeteredBot } from './status-history-store.ts'
import { nothingKnown, plus, type StatusFigures, slotAt } from './status-span.ts'

/**
 * Measurements of a bot in a slot by one node. Time before a bot's first heartbeat ever counts as unknown. Whether
 * there was an earlier heartbeat is decided from the stored slots, so the time before this node's first one is kept
 * apart.
 */
interface Measured {
  /** Time before the first heartbeat of the current reading. */
  unheard: StatusFigures
  /** Time after it. */
  heard: StatusFigures
}

/** A slot that is over, or the last one of this process, to be stored. */
export interface ClosedSlot {
  slot: number
  endMs: number
  /** Bots from which a heartbeat was received, or whose record changed. */
  measured: Map<BotId, Measured>
  /** The bots up to this one are stored already. */
  storedTo: BotId | undefined
}

interface Reading {
  hosting: boolean
  /** Until when it is online unless something is heard: the rule of `online`, as time. */
  onlineUntilMs: number
  countedToMs: number
  /** Whether a heartbeat was received since the reading began, possibly in an earlier slot. */
  isHeard: boolean
  /** Figures of the current slot up to `countedToMs`. */
  measured: Measured
}

/**
 * Measures in memory how long each bot is up, down, or has its hosting off, slot by slot. Only bots that are online,
 * or of which something was heard in the current slot, take memory: the others were all the time as their record says.
 *
 * The service itself has to be there to know. For the first ninety seconds, in which runtimes find back to it, a
 * bot that was not heard of yet is neither up nor down. Time before a bot's first heartbeat is unknown as well.
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
    reading.isHeard = true
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
    for (const closed of this.#closed) {
      if (closed.measured.has(bot.id)) continue
      closed.measured.set(bot.id, { unheard: this.#ofRecord(before, closed), heard: nothingKnown() })
    }
    const reading =
      this.#readings.get(bot.id) ??
      this.#begin(bot.id, hostedBefore, Math.min(nowMs, Math.max(this.#unheardFromMs(), bot.createdAtMs)))
    count(reading, nowMs)
    reading.hosting = bot.hostingEnabled
  }

  removed(botId: BotId): void {
    this.#readings.delete(botId)
    for (const { measured } of this.#closed) measured.delete(botId)
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
   * for which another node has heard of it. Nothing is known either of a bot that never sent a heartbeat to any node.
   */
  figuresOf(bot: StoredMeteredBot, closed: ClosedSlot): StatusFigures {
    const heardBefore = bot.knownFrom !== null && bot.knownFrom < closed.slot
    const measured = closed.measured.get(bot.id)
    if (measured !== undefined) return heardBefore ? plus(measured.unheard, measured.heard) : { ...measured.heard }
    // With a current reading, `heardAtMs` may be later than this slot, so it is not used.
    if (this.#readings.has(bot.id)) return heardBefore ? this.#ofRecord(bot, closed) : nothingKnown()
    return bot.heardAtMs === null ? nothingKnown() : this.#ofRecord(bot, closed, bot.heardAtMs + snapshotFreshForMs)
  }

  /** How the bot has been in the current slot so far. */
  current(bot: StoredMeteredBot, nowMs: number): { slot: number; figures: StatusFigures } {
    this.turn(nowMs)
    const reading = this.#readings.get(bot.id)
    if (reading !== undefined) count(reading, nowMs)
    const measured = new Map(reading && [[bot.id, reading.measured]])
    const sofar = { slot: this.#slot, endMs: nowMs, measured, storedTo: undefined }
    return { slot: this.#slot, figures: this.figuresOf(bot, sofar) }
  }

  /**
   * Returns the figures that follow from the record alone.
   *
   * @param elsewhereUntilMs end of the time another node covers.
   */
  #ofRecord(bot: MeteredBot, { slot, endMs }: ClosedSlot, elsewhereUntilMs = 0): StatusFigures {
    const fromMs = Math.max(slot * statusSlotMs, this.#knowsFromMs, bot.createdAtMs, elsewhereUntilMs)
    const reading = newReading(bot.hostingEnabled, fromMs)
    count(reading, endMs)
    return reading.measured.unheard
  }

  /** From when on a bot that was not heard of is known to be as its record says, within the current slot. */
  #unheardFromMs(): number {
    return Math.max(this.#slot * statusSlotMs, this.#knowsFromMs)
  }

  #begin(botId: BotId, hosting: boolean, fromMs: number): Reading {
    const reading = newReading(hosting, fromMs)
    this.#readings.set(botId, reading)
    return reading
  }

  #close(endMs: number): void {
    const measured = new Map<BotId, Measured>()
    for (const [botId, reading] of this.#readings) {
      count(reading, endMs)
      measured.set(botId, reading.measured)
      if (reading.onlineUntilMs <= endMs) this.#readings.delete(botId)
      else reading.measured = nothingMeasured()
    }
    this.#closed.push({ slot: this.#slot, endMs, measured, storedTo: undefined })
  }
}

function nothingMeasured(): Measured {
  return { unheard: nothingKnown(), heard: nothingKnown() }
}

function newReading(hosting: boolean, fromMs: number): Reading {
  return { hosting, onlineUntilMs: 0, countedToMs: fromMs, isHeard: false, measured: nothingMeasured() }
}

/** Adds the time up to `toMs`, in which nothing was heard. */
function count(reading: Reading, toMs: number): void {
  const { isHeard, measured, countedToMs } = reading
  const figures = isHeard ? measured.heard : measured.unheard
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
