const width = 40

/** A progress bar on one line of the terminal. Prints nothing if there is no terminal. */
export class Progress {
  readonly #doing: string
  readonly #total: number
  #done = 0
  #shown = ''

  constructor(doing: string, total: number) {
    this.#doing = doing
    this.#total = total
  }

  advance(rows: number, at: string): void {
    this.#done += rows
    const share = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total)
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const rest = `${this.#done.toLocaleString('en')} of ${this.#total.toLocaleString('en')} rows, ${at}`
    this.#show(`${this.#doing} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${rest}`)
  }

  end(): void {
    if (this.#shown !== '') process.stderr.write('\n')
    this.#shown = ''
  }

  #show(line: string): void {
    if (!process.stderr.isTTY || line === this.#shown) return
    process.stderr.write(`\r${line.padEnd(this.#shown.length)}`)
    this.#shown = line
  }
}
