import type { BotId } from '../../ids.ts'
import type { Bot } from '../bot.ts'
import type { StatusFigures, StatusRun } from './status-span.ts'

export interface BotFigures {
  botId: BotId
  figures: StatusFigures
}

export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

/** A bot to be metered, with the state stored by all nodes. */
export interface StoredMeteredBot extends MeteredBot {
  /** Time of the last heartbeat, in milliseconds since the epoch. `null` if there was none. */
  reportedAtMs: number | null
  /** First stored slot. `null` if none is stored. */
  knownFrom: number | null
  /** First slot that is not fully known yet. `null` if none is stored. */
  completeUntil: number | null
}

/** The stored history of a bot: runs in chronological order. */
export interface StoredHistory {
  bot: StoredMeteredBot
  slots: StatusRun[]
  days: StatusRun[]
}

/** How to roll a bot's slots up into days, and which slots to delete. */
export interface RollUp {
  /** Returns the figures of complete days, in order, computed from a bot's slots. Called inside the transaction. */
  daysOf(slots: readonly StatusRun[]): { day: number; figures: StatusFigures }[]
  /** Runs that end at or before this slot are deleted. */
  dropSlotsUntil: number
}

/**
 * Stores the history of bots, in slots and days.
 *
 * Adjacent units that are fully known and have the same figures are one row. A steady bot therefore takes a few rows,
 * and any other at most one row per slot and day.
 */
export interface StatusHistoryStore {
  /** Returns bots that aren't deleted, ordered by ID, starting after the given one. */
  listMetered(after: BotId | undefined, limit: number): Promise<StoredMeteredBot[]>
  /** Adds the figures to the latest slot, as `withUnit` does, in one transaction. */
  addToSlot(slot: number, figures: readonly BotFigures[]): Promise<void>
  /**
   * Rolls up slots into days for the next `limit` bots, in one transaction. Existing days are kept. Returns the last of
   * these bots, or `undefined` if there are no more.
   */
  rollUp(how: RollUp, after: BotId | undefined, limit: number): Promise<BotId | undefined>
  /** Returns the bots that `rollUp` processes for the same arguments, in the same order. */
  listWithSlots(after: BotId | undefined, limit: number): Promise<BotId[]>
  /** Returns the first day that no bot has yet, or `undefined` if no days are stored. */
  daysEnd(): Promise<number | undefined>
  findHistory(botId: BotId): Promise<StoredHistory | undefined>
  /** Deletes at most `limit` runs of days that end at or before this day. Returns the number deleted. */
  pruneDays(until: number, limit: number): Promise<number>
}
