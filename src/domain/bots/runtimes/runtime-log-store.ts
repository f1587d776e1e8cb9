import type { BotId } from '../../ids.ts'
import type { LogLevel, RuntimeLogEntry } from './runtime-log.ts'

export interface LogPage {
  levels: readonly LogLevel[]
  /** Return only entries that come after this one in the list. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  /** Increases with each appended entry. */
  number: number
}

export interface RuntimeLogStore {
  /**
   * Appends the entries in one transaction, omitting those for unknown bots. Keeps the newest `keep` entries per bot
   * and deletes older ones.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Returns entries, newest first. Entries with the same time are in reverse order of insertion. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
  /** Returns the selected entries, in the same order. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}
