export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LogEntry {
  botId: string
  level: LogLevel
  message: string
  /** ISO 8601 UTC. */
  at: string
}

/** The service keeps this much of a message. */
const messageMaxCharacters = 4_096
/** Messages of that size, each character escaped, stay below the 2 MiB of a frame. */
const entriesPerFrame = 64
const entriesMax = 1_000

/** Runtime logs on their way to the service. While it can't be reached the oldest make room for the newest. */
export class RuntimeLog {
  #entries: LogEntry[] = []
  #dropped = 0

  add(botId: string, level: LogLevel, message: string): void {
    this.#entries.push({ botId, level, message: cut(message, messageMaxCharacters), at: new Date().toISOString() })
    if (this.#entries.length <= entriesMax) return
    this.#entries.shift()
    this.#dropped += 1
  }

  /** Takes out what fits into the next frame; undefined when there is nothing. */
  take(): LogEntry[] | undefined {
    return this.#entries.length === 0 ? undefined : this.#entries.splice(0, entriesPerFrame)
  }

  /** How many entries had to make room since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}

/** Cuts a text without splitting a character, and replaces the control characters that the service rejects. */
export function cut(text: string, maxCharacters: number): string {
  return text
    .slice(0, maxCharacters)
    .toWellFormed()
    .replace(/(?![\t\n\r])\p{Cc}/gu, '\uFFFD')
}
