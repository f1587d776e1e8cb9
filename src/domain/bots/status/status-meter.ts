import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { KnownBot, MeteredBot } from './status-history-store.ts'
import { nothingKnown, plus, type StatusFigures } from './status-span.ts'

/**
 * One node's measurements of a bot during a slot. Time before a bot's very first heartbeat is unknown. Only the stored
 * slots show whether there was an earlier one, so the time before this node's first heartbeat is kept separately.
 */
interface Measured {
  /** Time before the first heartbeat since this node last started measuring the bot. */
  unheard: StatusFigures
  /** Time after it. */
  heard: StatusFigures
}

/** Waits to be stored, because it has ended or the process is shutting down. */
export interface ClosedSlot {
  slot: number
  endMs: number
  /** Measurements of the bots that sent a heartbeat or whose record changed. */
  measured: Map<BotId, Measured>
  /** ID of the last bot whose figures are stored. Bots are stored in order of their IDs. */
  storedTo: BotId | undefined
}

interface Reading {
  hosting: boolean
  /** If no further heartbeat arrives. */
  onlineUntilMs: number
  countedToMs: number
  /** Time of the last heartbeat since this node started measuring the bot, possibly in an earlier slot. 0 after a bye. */
  heardAtMs: number | undefined
  /** Up to `countedToMs`, in the current slot. */
  measured: Measured
}

/**
 * Measures in memory, slot by slot, how long each bot is up, is down, or has hosting off. Only bots that had a heartbeat
 * in the last 90 seconds, or a heartbeat or a change of record in the current slot, take up memory. The status of all
 * others follows from their records. In the first 90 seconds after startup, a bot without a heartbeat counts as neither
 * up nor down, because its runtime may still be reconnecting.
 */
export class StatusMeter {
  readonly #knowsFromMs: number
  readonly #readings = new Map<BotId, Reading>()
  /** Oldest first. */
  readonly closed: ClosedSlot[] = []
  #slot: number

  constructor(nowMs: number) {
    this.#knowsFromMs = nowMs + limits.snapshotFreshForMs
    this.#slot = slotAt(nowMs)
  }

  heartbeat(botId: BotId, ready: boolean, nowMs: number): void {
    this.closeEndedSlots(nowMs)
    const reading = this.#readings.get(botId) ?? this.#begin(botId, true, Math.min(this.#unheardFromMs(), nowMs))
    count(reading, nowMs)
    reading.heardAtMs = nowMs
    reading.onlineUntilMs = ready ? nowMs + limits.snapshotFreshForMs : nowMs
  }

  /** Returns the time of the last heartbeat since the last bye. 0 if it is longer ago than 90 seconds and this slot. */
  left(botId: BotId, nowMs: number): number {
    this.closeEndedSlots(nowMs)
    const reading = this.#readings.get(botId)
    if (reading === undefined) return 0
    count(reading, nowMs)
    reading.onlineUntilMs = nowMs
    const heardAtMs = reading.heardAtMs ?? 0
    reading.heardAtMs &&= 0
    return heardAtMs
  }

  /** @param hostedBefore `undefined` for a new bot, whose measurement starts now. */
  changed(bot: MeteredBot, hostedBefore: boolean | undefined, nowMs: number): void {
    this.closeEndedSlots(nowMs)
    if (hostedBefore === undefined) {
      this.removed(bot.id)
      this.#begin(bot.id, bot.hostingEnabled, nowMs)
      return
    }
    if (hostedBefore === bot.hostingEnabled) return
    // Slots that ended before this change but aren't stored yet keep the old setting.
    const before = { ...bot, hostingEnabled: hostedBefore }
    for (const closed of this.closed) {
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
    for (const { measured } of this.closed) measured.delete(botId)
  }

  closeEndedSlots(nowMs: number): void {
    const slot = slotAt(nowMs)
    if (slot <= this.#slot) return
    // After a large clock jump, skips slots that wouldn't be kept anyway.
    this.#slot = Math.max(this.#slot, slot - limits.statusSlotsKept)
    for (; this.#slot < slot; this.#slot += 1) this.#close((this.#slot + 1) * limits.statusSlotMs)
  }

  end(nowMs: number): void {
    this.closeEndedSlots(nowMs)
    this.#close(nowMs)
  }

  /**
   * Returns a bot's figures for a closed slot. If this node didn't measure the bot, they are derived from its record,
   * and exclude the time up to 90 seconds after the last stored heartbeat, which another node may have measured. A bot
   * that has never sent a heartbeat to any node has no figures.
   */
  figuresOf(bot: KnownBot, closed: ClosedSlot): StatusFigures {
    const heardBefore = bot.knownFrom !== null && bot.knownFrom < closed.slot
    const measured = closed.measured.get(bot.id)
    if (measured !== undefined) return heardBefore ? plus(measured.unheard, measured.heard) : { ...measured.heard }
    // Measuring started after the slot ended. `reportedAtMs` may be later than the slot, so it isn't used.
    if (this.#readings.has(bot.id)) return heardBefore ? this.#ofRecord(bot, closed) : nothingKnown()
    return bot.reportedAtMs === null
      ? nothingKnown()
      : this.#ofRecord(bot, closed, bot.reportedAtMs + limits.snapshotFreshForMs)
  }

  current(bot: KnownBot, nowMs: number): { slot: number; figures: StatusFigures } {
    this.closeEndedSlots(nowMs)
    const reading = this.#readings.get(bot.id)
    if (reading !== undefined) count(reading, nowMs)
    const measured = new Map(reading && [[bot.id, reading.measured]])
    const sofar = { slot: this.#slot, endMs: nowMs, measured, storedTo: undefined }
    return { slot: this.#slot, figures: this.figuresOf(bot, sofar) }
  }

  /**
   * Counts a bot without heartbeats as down or, if hosting is off, as hosting off.
   *
   * @param elsewhereUntilMs end of the time that another node may have measured, which is not counted.
   */
  #ofRecord(bot: MeteredBot, { slot, endMs }: ClosedSlot, elsewhereUntilMs = 0): StatusFigures {
    const fromMs = Math.max(slot * limits.statusSlotMs, this.#knowsFromMs, bot.createdAtMs, elsewhereUntilMs)
    const reading = newReading(bot.hostingEnabled, fromMs)
    count(reading, endMs)
    return reading.measured.unheard
  }

  #unheardFromMs(): number {
    return Math.max(this.#slot * limits.statusSlotMs, this.#knowsFromMs)
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
      if ((reading.heardAtMs ?? 0) + limits.snapshotFreshForMs <= endMs) this.#readings.delete(botId)
      else reading.measured = nothingMeasured()
    }
    this.closed.push({ slot: this.#slot, endMs, measured, storedTo: undefined })
  }
}

export function slotAt(nowMs: number): number {
  return Math.floor(nowMs / limits.statusSlotMs)
}

export function dayAt(nowMs: number): number {
  return Math.floor(nowMs / limits.statusDayMs)
}

function nothingMeasured(): Measured {
  return { unheard: nothingKnown(), heard: nothingKnown() }
}

function newReading(hosting: boolean, fromMs: number): Reading {
  return { hosting, onlineUntilMs: 0, countedToMs: fromMs, heardAtMs: undefined, measured: nothingMeasured() }
}

/** No heartbeat may have been received between `countedToMs` and `toMs`. */
function count(reading: Reading, toMs: number): void {
  const { heardAtMs, measured, countedToMs } = reading
  const figures = heardAtMs === undefined ? measured.unheard : measured.heard
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
