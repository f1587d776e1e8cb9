import type { Numbers } from '../sql/numbers.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Counts numbers in memory, from the highest stored one. This is safe because one process owns the file. */
export class CountedNumbers implements Numbers {
  #last: number

  /** @param sql selects the highest stored number as `last`, null if there is none. */
  constructor(file: SqliteFile, sql: string) {
    this.#last = Number(file.statement(sql).get()?.last ?? 0)
  }

  next(): number {
    this.#last += 1
    return this.#last
  }
}
