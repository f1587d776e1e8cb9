import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementResultingChanges, StatementSync } from 'node:sqlite'
import { inCamelCase } from '../sql/sql.ts'

/** One connection's prepared statements, the transaction that its reads share, and its listeners for changed rows. */
export class Statements {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()
  readonly #changeListeners = new Map<string, (() => void)[]>()
  readonly #begin: StatementSync
  readonly #end: StatementSync
  #reading = false

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#begin = db.prepare('BEGIN')
    this.#end = db.prepare('COMMIT')
  }

  /** Returns the statement for this text, which is prepared only once. */
  prepared(sql: string): PreparedStatement {
    let statement = this.#prepared.get(sql)
    if (statement === undefined) {
      statement = new PreparedStatement(this.#db.prepare(sql))
      this.#prepared.set(sql, statement)
    }
    return statement
  }

  /** Begins a transaction for all reads until the end of this event loop tick, unless one is open. */
  beginRead(): void {
    if (this.#reading || this.#db.isTransaction) return
    this.#begin.run()
    this.#reading = true
    setImmediate(() => this.endRead())
  }

  endRead(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#end.run()
  }

  onChange(table: string, listener: () => void): void {
    const listeners = this.#changeListeners.get(table) ?? this.#watch(table)
    listeners.push(listener)
  }

  #watch(table: string): (() => void)[] {
    const listeners: (() => void)[] = []
    this.#changeListeners.set(table, listeners)
    const name = `change_of_${table}`
    this.#db.function(name, () => {
      for (const listener of listeners) listener()
      return null
    })
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      this.#db.exec(
        `CREATE TEMP TRIGGER ${name}_by_${change} AFTER ${change} ON main.${table} BEGIN SELECT ${name}(); END`,
      )
    }
    return listeners
  }

  close(): void {
    this.endRead()
    this.#prepared.clear()
  }
}

type Row = Record<string, SQLOutputValue>

/**
 * A prepared statement whose rows have camel-case names and share one hidden class. Rows from `node:sqlite` are
 * dictionary-mode objects: creating them takes 1.5 times as long, and V8 reads their properties through slow runtime
 * calls.
 *
 * The schema must not change after the statement is prepared, because column names are read only once.
 */
export class PreparedStatement {
  readonly #statement: StatementSync
  readonly #columns: readonly string[]

  constructor(statement: StatementSync) {
    statement.setReturnArrays(true)
    this.#statement = statement
    this.#columns = statement.columns().map(({ name }) => inCamelCase(name))
  }

  get returnsRows(): boolean {
    return this.#columns.length > 0
  }

  run(...values: SQLInputValue[]): StatementResultingChanges {
    return this.#statement.run(...values)
  }

  get(...values: SQLInputValue[]): Row | undefined {
    const found = this.#statement.get(...values) as unknown as RowValues | undefined
    return found && this.#rowOf(found)
  }

  all(...values: SQLInputValue[]): Row[] {
    return (this.#statement.all(...values) as unknown as RowValues[]).map((found) => this.#rowOf(found))
  }

  *iterate(...values: SQLInputValue[]): Generator<Row> {
    for (const found of this.#statement.iterate(...values) as Iterable<unknown>) yield this.#rowOf(found as RowValues)
  }

  #rowOf(found: RowValues): Row {
    const row: Row = {}
    for (let at = 0; at < this.#columns.length; at += 1) row[this.#columns[at] as string] = found[at] as SQLOutputValue
    return row
  }
}

type RowValues = readonly SQLOutputValue[]
