import { cutText } from '../../cut-text.ts'
import type { BotId } from '../../ids.ts'
import { logEntriesKeptPerBot, logMessageMaxCharacters, userinfoLogsMax } from '../../limits/limits.ts'
import { BotRefusal } from '../bot-refusal.ts'
import type { BotStore } from '../bot-store.ts'
import { parseAll, parseLogMessage } from '../record-rules.ts'
import type { RuntimeLogEntry } from './runtime-log.ts'
import type { LogPage, NumberedLogEntry, RuntimeLogStore } from './runtime-log-store.ts'

/** What bots log through their runtimes. */
export class RuntimeLogs {
  readonly #store: RuntimeLogStore
  readonly #bots: BotStore

  constructor(parts: { runtimeLogs: RuntimeLogStore; bots: BotStore }) {
    this.#store = parts.runtimeLogs
    this.#bots = parts.bots
  }

  /**
   * Appends to the bots' runtime logs; entries of bots that do not exist are left out. Messages that are too
   * long are cut: what a bot logged must not be lost over its length.
   */
  async append(entries: readonly RuntimeLogEntry[]): Promise<void> {
    const cut = entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
    if (cut.length > 0) await this.#store.appendLogs(cut, logEntriesKeptPerBot)
  }

  /** As {@link append}, for one bot, by somebody who reads refusals. @throws BotRefusal with every fault; `bot-unknown`. */
  async write(botId: BotId, entries: readonly Omit<RuntimeLogEntry, 'botId'>[]): Promise<void> {
    parseAll((take) => {
      for (const { message } of entries) take(parseLogMessage(message))
    })
    if ((await this.#bots.findBot(botId)) === undefined) throw new BotRefusal('bot-unknown', { detail: `bot ${botId}` })
    await this.append(entries.map((entry) => ({ ...entry, botId })))
  }

  /** The runtime log entries of the bot that are wanted, newest first. */
  page(botId: BotId, page: LogPage): Promise<NumberedLogEntry[]> {
    return this.#store.pageLogs(botId, page)
  }

  /** The latest runtime log entries of the bot, newest first. */
  latest(botId: BotId): Promise<RuntimeLogEntry[]> {
    return this.#store.listLogs(botId, userinfoLogsMax)
  }
}
