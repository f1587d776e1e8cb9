import { cutText } from '../../cut-text.ts'
import type { BotId } from '../../ids.ts'
import { logEntriesKeptPerBot, logMessageMaxCharacters, userinfoLogsMax } from '../../limits/limits.ts'
import { BotRefusal } from '../bot-refusal.ts'
import type { BotStore } from '../bot-store.ts'
import { parseAll, parseLogMessage } from '../record-rules.ts'
import type { RuntimeLogEntry } from './runtime-log.ts'
import type { LogPage, NumberedLogEntry, RuntimeLogStore } from './runtime-log-store.ts'

export class RuntimeLogs {
  readonly #store: RuntimeLogStore
  readonly #bots: BotStore

  constructor(parts: { runtimeLogs: RuntimeLogStore; bots: BotStore }) {
    this.#store = parts.runtimeLogs
    this.#bots = parts.bots
  }

  /**
   * Appends the log entries, and ignores entries for unknown bots. Messages that are too long are truncated rather than
   * rejected.
   */
  async append(entries: readonly RuntimeLogEntry[]): Promise<void> {
    const cut = entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
    if (cut.length > 0) await this.#store.appendLogs(cut, logEntriesKeptPerBot)
  }

  /**
   * Appends log entries for one bot. Unlike {@link append}, rejects invalid entries.
   *
   * @throws BotRefusal with every validation error in the input; `bot-unknown`.
   */
  async write(botId: BotId, entries: readonly Omit<RuntimeLogEntry, 'botId'>[]): Promise<void> {
    parseAll((take) => {
      for (const { message } of entries) take(parseLogMessage(message))
    })
    if ((await this.#bots.findBot(botId)) === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    await this.append(entries.map((entry) => ({ ...entry, botId })))
  }

  /** Deletes the bot's log entries. */
  clear(botId: BotId): Promise<void> {
    return this.#store.clearLogs(botId)
  }

  /** Returns the bot's log entries with the given levels, newest first. */
  page(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]> {
    return this.#store.pageLogs(botId, page)
  }

  /** Returns the bot's latest log entries, newest first. */
  latest(botId: BotId): Promise<RuntimeLogEntry[]> {
    return this.#store.listLogs(botId, userinfoLogsMax)
  }
}
