import type { BotId } from '../../ids.ts'
import type { LogLevel, RuntimeLogEntry } from './runtime-log.ts'

/** Which entries of a bot are wanted. */
export interface LogPage {
  /** Only of these. */
  levels: readonly LogLevel[]
  /** Only what stands behind this entry in the list. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  /** Ascends as entries are appended. */
  number: number
}

export interface RuntimeLogStore {
  /**
   * Appends in one transaction; entries of bots that do not exist are left out. Of each bot the `keep` newest
   * stay and older ones go.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Newest first; of entries of the same time, the last appended first. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
  /** In the same order, those that are wanted. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}
