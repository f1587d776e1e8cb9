import type { BotId } from '../../ids.ts'
import type { LogLevel, RuntimeLogEntry } from './runtime-log.ts'

export interface LogPage {
  levels: readonly LogLevel[]
  /** The last entry of the previous page. Only older entries are returned. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  /** Increases with each appended entry. */
  number: number
}

export interface RuntimeLogStore {
  /**
   * Appends the entries in one transaction, and ignores entries for unknown bots. Keeps the newest `keep` entries per
   * bot and deletes older ones.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Deletes the bot's entries. */
  clearLogs(botId: BotId): Promise<void>
  /** Returns entries, newest first. Entries with the same time are in reverse order of insertion. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
  /** Returns entries with the given levels, in the same order as `listLogs`. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}
