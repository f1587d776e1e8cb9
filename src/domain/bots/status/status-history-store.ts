import type { BotId } from '../../ids.ts'
import type { Bot } from '../bot.ts'
import type { StatusFigures, StatusRun } from './status-span.ts'

export interface BotFigures {
  botId: BotId
  figures: StatusFigures
}

/** The part of a bot's record that the meter needs. */
export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

/** A bot to be metered, with what any node has stored of it. */
export interface StoredMeteredBot extends MeteredBot {
  /** When it was last heard of, in milliseconds since the epoch; null: never. */
  heardAtMs: number | null
  /** First stored slot; null when none is stored. */
  knownFrom: number | null
  /** The first slot of which not all is known yet; null: nothing is stored. */
  wholeUntil: number | null
}

/** What is kept of a bot's past: runs in order of time. */
export interface StoredHistory {
  bot: StoredMeteredBot
  slots: StatusRun[]
  days: StatusRun[]
}

/** Which days the slots of a bot make, and which of its slots have had their time. */
export interface RollUp {
  /** Figures of whole days, in order, made of a bot's slots. Called inside the transaction. */
  daysOf(slots: readonly StatusRun[]): { day: number; figures: StatusFigures }[]
  /** Runs that end at this slot, or before it, are deleted. */
  dropSlotsUntil: number
}

/**
 * The past of bots, in slots and days. Neighbours that are known whole and alike are one row, so that a bot which runs
 * steadily takes a few rows, and one that does not at most one a slot and one a day.
 */
export interface StatusHistoryStore {
  /** Bots that are not deleted, in order of their ids, from after that one. */
  listMetered(after: BotId | undefined, limit: number): Promise<StoredMeteredBot[]>
  /** Adds to the figures of the latest slot as `withUnit` says, in one transaction. */
  addToSlot(slot: number, figures: readonly BotFigures[]): Promise<void>
  /**
   * Makes days of slots for the next `limit` bots, in one transaction; a day that is there stays as it is. Returns the
   * last of the bots, and undefined when there are no more.
   */
  rollUp(how: RollUp, after: BotId | undefined, limit: number): Promise<BotId | undefined>
  /** Returns the bots that `rollUp` processes for the same arguments, in the same order. */
  listWithSlots(after: BotId | undefined, limit: number): Promise<BotId[]>
  /** The first day that no bot has yet; undefined when none has any. */
  daysEnd(): Promise<number | undefined>
  /** Undefined when there is no such bot. */
  findHistory(botId: BotId): Promise<StoredHistory | undefined>
  /** Deletes at most `limit` runs of days that end at this day, or before it, and says how many. */
  pruneDays(until: number, limit: number): Promise<number>
}
