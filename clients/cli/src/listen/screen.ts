import { styleText } from 'node:util'
import type { Paint, Style } from './format-event.ts'

const colours = {
  name: 'cyan',
  string: 'green',
  number: 'yellow',
  word: 'magenta',
  dim: 'dim',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>

/** The terminal. Events go to standard output, messages about the connection to standard error. */
export class Screen {
  #status = ''

  /** Colors text if standard output is a terminal that supports it. Respects `NO_COLOR`. */
  readonly paint: Paint = (style, text) => styled(process.stdout, colours[style], text)

  /** Writes to standard output. Rejects if the reader of the output is gone. */
  async show(lines: string): Promise<void> {
    this.#clearStatus()
    const written = new Promise<void>((resolve, reject) => {
      process.stdout.write(`${lines}\n`, (error) => (error ? reject(error) : resolve()))
    })
    this.#writeStatus()
    await written
  }

  say(line: string): void {
    this.#clearStatus()
    process.stderr.write(`${line}\n`)
    this.#writeStatus()
  }

  /** Replaces the status line below all other output. Does nothing if there is no terminal. */
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
    // Truncates the line, because a wrapped line could not be cleared. `columns` is 0 for a terminal of unknown width.
    const shown = this.#status.slice(0, (process.stderr.columns || 80) - 1)
    process.stderr.write(styled(process.stderr, 'dim', shown))
  }
}

/**
 * Styles the text if the stream shows colors. Node 20's `styleText` doesn't check that. `hasColors` respects
 * `NO_COLOR`.
 */
function styled(stream: NodeJS.WriteStream, style: Parameters<typeof styleText>[0], text: string): string {
  return stream.isTTY && stream.hasColors() ? styleText(style, text) : text
}
