import type { Numbers } from '../sql/numbers.ts'
import type { SqliteFile } from './sqlite-file.ts'

/**
 * Assigns numbers in memory, counting up from the highest stored one. This is safe because only one process uses the
 * file.
 */
export class CountedNumbers implements Numbers {
  #last: number

  /** @param sql selects the highest stored number as `last`, or null if there is none. */
  constructor(file: SqliteFile, sql: string) {
    this.#last = Number(file.statement(sql).get()?.last ?? 0)
  }

  next(): number {
    this.#last += 1
    return this.#last
  }
}
