import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { settle, type Waiting } from './tick-batch.ts'

interface WaitingWrite<Write> extends Waiting<Write, unknown> {
  arrivedAtMs: number
}

/** Maximum number of writes per transaction, so that no write has to wait long for the others. */
const mergedMax = 20

/**
 * Performs the writes to each row one after the other, in arrival order. Writes that arrive while an earlier one is in
 * flight share a transaction.
 *
 * `perform` must return the same outcomes as if each write ran in its own transaction, in the given order. If `perform`
 * throws, it must not have written anything, because it is then called again with fewer writes.
 */
export class RowWrites<Write> {
  readonly #perform: (writes: readonly Write[]) => Promise<readonly unknown[]>
  readonly #waitMs: number
  /** Waiting writes for each row that has a write in flight. */
  readonly #waiting = new Map<string, WaitingWrite<Write>[]>()

  /**
   * @param perform performs the writes in one transaction and returns their outcomes in order.
   * @param waitMs maximum wait for earlier writes to the same row, after which a write is rejected.
   */
  constructor(perform: (writes: readonly Write[]) => Promise<readonly unknown[]>, waitMs: number) {
    this.#perform = perform
    this.#waitMs = waitMs
  }

  /**
   * @throws the error that `perform` throws for this write alone, or `StoreUnavailable`, which fails all writes in a
   * transaction.
   */
  add(row: string, write: Write): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const one = { item: write, arrivedAtMs: performance.now(), resolve, reject }
      const waiting = this.#waiting.get(row)
      if (waiting === undefined) void this.#performAll(row, [one])
      else waiting.push(one)
    })
  }

  async #performAll(row: string, waiting: WaitingWrite<Write>[]): Promise<void> {
    this.#waiting.set(row, waiting)
    while (waiting.length > 0) await settle(this.#inTime(waiting.splice(0, mergedMax)), this.#perform)
    this.#waiting.delete(row)
  }

  #inTime(writes: readonly WaitingWrite<Write>[]): readonly WaitingWrite<Write>[] {
    const oldestMs = performance.now() - this.#waitMs
    return writes.filter(({ arrivedAtMs, reject }) => {
      const inTime = arrivedAtMs > oldestMs
      if (!inTime) reject(new StoreUnavailable('write timed out: too many earlier writes to the same row'))
      return inTime
    })
  }
}
