export type SqlValue = string | number | null | Uint8Array

/** One statement, as a work hands it to the database that performs it. */
export interface Statement {
  /** Parameters are `?`, or `?1` and on where one is used twice. */
  sql: string
  values: readonly SqlValue[]
  /** Whether its rows are wanted, or only how many it changed. */
  wants: 'rows' | 'changes'
}

export interface Answer {
  rows: readonly object[]
  changes: number
}

/**
 * What is done in one go on a database, written once for all of them: a generator that yields statements, some at a
 * time, and is given their answers. SQLite performs it synchronously within its group commit, PostgreSQL over the wire in a
 * transaction. It touches nothing but the database, since it may be performed again when the transaction has to be.
 *
 * Its statements keep to what both dialects know: `IS NOT DISTINCT FROM` where nulls compare, aliases in camel case
 * quoted, `CAST(? AS BIGINT)` where nothing else tells a parameter's type.
 */
export type Work<T> = Generator<readonly Statement[], T, readonly Answer[]>

/** The rows of a statement. */
export function* rows<Row extends object>(sql: string, ...values: readonly SqlValue[]): Work<readonly Row[]> {
  return (yield* one({ sql, values, wants: 'rows' })).rows as readonly Row[]
}

/** The first row of a statement, if it has any. */
export function* firstRow<Row extends object>(sql: string, ...values: readonly SqlValue[]): Work<Row | undefined> {
  return (yield* one({ sql, values, wants: 'rows' })).rows[0] as Row | undefined
}

/** How many rows a statement changed. */
export function* changes(sql: string, ...values: readonly SqlValue[]): Work<number> {
  return (yield* one({ sql, values, wants: 'changes' })).changes
}

/** As `rows`, for each of these lists of values, in order. Over a wire they travel together. */
export function* rowsOfEach<Row extends object>(
  sql: string,
  valuesOfEach: readonly (readonly SqlValue[])[],
): Work<(readonly Row[])[]> {
  const answers = yield valuesOfEach.map((values) => ({ sql, values, wants: 'rows' }))
  return answers.map((answer) => answer.rows as readonly Row[])
}

/** As `changes`, for each of these lists of values, in order. Over a wire they travel together. */
export function* changesOfEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Work<number[]> {
  const answers = yield valuesOfEach.map((values) => ({ sql, values, wants: 'changes' }))
  return answers.map((answer) => answer.changes)
}

function* one(statement: Statement): Work<Answer> {
  return (yield [statement])[0] as Answer
}

/** The number that the table gave to the one row of an insert. */
export function* inserted(sql: string, ...values: readonly SqlValue[]): Work<number> {
  const row = yield* firstRow<{ number: number }>(`${sql} RETURNING number`, ...values)
  if (row === undefined) throw new Error('an insert stored no row')
  return row.number
}
