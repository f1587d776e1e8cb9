import { levelAfter, type RowShare } from '../../domain/limits/budget.ts'
import type { NewestFirst } from '../../domain/list-page.ts'
import {
  assigned,
  type ColumnValues,
  count,
  type Database,
  inSnakeCase,
  insertInto,
  joined,
  put,
  raw,
  type Sql,
  type SqlValue,
  sql,
  type Work,
} from './sql.ts'

/** A row as a database returns it: flags are 0 or 1. */
export type WithoutFlags<Row> = { [Name in keyof Row]: Row[Name] extends boolean ? number : Row[Name] }

/** How a column holds its value: a flag as 0 or 1, words with spaces between them, anything else as JSON. */
type Held = 'flag' | 'words' | 'json'

type Values<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined } & Readonly<Record<string, unknown>>

/** The rows of a table, declared once. */
export class Rows<Row extends object> {
  readonly #table: string
  readonly #select: Sql
  readonly #held: readonly (readonly [string, Held])[]

  /**
   * @param table a table, with joins if there are any.
   * @param columns the columns to select, which appear in rows in camel case.
   * @param held the columns that don't hold their values as such.
   */
  constructor(table: string, columns: string, held: { [Name in keyof Row]?: Held } = {}) {
    this.#table = table
    this.#select = sql`SELECT ${raw(columns)} FROM ${raw(table)}`
    this.#held = Object.entries(held) as [string, Held][]
  }

  /** @param condition what follows the name of the table, such as `WHERE`. */
  select(condition: Sql): Sql {
    return sql`${this.#select} ${condition}`
  }

  *list(condition: Sql): Work<Row[]> {
    return this.of(yield* this.select(condition).rows())
  }

  *first(condition: Sql): Work<Row | undefined> {
    return this.of(yield* this.select(condition).rows())[0]
  }

  /** Lists rows with a statement of its own. */
  async query(database: Database, condition: Sql): Promise<Row[]> {
    return this.of(await database.queryOnce(this.select(condition)))
  }

  /** Reads a row with a statement of its own. */
  async find(database: Database, condition: Sql): Promise<Row | undefined> {
    return (await this.query(database, condition))[0]
  }

