import type { BotId } from '../../ids.ts'
import type { Bot } from '../bot.ts'
import type { StatusFigures, StatusRun } from './status-span.ts'

export interface BotFigures {
  botId: BotId
  figures: StatusFigures
}

export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

/** A bot whose status is measured, with its stored state, which all nodes share. */
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

/** How to roll up a bot's slots into days, and which slots to delete. */
export interface RollUp {
  /** Returns the figures of complete days, in order, computed from a bot's slots. Called inside the transaction. */
  daysOf(slots: readonly StatusRun[]): { day: number; figures: StatusFigures }[]
  /** Runs that end at or before this slot are deleted. */
  dropSlotsUntil: number
}

/**
 * Stores the history of bots, in slots and days.
 *
 * Adjacent units that are fully known and have the same figures share a row. A bot with a steady status therefore needs
 * only a few rows; any other bot needs at most one row per slot and one per day.
 */
export interface StatusHistoryStore {
  /** Returns bots that aren't deleted, ordered by ID, starting after the given one. */
  listMetered(after: BotId | undefined, limit: number): Promise<StoredMeteredBot[]>
  /** Adds the figures for this slot to the bots' histories, as `withUnit` does, in one transaction. */
  addToSlot(slot: number, figures: readonly BotFigures[]): Promise<void>
  /**
   * Rolls up slots into days for the next `limit` bots, in one transaction. Existing days are kept. Returns the last
   * bot processed, or `undefined` when there are no more bots.
   */
  rollUp(how: RollUp, after: BotId | undefined, limit: number): Promise<BotId | undefined>
  /** Returns the bots that `rollUp` would process for the same arguments, in the same order. */
  listWithSlots(after: BotId | undefined, limit: number): Promise<BotId[]>
  /** Returns the first day that isn't stored for any bot yet, or `undefined` if no days are stored. */
  daysEnd(): Promise<number | undefined>
  findHistory(botId: BotId): Promise<StoredHistory | undefined>
  /** Deletes at most `limit` runs of days that end before this day begins. Returns the number deleted. */
  pruneDays(until: number, limit: number): Promise<number>
}
