import { StoreUnavailable } from '../../domain/store-unavailable.ts'

interface Waiting<Write> {
  write: Write
  cameAtMs: number
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

/** Maximum writes in one transaction, so that none of them waits long for the others. */
const mergedMax = 20

/**
 * Performs the writes of each row one after the other, in arrival order. Writes that arrive while an earlier one is in
 * flight share a transaction.
 *
 * `perform` must return for each write what it would return in its own transaction after the writes before it. When it
 * throws, nothing may have been written: the writes are then performed one by one.
 */
export class RowWrites<Write> {
  readonly #perform: (writes: readonly Write[]) => Promise<readonly unknown[]>
  readonly #waitMs: number
  /** Waiting writes of each row that has a write in flight. */
  readonly #waiting = new Map<string, Waiting<Write>[]>()

  /**
   * @param perform performs the writes in one transaction and returns their outcomes in order.
   * @param waitMs maximum wait for earlier writes of the same row, after which a write is rejected.
   */
  constructor(perform: (writes: readonly Write[]) => Promise<readonly unknown[]>, waitMs: number) {
    this.#perform = perform
    this.#waitMs = waitMs
  }

  /** @throws what `perform` throws for this write alone, or `StoreUnavailable`, which fails all writes of a transaction. */
  add(row: string, write: Write): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const one = { write, cameAtMs: performance.now(), resolve, reject }
      const waiting = this.#waiting.get(row)
      if (waiting === undefined) void this.#performAll(row, [one])
      else waiting.push(one)
    })
  }

  async #performAll(row: string, waiting: Waiting<Write>[]): Promise<void> {
    this.#waiting.set(row, waiting)
    while (waiting.length > 0) await this.#performTogether(this.#inTime(waiting.splice(0, mergedMax)))
    this.#waiting.delete(row)
  }

  /** Rejects the writes that waited too long, and returns the others. */
  #inTime(writes: readonly Waiting<Write>[]): readonly Waiting<Write>[] {
    const cameAfterMs = performance.now() - this.#waitMs
    return writes.filter(({ cameAtMs, reject }) => {
      const inTime = cameAtMs > cameAfterMs
      if (!inTime) reject(new StoreUnavailable('too many writes wait for one row of the database'))
      return inTime
    })
  }

  async #performTogether(together: readonly Waiting<Write>[]): Promise<void> {
    if (together.length === 0) return
    try {
      const outcomes = await this.#perform(together.map(({ write }) => write))
      for (const [index, { resolve }] of together.entries()) resolve(outcomes[index])
    } catch (error) {
      if (together.length === 1 || error instanceof StoreUnavailable) {
        for (const { reject } of together) reject(error)
      } else {
        // One write is at fault. It must not fail the others.
        for (const one of together) await this.#performTogether([one])
      }
    }
  }
}