  insert(values: Values<Row>): Work<void> {
    return insertInto(this.#table, this.#columnsOf(values)).run()
  }

  put(key: readonly string[], values: Values<Row>, more?: Parameters<typeof put>[3]): Sql {
    return put(this.#table, key, this.#columnsOf(values), more)
  }

  update(values: Values<Row>, condition: Sql): Work<number> {
    return sql`UPDATE ${raw(this.#table)} SET ${assigned(this.#columnsOf(values))} ${condition}`.changes()
  }

  /** Converts the columns of selected rows in place. */
  of(selected: object[]): Row[] {
    if (this.#held.length > 0) for (const row of selected) fromColumns(row, this.#held)
    return selected as Row[]
  }

  #columnsOf(values: Values<Row>): ColumnValues {
    const columns: Record<string, unknown> = { ...values }
    for (const [name, held] of this.#held) {
      const value = columns[name]
      if (value === undefined || value === null || held === 'flag') continue
      columns[name] = held === 'json' ? JSON.stringify(value) : (value as readonly string[]).join(' ')
    }
    return columns as ColumnValues
  }
}

/** Converts a row's columns in place. */
export function fromColumns(found: object, columns: readonly (readonly [string, Held])[]) {
  const row = found as Record<string, unknown>
  for (const [name, held] of columns) {
    const value = row[name]
    if (value === null || value === undefined) continue
    if (held === 'flag') row[name] = value === 1
    else row[name] = held === 'json' ? JSON.parse(String(value)) : String(value).split(' ').filter(Boolean)
  }
  return row
}

export function userExists(id: string): Work<boolean> {
  return sql`SELECT 1 FROM users WHERE id = ${id}`.exists()
}

/** Returns whether the bot exists and is not deleted. */
export function botExists(id: string): Work<boolean> {
  return sql`SELECT 1 FROM bots WHERE id = ${id} AND deleted_at_ms IS NULL`.exists()
}

/**
 * Completes a query for records, newest first. The query reads only the records of the page, from an index on the
 * table's creation time and ID. Its text depends only on which conditions are given, so that few statements have to be
 * prepared.
 *
 * @param select a query that ends with a WHERE clause.
 * @param equal required values by column. `undefined` matches every record.
 */
export function newestFirst(
  select: Sql,
  table: string,
  equal: Readonly<Record<string, SqlValue | undefined>>,
  { after, createdSinceMs, most }: NewestFirst,
): Sql {
  const [createdAtMs, id] = [raw(`${table}.created_at_ms`), raw(`${table}.id`)]
  const conditions = Object.entries(equal).flatMap(([column, value]) =>
    value === undefined ? [] : sql` AND ${raw(`${table}.${inSnakeCase(column)}`)} = ${value}`,
  )
  if (after !== undefined) conditions.push(sql` AND (${createdAtMs}, ${id}) < (${after.createdAtMs}, ${after.id})`)
  if (createdSinceMs !== undefined) conditions.push(sql` AND ${createdAtMs} >= ${createdSinceMs}`)
  return sql`${select}${joined(conditions, '')} ORDER BY ${createdAtMs} DESC, ${id} DESC LIMIT ${most}`
}

/** Tables whose rows have a `holder`, with the columns of a row's key and of its age. */
const heldTables = {
  authorization_attempts: { key: 'id', age: 'created_at_ms' },
  passkey_challenges: { key: 'number', age: 'number' },
  provider_visits: { key: 'state_digest', age: 'expires_at_ms' },
}
export type HeldTable = keyof typeof heldTables

/**
 * Deletes the holder's rows other than its `share.atMost` newest, in the same transaction that added a row. Deletes at
 * most 1,000 rows per call, so a holder far beyond its share needs several.
 *
 * @param added key of the row just added, which is always kept, even if other rows have the same timestamp.
 */
export function* keepShare(table: HeldTable, share: RowShare, added: SqlValue): Work<void> {
  const { key, age } = heldTables[table]
  yield* sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} IN
    (SELECT ${raw(key)} FROM ${raw(table)} WHERE holder = ${share.holder} AND ${raw(key)} <> ${added}
    ORDER BY ${raw(age)} DESC, ${raw(key)} LIMIT 1000 OFFSET ${share.atMost - 1})`.changes()
}

/**
 * Deletes rows until the table has at most `total`, or `limit` are deleted. Takes them from the holders with the most
 * rows, each holder's oldest first, so that a holder with few rows loses none. Returns the number deleted.
 */
export function* keepTotal(table: HeldTable, total: number, limit: number): Work<number> {
  const { key, age } = heldTables[table]
  const excess = Math.min(limit, (yield* count(sql`FROM ${raw(table)}`)) - total)
  if (excess <= 0) return 0
  const holders = yield* sql`SELECT holder, count(*) AS count FROM ${raw(table)} WHERE holder IS NOT NULL
    GROUP BY holder ORDER BY count(*) DESC, min(${raw(age)})
    LIMIT ${excess + 1}`.rows<{ holder: Uint8Array; count: number }>()
  const counts = holders.map(({ count }) => count)
  const level = levelAfter(counts, excess)
  const most = Math.floor(level)
  let deleted = 0
  for (const { holder } of holders.filter(({ count }) => count > most)) {
    deleted += yield* sql`DELETE FROM ${raw(table)} WHERE ${raw(key)} IN (SELECT ${raw(key)} FROM ${raw(table)}
         WHERE holder = ${holder} ORDER BY ${raw(age)} DESC, ${raw(key)} LIMIT ${excess - deleted} OFFSET ${most})`.changes()
    if (deleted >= excess) break
  }
  return deleted
}
