import type { BotId } from '../../ids.ts'
import type { LogLevel, RuntimeLogEntry } from './runtime-log.ts'

export interface LogPage {
  levels: readonly LogLevel[]
  /** Returns only entries that follow this one in the list. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  /** Increases with each appended entry. */
  number: number
}

export interface RuntimeLogStore {
  /**
   * Appends the entries in one transaction, omitting those of unknown bots. Keeps the newest `keep` entries per bot and
   * deletes older ones.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Returns entries, newest first. Among entries of the same time, the last appended is first. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
  /** Returns the selected entries, in the same order. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}
