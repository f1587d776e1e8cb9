import type { RuntimeLogEntry } from '../../domain/bots/runtimes/runtime-logs.ts'
import type { BotId } from '../../domain/ids.ts'
import { logEntriesKeptPerBot } from '../../domain/limits/limits.ts'

const minuteMs = 60_000
/** Only this many entries are kept per bot, so accepting more in one minute would be pointless. */
const perBotAndMinute = logEntriesKeptPerBot

/** Limits the number of log entries per bot and minute, across all connections. */
export class LogAllowance {
  #minute = 0
  readonly #written = new Map<BotId, number>()

  /** Returns the entries within the limit. The first entry beyond it is replaced with a warning. */
  of(entries: readonly RuntimeLogEntry[], nowMs: number): RuntimeLogEntry[] {
    const minute = Math.floor(nowMs / minuteMs)
    if (minute !== this.#minute) this.#written.clear()
    this.#minute = minute
    return entries.flatMap((entry) => {
      const written = (this.#written.get(entry.botId) ?? 0) + 1
      this.#written.set(entry.botId, written)
      if (written < perBotAndMinute) return entry
      return written === perBotAndMinute ? tooMany(entry.botId, nowMs) : []
    })
  }
}

function tooMany(botId: BotId, atMs: number): RuntimeLogEntry {
  const message = `More than ${perBotAndMinute - 1} entries in one minute; the rest is omitted.`
  return { botId, atMs, level: 'warn', message }
}
