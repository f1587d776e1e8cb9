import type { SqlValue, Work } from './work.ts'

/** What the stores of this folder stand on; SQLite and PostgreSQL each provide it. */
export interface Database {
  /**
   * Performs the work as one transaction, as if no other ran beside it, and resolves once that is on disk.
   *
   * @throws what the work throws (nothing of it is written then), or `StoreUnavailable`.
   */
  write<T>(work: () => Work<T>): Promise<T>

  /**
   * Performs a work that only reads; all its statements see one state of the data.
   *
   * @throws what the work throws, or `StoreUnavailable`.
   */
  read<T>(work: () => Work<T>): Promise<T>

  /**
   * The rows of one statement that only reads: the cheapest way to read, for where that counts.
   *
   * @throws StoreUnavailable
   */
  alone<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>

  /**
   * Calls `act`, which begins exactly one write before it returns, and performs `also` in the transaction of that
   * write, with its result: both happen or neither.
   *
   * @throws what `act` throws; an Error when it began no write.
   */
  writeAlong<T>(act: () => Promise<T>, also: (outcome: T) => Work<void>): Promise<T>
}
