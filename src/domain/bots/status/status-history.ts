import { bisectFailures, Flushes, type OnFault, type SingletonDuty } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { KnownBot, StatusHistoryStore, StoredHistory, StoredMeteredBot } from './status-history-store.ts'
import { type ClosedSlot, dayAt, StatusMeter, slotAt } from './status-meter.ts'
import {
  dayOfSlots,
  hoursOfSlots,
  knownMs,
  type StatusFigures,
  type StatusRun,
  type StatusSpan,
  spansOf,
  withUnit,
} from './status-span.ts'

/** Oldest first. {@link uptimeShare} computes the uptime. */
export interface BotHistory {
  /** The last 24 hours. The last slot is still in progress. */
  slots: StatusSpan[]
  /** The last 90 days (UTC), ending with today. */
  days: StatusSpan[]
}

const botsPerBatch = 500
/** A roll-up reads all slots of each bot. */
const botsPerRollUp = 100

/** Measures status, stores a slot every five minutes, and rolls up daily. Time lost in a crash counts as unknown. */
export class StatusHistory {
  readonly meter: StatusMeter
  readonly #store: StatusHistoryStore
  readonly #duty: SingletonDuty
  readonly #clock: Clock
  readonly #onFault: OnFault
  readonly #flushes = new Flushes()
  #rolledUpOn: number | undefined

  constructor(parts: { store: StatusHistoryStore; duty: SingletonDuty; clock: Clock; onFault?: OnFault | undefined }) {
    const { store, duty, clock, onFault = () => {} } = parts
    this.#onFault = onFault
    this.#store = store
    this.#duty = duty
    this.#clock = clock
    this.meter = new StatusMeter(clock.nowMs())
  }

  of(botId: BotId, nowMs: number): Promise<BotHistory | undefined> {
    return this.#flushes.read(
      () => this.#store.findHistory(botId),
      (stored) => stored && this.#withUnstored(stored, nowMs),
    )
  }

  /** Returns the last 24 hours of each bot, oldest first. The last hour is still in progress. */
  hoursOf(bots: readonly Omit<KnownBot, 'knownFrom'>[], nowMs: number): Promise<StatusFigures[][]> {
    const slot = slotAt(nowMs)
    return this.#flushes.read(
      () =>
        this.#store.listSlots(
          bots.map(({ id }) => id),
          slot - limits.statusSlotsShown,
        ),
      (stored) => bots.map((bot, at) => hoursOfSlots(this.#slotsUntil(nowMs, bot, stored[at] ?? []), slot, 24)),
    )
  }

  #slotsUntil(nowMs: number, known: Omit<KnownBot, 'knownFrom'>, stored: readonly StatusRun[]): StatusRun[] {
    this.meter.closeEndedSlots(nowMs)
    const slots = [...stored]
    /** Updates `knownFrom` for the slots added so far. */
    const bot = () => ({ ...known, knownFrom: slots[0]?.from ?? null })
    for (const closed of this.meter.closed) {
      const written = closed.storedTo !== undefined && known.id <= closed.storedTo
      if (!written) addTo(slots, closed.slot, this.meter.figuresOf(bot(), closed))
    }
    const current = this.meter.current(bot(), nowMs)
    addTo(slots, current.slot, current.figures)
    return slots
  }

  #withUnstored(stored: StoredHistory, nowMs: number): BotHistory {
    const slots = this.#slotsUntil(nowMs, stored.bot, stored.slots)
    const days = [...stored.days]
    const today = dayAt(nowMs)
    const firstDay = today - limits.statusDaysKept + 1
    for (let day = Math.max(firstDay, days.at(-1)?.until ?? 0); day <= today; day += 1) {
      days.push({ from: day, until: day + 1, figures: dayOfSlots(slots, day) })
    }
    const nextSlot = slotAt(nowMs) + 1
    return {
      slots: spansOf(slots, nextSlot - limits.statusSlotsShown, nextSlot, limits.statusSlotMs),
      days: spansOf(days, firstDay, today + 1, limits.statusDayMs),
    }
  }

  /** Failed writes are retried on the next flush. */
  async flush(): Promise<void> {
    this.meter.closeEndedSlots(this.#clock.nowMs())
    await this.#storeClosed()
    // One slot after midnight (UTC), every node has stored its measurements for the day.
    if (this.#duty.isOurs) await this.#rollUp(dayAt(this.#clock.nowMs() - limits.statusSlotMs))
  }

  /** Includes the current slot. */
  async close(): Promise<void> {
    this.meter.end(this.#clock.nowMs())
    await this.#storeClosed()
  }

  prune(limit: number): Promise<number> {
    return this.#store.pruneDays(dayAt(this.#clock.nowMs()) - limits.statusDaysKept + 1, limit)
  }

  async #storeClosed(): Promise<void> {
    for (let closed = this.meter.closed[0]; closed !== undefined; closed = this.meter.closed[0]) {
      const slot = closed
      const bots = await this.#store.listMetered(slot.storedTo, botsPerBatch)
      await this.#flushes.run(() => this.#storeSlot(slot, bots))
    }
  }

  async #storeSlot(closed: ClosedSlot, bots: readonly StoredMeteredBot[]): Promise<void> {
    const figures = bots
      .filter((bot) => closed.measured.has(bot.id) || bot.completeUntil === null || bot.completeUntil <= closed.slot)
      .map((bot) => ({ botId: bot.id, figures: this.meter.figuresOf(bot, closed) }))
      .filter((each) => knownMs(each.figures) > 0)
    await bisectFailures(
      figures,
      (part) => this.#store.addToSlot(closed.slot, part),
      // The bot's measurements for this slot are lost, so that time counts as unknown.
      ({ botId }, error) => this.#onFault(error, 'bot status write', { botId }),
    )
    const last = bots.at(-1)
    if (last === undefined || bots.length < botsPerBatch) this.meter.closed.shift()
    else closed.storedTo = last.id
  }

  async #rollUp(today: number): Promise<void> {
    if (this.#rolledUpOn === today) return
    const dropSlotsUntil = slotAt(this.#clock.nowMs()) - limits.statusSlotsKept
    let botIds: BotId[] = []
    do {
      botIds = await this.#store.listWithSlots(botIds.at(-1), botsPerRollUp)
      await bisectFailures(
        botIds,
        (some) => this.#store.rollUp(some, today, dropSlotsUntil),
        (botId, error) => this.#onFault(error, 'bot status roll-up', { botId }),
      )
    } while (botIds.length === botsPerRollUp)
    this.#rolledUpOn = today
  }
}

/** As the store does. */
function addTo(slots: StatusRun[], slot: number, figures: StatusFigures): void {
  if (knownMs(figures) === 0) return
  for (const run of withUnit(slots.at(-1), slot, figures, limits.statusSlotMs)) {
    if (slots.at(-1)?.from === run.from) slots.pop()
    slots.push(run)
  }
}
