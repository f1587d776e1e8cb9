import type { Recording } from '../../domain/audit/audit.ts'
import { appendEvent } from '../sql/audit.ts'
import type { Database, WriteOptions } from '../sql/database.ts'
import type { Sql, StatementResult, Work } from '../sql/sql.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Runs units of work on a SQLite file: writes in the event loop tick's shared transaction, reads immediately. */
export class SqliteDatabase implements Database {
  readonly #file: SqliteFile

  constructor(file: SqliteFile) {
    this.#file = file
  }

  write<T>({ recording }: WriteOptions<T>, work: () => Work<T>): Promise<T> {
    return this.writeDirectly(recording, () => this.#perform(work()))
  }

  /** Like {@link write}, but `work` runs the file's prepared statements directly. For hot paths. */
  writeDirectly<T>(recording: Recording<T> | undefined, work: () => T): Promise<T> {
    if (recording === undefined) return this.#file.write(work)
    return this.#file.write(() => {
      const outcome = work()
      this.#perform(appendEvent(recording(outcome)))
      return outcome
    })
  }

  async writeEach(statements: readonly Sql[]): Promise<void> {
    await this.#file.write(() => statements.map((statement) => this.#answer(statement)))
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    return this.#perform(work())
  }

  async queryOnce<Row extends object>({ text, values }: Sql): Promise<Row[]> {
    this.#file.beginSharedRead()
    return this.#file.statement(text).all(...values) as unknown as Row[]
  }

  #perform<T>(work: Work<T>): T {
    let step = work.next()
    while (step.done !== true) step = work.next(step.value.map((statement) => this.#answer(statement)))
    return step.value
  }

  #answer({ text, values }: Sql): StatementResult {
    const statement = this.#file.statement(text)
    if (statement.returnsRows) return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }
}
