import { checkBotId, checkLevel, type LogLevel, textOf } from './values.ts'

export interface LogEntry {
  botId: string
  level: LogLevel
  message: string
  /** When the entry was written, as ISO 8601 in UTC. */
  at: string
}

/** Length to which the service truncates a message. */
const messageMaxCharacters = 4_096
/** Maximum number of entries in a frame. They fit into 2 MiB even at maximum length with every character escaped. */
const entriesPerFrame = 64
const entriesMax = 1_000

/** Log entries waiting to be sent. When the buffer is full, the oldest entries are dropped. */
export class RuntimeLog {
  #entries: LogEntry[] = []
  #dropped = 0

  /** @throws TypeError for a wrong bot ID or level. */
  add(botId: string, level: LogLevel, message: string): void {
    checkBotId(botId)
    checkLevel(level)
    this.#entries.push({ botId, level, message: cut(message, messageMaxCharacters), at: new Date().toISOString() })
    if (this.#entries.length <= entriesMax) return
    this.#entries.shift()
    this.#dropped += 1
  }

  /** Removes and returns the entries for the next frame, or `undefined` if there are none. */
  take(): LogEntry[] | undefined {
    return this.#entries.length === 0 ? undefined : this.#entries.splice(0, entriesPerFrame)
  }

  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}

/** Truncates a text without splitting a character, and replaces the control characters that the service rejects. */
export function cut(text: unknown, maxCharacters: number): string {
  return textOf(text)
    .slice(0, maxCharacters)
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}/gu, '\uFFFD')
}
