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

function* one(statement: Statement): Work<StatementResult> {
  return (yield [statement])[0] as StatementResult
}

/** Inserts one row and returns the number that the database assigned to it. */
export function* inserted(sql: string, ...values: readonly SqlValue[]): Work<number> {
  const row = yield* firstRow<{ number: number }>(`${sql} RETURNING number`, ...values)
  if (row === undefined) throw new Error('insert returned no row')
  return row.number
}
