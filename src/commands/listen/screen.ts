import { styleText } from 'node:util'
import type { Paint, Style } from './body-in-words.ts'

const colours = {
  name: 'cyan',
  string: 'green',
  number: 'yellow',
  word: 'magenta',
  dim: 'dim',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>

/** The terminal: events go to standard output, what is said about the connection to standard error. */
export class Screen {
  #status = ''

  /** Colours where standard output is a terminal that wants them (`NO_COLOR` is heeded). */
  readonly paint: Paint = (style, text) => styleText(colours[style], text, { stream: process.stdout })

  show(lines: string): void {
    this.#clearStatus()
    process.stdout.write(`${lines}\n`)
    this.#writeStatus()
  }

  say(line: string): void {
    this.#clearStatus()
    process.stderr.write(`${line}\n`)
    this.#writeStatus()
  }

  /** The line below everything else, until it is told anew. Only where there is a terminal. */
  status(line: string): void {
    this.#clearStatus()
    this.#status = line
    this.#writeStatus()
  }

  #clearStatus(): void {
    if (this.#status !== '' && process.stderr.isTTY) process.stderr.write('\r\x1b[2K')
  }

  #writeStatus(): void {
    if (this.#status === '' || !process.stderr.isTTY) return
    // One that wraps could not be cleared. A terminal that does not tell its width says 0.
    const shown = this.#status.slice(0, (process.stderr.columns || 80) - 1)
    process.stderr.write(styleText('dim', shown, { stream: process.stderr }))
  }
}
