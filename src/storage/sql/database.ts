import type { Recording } from '../../domain/audit/audit.ts'

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
   * Runs the statement once per list of values, in one transaction that need not be serializable. Each run must write
   * one row and not depend on the others. Rows are locked in the given order. All writers must use the same order, or
   * they can deadlock.
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
   * Returns the rows of one read-only statement. This is the cheapest way to read, intended for hot paths.
   *
   * @throws StoreUnavailable
   */
  queryOnce<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]>
}

export type SqlValue = string | number | null | Uint8Array

/** A statement that a unit of work yields to the database. */
export interface Statement {
  /** Parameters are written as `?`, or as `?1`, `?2` and so on if one is used more than once. */
  sql: string
  values: readonly SqlValue[]
  /** Whether to return the rows or only the number of changed rows. */
  wants: 'rows' | 'changes'
}

export interface StatementResult {
  rows: readonly object[]
  changes: number
}

/**
 * A unit of work, written once for both databases: a generator that yields one or more statements at a time and
 * receives their results. SQLite runs it synchronously in its group commit, PostgreSQL in a transaction over the wire.
 * A unit of work must have no effects outside the database, because it runs again if its transaction is retried.
 *
 * Statements use only SQL that both dialects share: `IS NOT DISTINCT FROM` to compare nulls, quotes around camel-case
 * aliases, `CAST(? AS BIGINT)` where PostgreSQL can't infer a parameter's type.
 */
export type Work<T> = Generator<readonly Statement[], T, readonly StatementResult[]>

export function* rows<Row extends object>(sql: string, ...values: readonly SqlValue[]): Work<readonly Row[]> {
  return (yield* one({ sql, values, wants: 'rows' })).rows as readonly Row[]
}

export function* firstRow<Row extends object>(sql: string, ...values: readonly SqlValue[]): Work<Row | undefined> {
  return (yield* one({ sql, values, wants: 'rows' })).rows[0] as Row | undefined
}

/** Runs a statement and returns the number of rows it changed. */
export function* changes(sql: string, ...values: readonly SqlValue[]): Work<number> {
  return (yield* one({ sql, values, wants: 'changes' })).changes
}

/**
 * Runs a statement once per list of values and returns the rows from each run. On PostgreSQL, all runs take a single
 * round trip.
 */
export function* rowsOfEach<Row extends object>(
  sql: string,
  valuesOfEach: readonly (readonly SqlValue[])[],
): Work<(readonly Row[])[]> {
  const answers = yield valuesOfEach.map((values) => ({ sql, values, wants: 'rows' }))
  return answers.map((answer) => answer.rows as readonly Row[])
}

/** Like {@link rowsOfEach}, but returns the number of rows each run changed. */
export function* changesOfEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Work<number[]> {
  const answers = yield valuesOfEach.map((values) => ({ sql, values, wants: 'changes' }))
  return answers.map((answer) => answer.changes)
}

/** Inserts one row and returns the number that the database assigned to it. */
export function* inserted(sql: string, ...values: readonly SqlValue[]): Work<number> {
  const row = yield* firstRow<{ number: number }>(`${sql} RETURNING number`, ...values)
  if (row === undefined) throw new Error('insert returned no row')
  return row.number
}

/**
 * Stores when rows were last used. Rows are locked in ascending order of their numbers, so that nodes updating the same
 * rows at the same time never deadlock.
 *
 * @param sql updates one row. `?1` is its number and `?2` the time.
 * @param lastUsedAtMs last-use times by row number.
 */
export function storeLastUses(
  database: Database,
  sql: string,
  lastUsedAtMs: ReadonlyMap<number, number>,
): Promise<void> {
  return database.writeEach(
    sql,
    [...lastUsedAtMs].sort(([one], [other]) => one - other),
  )
}

/** A source of row numbers that are needed before the row is stored. */
export interface Numbers {
  /** Returns an unused number. Numbers may be skipped, for example when a process ends. */
  next(): number | Promise<number>
}

function* one(statement: Statement): Work<StatementResult> {
  return (yield [statement])[0] as StatementResult
}
