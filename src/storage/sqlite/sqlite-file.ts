import { close, fdatasync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../sql/migrations.ts'
import type { Checkpointer } from './checkpointer.ts'
import { GroupCommit, type SqliteFigures } from './group-commit.ts'
import { LogCheckpoints, longLogBytes } from './log-checkpoints.ts'
import type { PreparedStatement } from './prepared-statement.ts'
import { schemaOf } from './schema-version.ts'
import { Statements } from './statements.ts'

export interface SqliteFileOptions {
  /** Path of the database file. Its directory exists. */
  path: string
  /**
   * Folder of forward-only migrations, `0001-….sql` and up. `user_version` holds the number of the last one applied.
   */
  migrations: URL
  /** How much of the file is kept in memory at most. */
  cacheMaxBytes: number
  checkpointer: Checkpointer
  /** Syncs a file's data to disk. Tests inject failures and observe the order here. */
  sync?: (fd: number, done: (error: Error | null) => void) => void
  /** Told when the file can no longer be trusted (a sync failed); every later write is refused. */
  onFailure?: (error: Error) => void
}

/**
 * One SQLite file with group commit: all writes that arrive in one tick of the event loop are one
 * transaction, and each promise settles only after the write-ahead log that holds it is on disk.
 *
 * SQLite commits with `synchronous=NORMAL`, which leaves the log unsynced; `fdatasync` of the log then
 * runs on the thread pool, so the event loop never waits for the disk. Later commits may be made while
 * up to four syncs are in flight. Checkpoints run in a thread of their own (decision 0002).
 */
export class SqliteFile {
  readonly #db: DatabaseSync
  readonly #statements: Statements
  readonly #commits: GroupCommit
  readonly #checkpoints: LogCheckpoints
  readonly #logFd: number
  /** Closed after SQLite's own: closing any descriptor of a file drops the locks of the whole process on it. */
  readonly #fileFd: number
  #closed = false

  constructor(options: SqliteFileOptions) {
    const { path, sync = fdatasync, onFailure = () => {} } = options
    const db = new DatabaseSync(path, { timeout: 5_000 })
    this.#db = db
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;')
    // When the log starts over it keeps this length: overwriting costs half of what appending does.
    db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${longLogBytes};`)
    db.exec(`PRAGMA cache_size = -${options.cacheMaxBytes / 1_024}; PRAGMA temp_store = MEMORY`)
    this.#migrate(options.migrations)
    // From here on no other process writes (decision 0006). If a tool does, an early error is better than a long wait.
    db.exec('PRAGMA busy_timeout = 100')
    this.#statements = new Statements(db)
    this.#logFd = openSync(`${path}-wal`, 'r+')
    this.#fileFd = openSync(path, 'r+')
    const endRead = () => this.#statements.endRead()
    this.#commits = new GroupCommit({
      db,
      sync: (done) => sync(this.#logFd, done),
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

  /**
   * Runs `work` in this tick's transaction and resolves with its result once that is on disk.
   * `work` is synchronous and touches nothing but the database: when another work of the same tick
   * throws, it is rolled back and run again.
   *
   * @throws what `work` throws (its own writes undone), or StoreUnavailable.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#commits.write(work)
  }

  /**
   * Returns a prepared statement, prepared once for its text. Used outside `write` it reads the last committed
   * state, and all that one synchronous piece of code reads is one snapshot: nothing runs in between.
   */
  statement(sql: string): PreparedStatement {
    return this.#statements.prepared(sql)
  }

  /**
   * Calls `listener` whenever a row of the table changes, whatever changes it, within the transaction: before anybody
   * can read the change, and also when it is rolled back after all.
   */
  onChange(table: string, listener: () => void): void {
    this.#statements.onChange(table, listener)
  }

  /**
   * Makes all reads until the end of this event loop tick one transaction, unless a commit ends it before. SQLite then
   * takes and drops its locks once instead of for every statement, which costs as much as finding the row. For hot
   * paths; called before they read, also inside `write`.
   */
  readTogether(): void {
    this.#statements.beginRead()
  }

  /**
   * Writes what is already there, so that the disk has to answer.
   *
   * @throws StoreUnavailable
   */
  probe(): Promise<void> {
    return this.write(() => this.#db.exec(`PRAGMA user_version = ${schemaOf(this.#db)}`))
  }

  /** Why writes are rejected, or undefined while they are accepted. */
  get failure(): Error | undefined {
    return this.#commits.failure
  }

  get figures(): SqliteFigures {
    return this.#commits.figures
  }

  /** Commits and syncs what is pending, then closes. */
  async close(): Promise<void> {
    if (this.#closed) return
    await this.#commits.close()
    this.#closed = true
    this.#statements.endRead()
    await this.#checkpoints.close()
    this.#statements.close()
    this.#db.close()
    for (const fd of [this.#logFd, this.#fileFd]) await new Promise((resolve) => close(fd, resolve))
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
    // The log file exists from the first write on, and the syncs need it.
    this.#db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; COMMIT`)
  }
}
