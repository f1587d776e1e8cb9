import { bisectFailures } from './attempt.ts'

/**
 * Collects when rows were last used and stores these times in batches, so that reads don't cause writes. A crash loses
 * the times since the last flush, which is acceptable.
 */
export class LastUsedTimes {
  #times = new Map<number, number>()
  #flushing: Promise<unknown> = Promise.resolve()

  /** @param atMs milliseconds since the epoch */
  record(row: number, atMs: number): void {
    this.#times.set(row, atMs)
  }

  /**
   * Stores the times recorded since the last flush, in small batches. Drops rows that fail, and stores the others.
   *
   * Waits for a running flush first. When it resolves, every time recorded before the call has been stored or dropped.
   *
   * @throws StoreUnavailable, or the error of the first row that failed.
   */
  flush(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    const flushed = this.#flushing.then(() => this.#store(store))
    this.#flushing = flushed.catch(() => undefined)
    return flushed
  }

  async #store(store: (times: ReadonlyMap<number, number>) => Promise<void>): Promise<void> {
    const times = [...this.#times]
    this.#times = new Map()
    const faults: unknown[] = []
    for (let from = 0; from < times.length; from += rowsPerBatch) {
      await bisectFailures(
        times.slice(from, from + rowsPerBatch),
        (part) => store(new Map(part)),
        (_, error) => faults.push(error),
      )
    }
    if (faults.length > 0) throw faults[0]
  }
}

const rowsPerBatch = 500
