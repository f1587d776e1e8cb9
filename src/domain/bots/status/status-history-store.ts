import type { BotId } from '../../ids.ts'
import type { Bot } from '../bot.ts'
import type { StatusFigures, StatusRun } from './status-span.ts'

export interface BotFigures {
  botId: BotId
  figures: StatusFigures
}

export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

/** A bot whose status is measured, with what all nodes know about it. */
export interface KnownBot extends MeteredBot {
  /** Time of the last heartbeat, in milliseconds since the epoch. `null` if there was none. */
  reportedAtMs: number | null
  /** First stored slot. `null` if no slot is stored. */
  knownFrom: number | null
}

/** A bot whose status is measured, with its stored state. */
export interface StoredMeteredBot extends KnownBot {
  /**
   * First slot that is not complete in the store: the last stored slot if some of its time is unknown, otherwise the
   * slot after it. `null` if no slot is stored.
   */
  completeUntil: number | null
}

/** A bot and its stored status history. The slots and the days are each in chronological order. */
export interface StoredHistory {
  bot: StoredMeteredBot
  slots: StatusRun[]
  days: StatusRun[]
}

/** Instructions for rolling up a bot's slots into days and for deleting old slots. */
export interface RollUp {
  /** Computes the figures of complete days from a bot's slots, in order. Called inside the transaction. */
  daysOf(slots: readonly StatusRun[]): { day: number; figures: StatusFigures }[]
  /** Runs of slots that end at or before this slot are deleted. */
  dropSlotsUntil: number
}

/**
 * Stores the status history of bots, in slots and days.
 *
 * Consecutive slots or days share a row if they have the same figures and no unknown time. A bot with a steady status
 * therefore needs only a few rows; any other bot needs at most one row per slot and one per day.
 */
export interface StatusHistoryStore {
  /** Returns bots that aren't deleted, ordered by ID, starting after the given one. */
  listMetered(after: BotId | undefined, limit: number): Promise<StoredMeteredBot[]>
  /** Adds the figures for this slot to the bots' histories in one transaction. `withUnit` returns the runs to store. */
  addToSlot(slot: number, figures: readonly BotFigures[]): Promise<void>
  /**
   * For the next `limit` bots, rolls up slots into days and deletes expired slots, in one transaction. Days that are
   * already stored don't change. Returns the last bot processed, or `undefined` when there are no more bots.
   */
  rollUp(how: RollUp, after: BotId | undefined, limit: number): Promise<BotId | undefined>
  /** Returns the bots that `rollUp` would process for the same arguments, in the same order. */
  listWithSlots(after: BotId | undefined, limit: number): Promise<BotId[]>
  /** Returns the first day that isn't stored for any bot yet, or `undefined` if no days are stored. */
  daysEnd(): Promise<number | undefined>
  /** Returns the slots of each bot that end after `from`, in chronological order. Runs one query for all bots. */
  listSlots(botIds: readonly BotId[], from: number): Promise<StatusRun[][]>
  findHistory(botId: BotId): Promise<StoredHistory | undefined>
  /** Deletes at most `limit` runs whose days are all earlier than `until`. Returns the number of runs deleted. */
  pruneDays(until: number, limit: number): Promise<number>
}
