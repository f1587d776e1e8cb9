import type { Recording } from '../../domain/audit/audit.ts'

export type SqlValue = string | number | null | Uint8Array

export interface StatementResult {
  rows: object[]
  changes: number
}

/**
 * A unit of work, written once for both databases: a generator that yields one or more statements at a time and
 * receives their results. SQLite runs it synchronously in its group commit, PostgreSQL in a transaction over the wire.
 * A unit of work must have no effects outside the database, because it runs again if its transaction is retried.
 *
 * Statements use only SQL that both dialects share: `IS NOT DISTINCT FROM` to compare nulls, `CAST(… AS BIGINT)` where
 * PostgreSQL can't infer a value's type.
 */
export type Work<T> = Generator<readonly Sql[], T, readonly StatementResult[]>

/** A statement, or a fragment of one. */
export class Sql {
  /** The text, with a `?` for each value. */
  readonly text: string
  readonly values: readonly SqlValue[]

  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text
    this.values = values
  }

  *rows<Row extends object>(): Work<Row[]> {
    return (yield [this])[0]?.rows as Row[]
  }

  *first<Row extends object>(): Work<Row | undefined> {
    return (yield [this])[0]?.rows[0] as Row | undefined
  }

  *exists(): Work<boolean> {
    return (yield [this])[0]?.rows[0] !== undefined
  }

  *run(): Work<void> {
    yield [this]
  }

  *changes(): Work<number> {
    return (yield [this])[0]?.changes as number
  }
}

type Part = SqlValue | boolean | Sql

interface Composition {
  text: string
  fragments: readonly (string | undefined)[]
}

/** The last text of each template, so that databases look up statements by the same string object every time. */
const compositions = new WeakMap<TemplateStringsArray, Composition>()

/** Makes a statement. Values become parameters; fragments become part of the text, with their own values. */
export function sql(strings: TemplateStringsArray, ...parts: readonly Part[]): Sql {
  const values: SqlValue[] = []
  let known = compositions.get(strings)
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Part
    if (part instanceof Sql) for (const value of part.values) values.push(value)
    else values.push(typeof part === 'boolean' ? Number(part) : part)
    if (known !== undefined && known.fragments[at] !== textOf(part)) known = undefined
  }
  if (known === undefined) {
    const fragments = parts.map(textOf)
    known = { text: strings.reduce((text, next, at) => `${text}${fragments[at - 1] ?? '?'}${next}`), fragments }
    compositions.set(strings, known)
  }
  return new Sql(known.text, values)
}

function textOf(part: Part): string | undefined {
  return part instanceof Sql ? part.text : undefined
}

const camelCaseNames = new Map<string, string>()

/** Returns the name under which a column appears in rows: `created_at_ms` is `createdAtMs`. */
export function inCamelCase(column: string): string {
  return camelCaseNames.getOrInsertComputed(column, translated)
}

function translated(column: string): string {
  return column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the column that appears as `name` in rows. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

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

/** Deletes at most `atMost` rows that match. `key` is the column, or columns in parentheses, that identify a row. */
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

export interface WriteOptions<T> {
  /**
   * Names a record that many requests may write at the same time, such as a user. On this node, writes with the same
   * name run in arrival order instead of conflicting and being retried. This affects only the cost, never the outcome.
   */
  row?: string
  /** Returns the audit event to append in the same transaction. */
  recording?: Recording<T> | undefined
}

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

  /** Reads in one snapshot. Throws what the work throws, or `StoreUnavailable`. */
  read<T>(work: () => Work<T>): Promise<T>

  /** Runs one read-only statement: the cheapest way to read, for hot paths. Throws StoreUnavailable. */
  queryOnce<Row extends object>(statement: Sql): Promise<Row[]>
}

/** Stores when rows were last used, by number, in ascending order, so that nodes never deadlock. */
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
