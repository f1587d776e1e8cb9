import { type BigIntStats, close, fdatasync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { readMigrations } from '../sql/migrations.ts'
import type { Sql } from '../sql/sql.ts'
import type { Checkpointer } from './checkpointer.ts'
import { schemaOf } from './database-files.ts'
import { GroupCommit, type SqliteFigures } from './group-commit.ts'
import { LogCheckpoints, longLogBytes } from './log-checkpoints.ts'
import { type PreparedStatement, Statements } from './statements.ts'

export interface SqliteFileOptions {
  /** Path of the database file. Its directory must exist. */
  path: string
  /**
   * Folder of forward-only migrations, named `0001-….sql` and up. `user_version` holds the number of the last migration
   * applied.
   */
  migrations: URL
  cacheMaxBytes: number
  checkpointer: Checkpointer
  /** Syncs a file's data to disk. Tests replace this to inject failures and observe the order of syncs. */
  sync?: (fd: number, done: (error: Error | null) => void) => void
  /** Milliseconds on a monotonic clock. Tests replace this. */
  nowMs?: () => number
  /**
   * Called once if the file can no longer be trusted, for example after a failed sync, or if it was deleted. Later
   * writes are rejected.
   */
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
export class SqliteFile {
  readonly #db: DatabaseSync
  readonly #statements: Statements
  readonly #commits: GroupCommit
  readonly #checkpoints: LogCheckpoints
  readonly #logFd: number
  /**
   * Descriptor of the database file. Must be closed after the database, because closing any descriptor of a file drops
   * all the process's locks on that file.
   */
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
    this.#statements = new Statements(db)
    this.#logFd = openSync(`${path}-wal`, 'r+')
    this.#fileFd = openSync(path, 'r+')
    const endRead = () => this.#statements.endRead()
    const place = new FilePlace([path, `${path}-wal`], nowMs)
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

  /**
   * Runs `work` in this tick's transaction and resolves with its result once that is on disk. `work` must be
   * synchronous and have no effects outside the database: if another write in the tick throws, the transaction is
   * rolled back and `work` runs again.
   *
   * @throws what `work` throws, after its writes have been rolled back, or StoreUnavailable.
   */
  write<T>(work: () => T): Promise<T> {
    return this.#commits.write(work)
  }

  /**
   * Returns the prepared statement for this text; each text is prepared only once. Outside `write`, the statement reads
   * the last committed state. Reads without an `await` between them see one snapshot, because no write can run in
   * between.
   */
  statement(sql: string): PreparedStatement {
    return this.#statements.prepared(sql)
  }

  all<Row extends object>({ text, values }: Sql): Row[] {
    return this.#statements.prepared(text).all(...values) as unknown[] as Row[]
  }

  first<Row extends object>({ text, values }: Sql): Row | undefined {
    return this.#statements.prepared(text).get(...values) as Row | undefined
  }

  run({ text, values }: Sql): number {
    return Number(this.#statements.prepared(text).run(...values).changes)
  }

  /**
   * Calls `listener` whenever a row of the table changes. The call happens inside the transaction, before the change
   * can be read. Changes that are rolled back later are also reported.
   */
  onChange(table: string, listener: () => void): void {
    this.#statements.onChange(table, listener)
  }

  /**
   * Puts all reads until the end of this event loop tick, or until the next commit, into one transaction. SQLite then
   * takes its locks only once. Taking them for each statement would cost as much as finding the row. Hot paths call
   * this before they read. It has no effect inside `write`.
   */
  beginSharedRead(): void {
    this.#statements.beginRead()
  }

  /**
   * Checks that the disk accepts writes by overwriting the schema version with the same value.
   *
   * @throws StoreUnavailable
   */
  probe(): Promise<void> {
    return this.write(() => this.#db.exec(`PRAGMA user_version = ${schemaOf(this.#db)}`))
  }

  get failure(): Error | undefined {
    return this.#commits.failure
  }

  get figures(): SqliteFigures {
    return this.#commits.figures
  }

  /** Commits and syncs pending writes, then closes the file. */
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
    // The first write creates the log file, which the constructor then opens in order to sync it.
    this.#db.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${migrations.length}; COMMIT`)
  }
}

/** Interval between two looks at a file's path. */
const checkedEveryMs = 1_000

/**
 * Detects that an open file has been deleted, moved or replaced. Writes to such a file still succeed and can be synced,
 * but the next start does not find them.
 */
class FilePlace {
  readonly #nowMs: () => number
  readonly #opened: readonly { path: string; stats: BigIntStats }[]
  #checkedAtMs: number

  /** @param paths files that are open and must stay where they are. */
  constructor(paths: readonly string[], nowMs: () => number) {
    this.#nowMs = nowMs
    this.#opened = paths.map((path) => ({ path, stats: statSync(path, { bigint: true }) }))
    this.#checkedAtMs = nowMs()
  }

  /** Returns an error if a file is not at its path. Looks at most once per second. */
  fault(): Error | undefined {
    const nowMs = this.#nowMs()
    if (nowMs - this.#checkedAtMs < checkedEveryMs) return undefined
    this.#checkedAtMs = nowMs
    const gone = this.#opened.find(({ path, stats }) => !isSameFile(path, stats))
    return gone && new Error(`${gone.path} was deleted, moved or replaced while the service was running`)
  }
}

/**
 * Returns `true` if the path can't be read for another reason than a missing file, since that says nothing about it.
 */
function isSameFile(path: string, opened: BigIntStats): boolean {
  try {
    const stats = statSync(path, { bigint: true })
    return stats.ino === opened.ino && stats.dev === opened.dev
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
