import type { Database } from './database.ts'
import { assigned, type ColumnValues, insertInto, raw, type Sql, type SqlValue, sql, type Work } from './sql.ts'

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

  insert(values: Values<Row>): Work<void> {
    return insertInto(this.#table, this.#columnsOf(values)).run()
  }

  update(values: Values<Row>, condition: Sql): Work<number> {
    return sql`UPDATE ${raw(this.#table)} SET ${assigned(this.#columnsOf(values))} ${condition}`.changes()
  }

  /** Converts the columns of selected rows in place. */
  of(selected: object[]): Row[] {
    if (this.#held.length > 0) for (const row of selected) this.#convert(row as Record<string, SqlValue>)
    return selected as Row[]
  }

  #convert(row: Record<string, unknown>): void {
    for (const [name, held] of this.#held) {
      const value = row[name]
      if (value === null) continue
      if (held === 'flag') row[name] = value === 1
      else row[name] = held === 'json' ? JSON.parse(String(value)) : String(value).split(' ').filter(Boolean)
    }
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
