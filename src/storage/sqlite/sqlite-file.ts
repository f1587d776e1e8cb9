import { close, fdatasync, openSync, realpathSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import type { Recording } from '../../domain/audit/audit.ts'
import type { FileFigures } from '../../domain/background-work.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { appendEvent } from '../sql/audit.ts'
import { readMigrations } from '../sql/migrations.ts'
import { type Database, inCamelCase, type Sql, type StatementResult, type Work, type WriteOptions } from '../sql/sql.ts'
import { type Checkpointer, FilePlace, LogCheckpoints, longLogBytes, schemaOf } from './database-files.ts'
import { GroupCommit, isFileError } from './group-commit.ts'

export interface SqliteFileOptions {
  /** Its directory must exist. */
  path: string
  /** Forward-only migrations. `user_version` holds the number of the last one applied. */
  migrations: URL
  cacheMaxBytes: number
  checkpointer: Checkpointer
  /** Syncs a file's data to disk. Tests replace this to inject failures and observe the order of syncs. */
  sync?: (fd: number, done: (error: Error | null) => void) => void
  /** Milliseconds on a monotonic clock. Tests replace this. */
  nowMs?: () => number
  /** Called once if the file can no longer be trusted, for example after a failed sync. Later writes are rejected. */
  onFailure?: (error: Error) => void
}

/**
 * A SQLite file with group commit: all writes of one event loop tick are one transaction, and each promise settles only
 * after the write-ahead log is on disk.
 *
 * SQLite commits with `synchronous=NORMAL`, which leaves the log unsynced. `fdatasync` of the log then runs on the
 * thread pool, so the event loop never waits for the disk. Commits continue while up to four syncs are in flight.
 * Checkpoints run in a separate thread (decision 0002).
 */
export class SqliteFile implements Database {
  readonly #db: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()
  #changeListeners = 0
  readonly #beginRead: StatementSync
  readonly #endRead: StatementSync
  #reading = false
  readonly #commits: GroupCommit
  readonly #checkpoints: LogCheckpoints
  readonly #logFd: number
  /** Must be closed after the database: closing any descriptor of a file drops all the process's locks on it. */
  readonly #fileFd: number
  #closed = false

  constructor(options: SqliteFileOptions) {
    const { path, sync = fdatasync, nowMs = () => performance.now(), onFailure = () => {} } = options
    const db = new DatabaseSync(path, { timeout: 5_000 })
    this.#db = db
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;')
    // The log file keeps this length when it is reset, because overwriting costs half as much as appending.
    db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${longLogBytes};`)
    db.exec(`PRAGMA cache_size = -${options.cacheMaxBytes / 1_024}; PRAGMA temp_store = MEMORY`)
    this.#migrate(options.migrations)
    // From now on, no other process may write (decision 0006). If a tool has locked the file, fail early, because
    // waiting blocks the event loop.
    db.exec('PRAGMA busy_timeout = 100')
    this.#beginRead = db.prepare('BEGIN')
    this.#endRead = db.prepare('COMMIT')
    // If the path is a link, the log is beside its target.
    const logPath = `${realpathSync(path)}-wal`
    this.#logFd = openSync(logPath, 'r+')
    this.#fileFd = openSync(path, 'r+')
    const endRead = () => this.#endSharedRead()
    const place = new FilePlace([path, logPath], nowMs)
    this.#commits = new GroupCommit({
      db,
      sync: (done) => sync(this.#logFd, (error) => done(error ?? place.fault() ?? null)),
      onCommit: endRead,
      onCommitted: (commits) => this.#checkpoints.onCommitted(commits),
      onFailure,
    })
    this.#checkpoints = new LogCheckpoints({
      db,
      path,
      fileFd: this.#fileFd,
      checkpointer: options.checkpointer,
      endRead,
      hasFailed: () => this.failure !== undefined,
      onFailure: (error) => this.#commits.fail(error),
    })
  }

  write<T>({ recording }: WriteOptions<T>, work: () => Work<T>): Promise<T> {
    return this.commit(() => this.#perform(work()), recording)
  }

  /**
   * Runs `work` in this tick's transaction and resolves with its result once that is on disk. `work` must be
   * synchronous and have no effects outside the database: if another write in the tick throws, the transaction is
   * rolled back and `work` runs again.
   *
   * @param recording returns the audit event to append in the same transaction.
   * @throws what `work` throws, after its writes have been rolled back, or StoreUnavailable.
   */
  commit<T>(work: () => T, recording?: Recording<T>): Promise<T> {
    if (recording === undefined) return this.#commits.write(work)
    return this.#commits.write(() => {
      const outcome = work()
      this.#perform(appendEvent(recording(outcome)))
      return outcome
    })
  }

  async writeEach(statements: readonly Sql[]): Promise<void> {
    await this.commit(() => statements.map((statement) => this.#answer(statement)))
  }

  async read<T>(work: () => Work<T>): Promise<T> {
    return this.sharedRead(() => this.#perform(work()))
  }

  async queryOnce<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.all(statement)
  }

  /**
   * Returns the prepared statement for this text; each text is prepared only once. Outside a write, the statement reads
   * the last committed state. Reads without an `await` between them see one snapshot: no write can run meanwhile.
   */
  statement(sql: string): PreparedStatement {
    return this.#prepared.getOrInsertComputed(sql, () => new PreparedStatement(this.#db.prepare(sql)))
  }

  all<Row extends object>({ text, values }: Sql): Row[] {
    return this.sharedRead(() => this.statement(text).all(...values) as unknown[] as Row[])
  }

  first<Row extends object>({ text, values }: Sql): Row | undefined {
    return this.sharedRead(() => this.statement(text).get(...values) as Row | undefined)
  }

  run({ text, values }: Sql): number {
    return this.statement(text).run(...values)
  }

  /** Calls `listener` when a row changes, in the transaction, before it can be read; also if that is rolled back. */
  onChange(table: string, listener: () => void): void {
    this.#changeListeners += 1
    const name = `on_change_${this.#changeListeners}`
    this.#db.function(name, () => {
      listener()
      return null
    })
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      this.#db.exec(
        `CREATE TEMP TRIGGER ${name}_by_${change} AFTER ${change} ON main.${table} BEGIN SELECT ${name}(); END`,
      )
    }
  }

  /**
   * Returns what `work` reads. All reads until the end of this event loop tick, or until the next commit, are in one
   * transaction: taking SQLite's locks for each statement would cost as much as finding the row. In a write, `work` is
   * part of its transaction.
   *
   * @throws what `work` throws; outside of a write, StoreUnavailable if the file can't be read.
   */
  sharedRead<T>(work: () => T): T {
    if (!this.#reading && this.#db.isTransaction) return work()
    try {
      if (!this.#reading) {
        this.#beginRead.run()
        this.#reading = true
        setImmediate(() => this.#endSharedRead())
      }
      return work()
    } catch (error) {
      throw isFileError(error) ? new StoreUnavailable('database read failed', error) : error
    }
  }

  /** Checks the disk by overwriting the schema version with the same value. Throws StoreUnavailable. */
  probe(): Promise<void> {
    return this.commit(() => this.#db.exec(`PRAGMA user_version = ${schemaOf(this.#db)}`))
  }

  get failure(): Error | undefined {
    return this.#commits.failure
  }

  get figures(): FileFigures {
    return this.#commits.figures
  }

  async close(): Promise<void> {
    if (this.#closed) return
    await this.#commits.close()
    this.#closed = true
    await this.#checkpoints.close()
    this.#endSharedRead()
    this.#prepared.clear()
    this.#db.close()
    for (const fd of [this.#logFd, this.#fileFd]) await new Promise((resolve) => close(fd, resolve))
  }

  #endSharedRead(): void {
    if (!this.#reading) return
    this.#reading = false
    // After an I/O error, SQLite has rolled back.
    if (this.#db.isTransaction) this.#endRead.run()
  }

  #perform<T>(work: Work<T>): T {
    let step = work.next()
    while (step.done !== true) step = work.next(step.value.map((statement) => this.#answer(statement)))
    return step.value
  }

  #answer({ text, values }: Sql): StatementResult {
    const statement = this.statement(text)
    if (statement.returnsRows) return { rows: statement.all(...values), changes: 0 }
    return { rows: [], changes: statement.run(...values) }
  }

  #migrate(folder: URL): void {
    const migrations = readMigrations(folder)
    const schema = schemaOf(this.#db)
    if (schema > migrations.length) {
      throw new Error(`the data was written by a newer release (schema ${schema}, this one knows ${migrations.length})`)
    }
    for (let version = schema; version < migrations.length; version += 1) {
      this.#db.exec(`BEGIN IMMEDIATE; ${migrations[version]}; PRAGMA user_version = ${version + 1}; COMMIT`)
    }
    // The first write creates the log file, which the constructor then opens in order to sync it.
    this.#db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; COMMIT`)
  }
}

type Row = Record<string, SQLOutputValue>

/**
 * A prepared statement whose rows have camel-case names and share one hidden class. Rows from `node:sqlite` are
 * dictionary-mode objects, which take 1.5 times as long to create and which V8 reads slowly. The schema must not change
 * after the statement is prepared, because column names are read only once.
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

  /** Returns the number of changed rows. */
  run(...values: SQLInputValue[]): number {
    return Number(this.#statement.run(...values).changes)
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
