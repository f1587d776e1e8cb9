import { inSnakeCase } from './column-names.ts'
import { Sql, type SqlValue, type StatementResult, sql, type Work } from './sql.ts'

/** Values by column, in camel case. Columns whose value is `undefined` are left out. */
export type ColumnValues = Readonly<Record<string, SqlValue | boolean | undefined>>

/** Makes a fragment from text of the program, such as the name of a table. Never pass what somebody sent. */
export function raw(text: string | number): Sql {
  return new Sql(String(text), [])
}

/** Joins fragments and values, such as the values of `IN (…)`. */
export function joined(parts: readonly (SqlValue | Sql)[], separator = ', '): Sql {
  return new Sql(
    parts.map((part) => (part instanceof Sql ? part.text : '?')).join(separator),
    parts.flatMap((part) => (part instanceof Sql ? part.values : [part])),
  )
}

/** @param ending a clause such as `ON CONFLICT`. */
export function insertInto(table: string, values: ColumnValues, ending = raw('')): Sql {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const names = given.map(([name]) => inSnakeCase(name)).join(', ')
  return sql`INSERT INTO ${raw(table)} (${raw(names)}) VALUES (${joined(given.map(stored))}) ${ending}`
}

/** Inserts one row and returns the number that the database assigned to it. */
export function* inserted(table: string, values: ColumnValues): Work<number> {
  const stored = yield* insertInto(table, values, sql`RETURNING number`).first<{ number: number }>()
  if (stored === undefined) throw new Error('insert returned no row')
  return stored.number
}

/**
 * Inserts the row, or replaces these columns of the row with the same key.
 *
 * @param key the columns by which rows are distinct.
 * @param more `whenNew` has columns that only a new row gets, `ending` what follows the assignments.
 */
export function put(
  table: string,
  key: readonly string[],
  values: ColumnValues,
  { whenNew = {}, ending = raw('') }: { whenNew?: ColumnValues; ending?: Sql } = {},
): Sql {
  const others = Object.keys(values).filter((name) => !key.includes(name) && values[name] !== undefined)
  const replaced = others.map(inSnakeCase).map((column) => `${column} = excluded.${column}`)
  const conflict = `ON CONFLICT (${key.map(inSnakeCase).join(', ')}) DO UPDATE SET ${replaced.join(', ')}`
  return insertInto(table, { ...values, ...whenNew }, sql`${raw(conflict)} ${ending}`)
}

/** Returns the assignments for `UPDATE … SET …`. */
export function assigned(values: ColumnValues): Sql {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return joined(given.map((column) => sql`${raw(inSnakeCase(column[0]))} = ${stored(column)}`))
}

/**
 * Deletes at most `atMost` rows that match the condition.
 *
 * @param key column, or columns in parentheses, that identify a row.
 */
export function deleteSome(table: string, key: string, condition: Sql, atMost: number): Work<number> {
  return sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} IN
    (SELECT ${raw(key.replace(/[()]/g, ''))} FROM ${raw(table)} WHERE ${condition} LIMIT ${atMost})`.changes()
}

/** @param rest what follows `SELECT count(*)`. */
export function* count(rest: Sql): Work<number> {
  return (yield* sql`SELECT count(*) AS count ${rest}`.first<{ count: number }>())?.count ?? 0
}

/** Runs the statements and returns the rows of each. On PostgreSQL, all take a single round trip. */
export function* rowsOfEach<Row extends object>(statements: readonly Sql[]): Work<Row[][]> {
  return (yield statements).map(({ rows }: StatementResult) => rows as Row[])
}

/** Like {@link rowsOfEach}, but returns the number of rows that each statement changed. */
export function* changesOfEach(statements: readonly Sql[]): Work<number[]> {
  return (yield statements).map(({ changes }) => changes)
}

function stored([, value]: [string, ColumnValues[string]]): SqlValue {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}
