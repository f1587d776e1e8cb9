import { failed } from '../start-fault.ts'
import type { Row, Stream } from './streams.ts'
import { TableDigest, type Target } from './target.ts'

const rowsPerBatch = 1_000
const bytesPerBatch = 4 * 1_048_576

/**
 * Copies rows that the target doesn't have yet. Each batch is a transaction, so a second call resumes after the last
 * batch.
 */
export async function copy(streams: readonly Stream[], target: Target): Promise<void> {
  const progress = new Progress('Copying  ', total(streams))
  for (const stream of streams) {
    const last = await target.lastPosition(stream)
    progress.advance(last === undefined ? 0 : await target.count(stream.tables), stream.name)
    for (const batch of batches(stream.rows(last))) {
      await target.insert(batch)
      progress.advance(batch.length, stream.name)
    }
  }
  progress.end()
}

/**
 * Compares the rows in all tables of source and target.
 *
 * @returns the row count and digest of each table.
 * @throws StartFault if a table differs.
 */
export async function verify(
  streams: readonly Stream[],
  target: Target,
): Promise<{ name: string; rows: number; digest: string }[]> {
  const progress = new Progress('Comparing', total(streams))
  const compared: { name: string; rows: number; digest: string }[] = []
  for (const stream of streams) {
    const digests = new Map(stream.tables.map((table) => [table, new TableDigest()]))
    for (const { table, values } of stream.rows(undefined)) digests.get(table)?.add(values)
    for (const [table, expected] of digests) {
      const found = await target.digest(table, (rows) => progress.advance(rows, table.name))
      if (found.rows !== expected.rows || found.text !== expected.text) {
        throw failed(
          `${table.name} differs: ${expected.rows} rows in the data directory, ${found.rows} in the database` +
            `${found.rows === expected.rows ? ', with different contents' : ''}. Was the service started in between? ` +
            'Start again with an empty database',
        )
      }
      compared.push({ name: table.name, rows: found.rows, digest: found.text })
    }
  }
  progress.end()
  for (const { name, rows, digest } of compared) process.stdout.write(`${name}: ${rows} rows, digest ${digest}\n`)
  return compared
}

function* batches(rows: Iterable<Row>): Iterable<Row[]> {
  let batch: Row[] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += row.values.reduce<number>((sum, value) => sum + sizeOf(value), 0)
    if (batch.length < rowsPerBatch && bytes < bytesPerBatch) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

function sizeOf(value: Row['values'][number]): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
}

function total(streams: readonly Stream[]): number {
  return streams.reduce((sum, stream) => sum + stream.count(), 0)
}

const width = 40

/** A progress bar on one line of the terminal. Prints nothing if there is no terminal. */
class Progress {
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
