import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { PreparedStatement } from './prepared-statement.ts'

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

  /** Ends the transaction of {@link beginRead}, if one is open. */
  endRead(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#end.run()
  }

  onChange(table: string, listener: () => void): void {
    const listeners = this.#changeListeners.get(table) ?? this.#watch(table)
    listeners.push(listener)
  }

  /** Adds triggers that call the table's listeners. */
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
