import type { Recording } from '../../domain/audit/audit.ts'
import { appendEvent } from '../sql/audit.ts'
import {
  changesOfEach,
  type Database,
  type SqlValue,
  type Statement,
  type StatementResult,
  type Work,
  type WriteOptions,
} from '../sql/database.ts'
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

  async writeEach(sql: string, valuesOfEach: readonly (readonly SqlValue[])[]): Promise<void> {
    await this.write({}, () => changesOfEach(sql, valuesOfEach))
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    return this.#perform(work())
  }

  async queryOnce<Row extends object>(sql: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> {
    this.#file.beginSharedRead()
    return this.#file.statement(sql).all(...values) as unknown as Row[]
  }

  #perform<T>(work: Work<T>): T {
    let step = work.next()
    while (step.done !== true) step = work.next(step.value.map((statement) => this.#answer(statement)))
    return step.value
  }

  #answer({ sql, values, wants }: Statement): StatementResult {
    const statement = this.#file.statement(sql)
    if (wants === 'rows') return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }
}
