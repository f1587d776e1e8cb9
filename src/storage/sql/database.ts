import type { Recording } from '../../domain/audit/audit-event.ts'
import type { SqlValue, Work } from './work.ts'

export interface WriteOptions<T> {
  /**
   * Names a record that many requests may write at once, such as one user. Works with the same name run in arrival
   * order on this node, instead of conflicting and being retried. It affects only cost, never the outcome.
   */
  row?: string
  /** Returns the audit event that is appended in the transaction of the work. */
  recording?: Recording<T> | undefined
}

/** What the stores of this folder stand on; SQLite and PostgreSQL each provide it. */
export interface Database {
  /**
   * Performs the work as one transaction, as if no other ran beside it, and resolves once that is on disk.
   *
   * @throws what the work throws (nothing of it is written then), or `StoreUnavailable`.
   */
  write<T>(options: WriteOptions<T>, work: () => Work<T>): Promise<T>

  /**
   * Performs one statement for each list of values, in one transaction that need not be serializable. Each statement
   * must write one row and depend on no other. Rows are locked in the given order, which must be the same for all
   * writers: otherwise two of them can deadlock.
   *
   * @throws StoreUnavailable
   */
  writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void>

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
}
