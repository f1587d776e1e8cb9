import type { Database } from '../sql/database.ts'
import { type Answer, changesOfEach, type SqlValue, type Statement, type Work } from '../sql/work.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Performs works on a SQLite file: a write in the transaction of its turn, a read at once. */
export class SqliteDatabase implements Database {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  write<T>(work: () => Work<T>): Promise<T> {
    return this.#file.write(() => this.#perform(work()))
  }

  async writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.write(() => changesOfEach(sql, valuesOfEach))
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    return this.#perform(work())
  }

  async alone<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    this.#file.readTogether()
    return this.#file.statement(sql).all(...values) as unknown as Row[]
  }

  writeAlong<T>(act: () => Promise<T>, also: (outcome: T) => Work<void>): Promise<T> {
    return this.#file.writeAlong(act, (outcome) => this.#perform(also(outcome)))
  }

  #perform<T>(work: Work<T>): T {
    let step = work.next()
    while (step.done !== true) step = work.next(step.value.map((statement) => this.#answer(statement)))
    return step.value
  }

  #answer({ sql, values, wants }: Statement): Answer {
    const statement = this.#file.statement(sql)
    if (wants === 'rows') return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }
}
