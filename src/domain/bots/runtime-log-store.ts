import type { BotId } from '../ids.ts'
import type { RuntimeLogEntry } from './runtime-log.ts'

export interface RuntimeLogStore {
  /**
   * Appends in one transaction; entries of bots that do not exist are left out. Of each bot the `keep` newest
   * stay and older ones go.
   */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  /** Newest first; of entries of the same time, the last appended first. */
  listLogs(botId: BotId, most: number): Promise<RuntimeLogEntry[]>
}
