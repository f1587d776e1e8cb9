import type { BotId } from '../../ids-and-secrets.ts'
import type { Bot } from '../bot.ts'
import type { StatusChange } from './status-board.ts'
import type { StatusFigures, StatusRun } from './status-span.ts'

export interface BotFigures {
  botId: BotId
  figures: StatusFigures
}

export type MeteredBot = Pick<Bot, 'id' | 'hostingEnabled' | 'createdAtMs'>

export interface KnownBot extends MeteredBot {
  /** Time of the last heartbeat. `null` if there was none. */
  reportedAtMs: number | null
  /** First stored slot. `null` if no slot is stored. */
  knownFrom: number | null
}

export interface StoredMeteredBot extends KnownBot {
  /**
   * First slot that is not complete in the store: the last stored slot if some of its time is unknown, otherwise the
   * slot after it. `null` if no slot is stored.
   */
  completeUntil: number | null
}

export interface StoredHistory {
  bot: StoredMeteredBot
  slots: StatusRun[]
  days: StatusRun[]
}

/** In chronological order. Consecutive slots or days with the same figures and no unknown time share a row. */
export interface StatusHistoryStore {
  /** Returns bots that aren't deleted, ordered by ID. */
  listMetered(after: BotId | undefined, limit: number): Promise<StoredMeteredBot[]>
  /** One transaction. `withUnit` returns the runs to store. */
  addToSlot(slot: number, figures: readonly BotFigures[]): Promise<void>
  /** Returns bots that have slots, ordered by ID. */
  listWithSlots(after: BotId | undefined, limit: number): Promise<BotId[]>
  /** One transaction. Rolls slots up into new days before `today`, and deletes those that end by `dropSlotsUntil`. */
  rollUp(botIds: readonly BotId[], today: number, dropSlotsUntil: number): Promise<void>
  /** Returns each bot's slots that end after `from`. Runs one query for all bots. */
  listSlots(botIds: readonly BotId[], from: number): Promise<StatusRun[][]>
  findHistory(botId: BotId): Promise<StoredHistory | undefined>
  /** Deletes at most `limit` runs whose days are all earlier than `until`. */
  pruneDays(until: number, limit: number): Promise<number>
  /** Up to `statusChangesPerBot` changes, oldest first; `AnnouncementStore.announce` adds them. */
  changesOf(botId: BotId): Promise<StatusChange[]>
}
