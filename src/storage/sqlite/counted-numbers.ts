import type { Numbers } from '../sql/numbers.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Counts on from the highest number there is: one process owns the file. */
export class CountedNumbers implements Numbers {
  #last: number

  /** @param sql gives the highest number so far as `last`; null: there is none. */
  constructor(file: SqliteFile, sql: string) {
    this.#last = Number(file.statement(sql).get()?.last ?? 0)
  }

  next(): number {
    this.#last += 1
    return this.#last
  }
}
