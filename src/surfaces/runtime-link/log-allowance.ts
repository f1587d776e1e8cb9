import type { RuntimeLogEntry } from '../../domain/bots/runtimes/runtime-log.ts'
import type { BotId } from '../../domain/ids.ts'
import { logEntriesKeptPerBot } from '../../domain/limits/limits.ts'

const minuteMs = 60_000
/** More than are kept need not be taken. */
const perBotAndMinute = logEntriesKeptPerBot

/** How many log entries each bot may still write in this minute, whichever connections they come over. */
export class LogAllowance {
  #minute = 0
  readonly #written = new Map<BotId, number>()

  /** Those of the entries that are within it. Where it ends, an entry in their place says so. */
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
  const message = `More than ${perBotAndMinute - 1} entries came within a minute; the rest of them is left out.`
  return { botId, atMs, level: 'warn', message }
}
