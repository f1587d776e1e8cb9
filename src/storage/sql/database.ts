import type { Recording } from '../../domain/audit/audit.ts'
import { deleteSome, raw, type Sql, sql, type Work } from './sql.ts'

export interface WriteOptions<T> {
  /**
   * Names a record that many requests may write at the same time, such as a user. On this node, writes with the same
   * name run in arrival order instead of conflicting and being retried. This affects only the cost, never the outcome.
   */
  row?: string
  /** Returns the audit event to append in the same transaction. */
  recording?: Recording<T> | undefined
}

/** A database that runs units of work. Implemented for SQLite and PostgreSQL. */
export interface Database {
  /**
   * Runs the work in a serializable transaction and resolves once it is on disk.
   *
   * @throws what the work throws, after rolling back, or `StoreUnavailable`.
   */
  write<T>(options: WriteOptions<T>, work: () => Work<T>): Promise<T>

  /**
   * Runs the statements in one transaction that need not be serializable. Each must write one row and not depend on the
   * others. Rows are locked in the given order. All writers must use the same order, or they can deadlock.
   *
   * @throws StoreUnavailable
   */
  writeEach(statements: readonly Sql[]): Promise<void>

  /**
   * Runs a read-only unit of work. All its statements see one snapshot.
   *
   * @throws what the work throws, or `StoreUnavailable`.
   */
  read<T>(work: () => Work<T>): Promise<T>

  /**
   * Returns the rows of one read-only statement. This is the cheapest way to read, intended for hot paths.
   *
   * @throws StoreUnavailable
   */
  queryOnce<Row extends object>(statement: Sql): Promise<Row[]>
}

/**
 * Stores when rows were last used. Rows are locked in ascending order of their numbers, so that nodes updating the same
 * rows at the same time never deadlock.
 *
 * @param lastUsedAtMs last-use times by row number.
 */
export function storeLastUses(
  database: Database,
  table: string,
  lastUsedAtMs: ReadonlyMap<number, number>,
  column = 'last_used_at_ms',
): Promise<void> {
  const ascending = [...lastUsedAtMs].sort(([one], [other]) => one - other)
  return database.writeEach(
    ascending.map(([number, atMs]) => sql`UPDATE ${raw(table)} SET ${raw(column)} = ${atMs} WHERE number = ${number}`),
  )
}

/** Like {@link deleteSome}, in a transaction of its own. */
export function prune(database: Database, ...of: Parameters<typeof deleteSome>): Promise<number> {
  return database.write({}, () => deleteSome(...of))
}
