import type { BotId } from '../../ids.ts'
import type { LogLevel, RuntimeLogEntry } from './runtime-log.ts'

export interface LogPage {
  levels: readonly LogLevel[]
  /** The last entry of the previous page. Only entries older than this one are returned. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  /** Number of the entry. Increases with each appended entry. */
  number: number
}

export interface RuntimeLogStore {
  /**
   * Appends the entries in one transaction, and ignores entries for unknown bots. Keeps the newest `keep` entries per
   * bot and deletes older ones.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Deletes the bot's log entries. */
  clearLogs(botId: BotId): Promise<void>
  /** Returns the bot's log entries, newest first. Entries with the same time are in reverse order of insertion. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
  /** Returns the bot's log entries with the given levels, in the same order as `listLogs`. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}
