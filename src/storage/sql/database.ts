import type { Recording } from '../../domain/audit/audit-event.ts'
import type { SqlValue, Work } from './work.ts'

export interface WriteOptions<T> {
  /**
   * Names a record that many requests may write at once, such as one user. Writes with the same name run in arrival
   * order on this node, instead of conflicting and being retried. It affects only cost, never the outcome.
   */
  row?: string
  /** Returns the audit event to append in the same transaction. */
  recording?: Recording<T> | undefined
}

/** A database that runs units of work. SQLite and PostgreSQL implement it. */
export interface Database {
  /**
   * Runs the work as one serializable transaction and resolves once it is on disk.
   *
   * @throws what the work throws, after rolling back, or `StoreUnavailable`.
   */
  write<T>(options: WriteOptions<T>, work: () => Work<T>): Promise<T>

  /**
   * Runs the statement once per list of values, in one transaction that need not be serializable. Each run must write
   * one row and be independent of the others. Rows are locked in the given order, which must be the same for all
   * writers: otherwise two of them can deadlock.
   *
   * @throws StoreUnavailable
   */
  writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void>

  /**
   * Runs a read-only unit of work. All its statements see one snapshot.
   *
   * @throws what the work throws, or `StoreUnavailable`.
   */
  read<T>(work: () => Work<T>): Promise<T>

  /**
   * Returns the rows of one read-only statement. This is the cheapest way to read, for hot paths.
   *
   * @throws StoreUnavailable
   */
  queryOnce<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>
}
