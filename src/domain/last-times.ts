import { writeInBatches } from './background-work.ts'
import { Flushes } from './flushes.ts'

/**
 * Collects when rows were last used and stores these times in batches, so that reads don't cause writes. A crash loses
 * the times since the last flush, which is acceptable.
 */
export class LastUsedTimes {
  #times = new Map<number, number>()
  readonly #flushes = new Flushes()

  record(row: number, atMs: number): void {
    this.#times.set(row, atMs)
  }

  /**
   * Stores the times recorded since the last flush, in small batches. Drops the times of rows that fail, and stores the
   * others.
   *
   * Waits for a running flush first. When the promise resolves, every time recorded before the call has been stored or
   * dropped.
   *
   * @throws StoreUnavailable, or the error of the first row that failed.
   */
  flush(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    return this.#flushes.run(() => this.#store(store))
  }

  #store(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    const times = [...this.#times]
    this.#times = new Map()
    return writeInBatches(times, rowsPerBatch, (batch) => store(new Map(batch)))
  }
}

const rowsPerBatch = 500
