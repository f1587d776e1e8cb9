import type { BotId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import type { BotStore } from '../bot.ts'
import { BotRefusal } from '../record-rules.ts'

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface RuntimeLogEntry {
  botId: BotId
  level: LogLevel
  message: string
  /** According to the runtime's clock. */
  atMs: number
}

interface LogPage {
  levels: readonly LogLevel[]
  sinceMs?: number | undefined
  untilMs?: number | undefined
  /** The last entry of the previous page. */
  after?: { atMs: number; number: number } | undefined
  most: number
}

export interface NumberedLogEntry extends RuntimeLogEntry {
  number: number
}

export interface RuntimeLogStore {
  /** One transaction. Ignores entries for unknown bots. Keeps the newest `keep` entries per bot. */
  appendLogs(entries: readonly RuntimeLogEntry[], keep: number): Promise<void>
  clearLogs(botId: BotId): Promise<void>
  /** Newest first. Entries with the same time are in reverse order of insertion. */
  pageLogs(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]>
}

export function createRuntimeLogs({ runtimeLogs: store, bots }: { runtimeLogs: RuntimeLogStore; bots: BotStore }) {
  /** Ignores entries for unknown bots. */
  const append = (entries: readonly RuntimeLogEntry[]) => store.appendLogs(entries, limits.logEntriesKeptPerBot)

  return {
    append,

    /** @throws BotRefusal `bot-unknown`. */
    async write(botId: BotId, entries: readonly Omit<RuntimeLogEntry, 'botId'>[]): Promise<void> {
      if ((await bots.findBot(botId)) === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
      await append(entries.map((entry) => ({ ...entry, botId })))
    },

    clear: (botId: BotId) => store.clearLogs(botId),

    /** @param page.text only entries that contain it, ignoring case. */
    async page(botId: BotId, { text = '', ...page }: LogPage & { text?: string }): Promise<NumberedLogEntry[]> {
      if (text === '') return store.pageLogs(botId, page)
      const wanted = text.toLowerCase()
      const entries = await store.pageLogs(botId, { ...page, most: limits.logEntriesKeptPerBot })
      return entries.filter(({ message }) => message.toLowerCase().includes(wanted)).slice(0, page.most)
    },

    latest: (botId: BotId) => store.pageLogs(botId, { levels: logLevels, most: limits.userinfoLogsMax }),
  }
}
