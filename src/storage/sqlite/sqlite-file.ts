import { close, fdatasync, openSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Durations } from '../../domain/durations.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'
import { readMigrations } from '../sql/migrations.ts'
import type { Checkpointer } from './checkpointer.ts'
import { isDiskFull } from './disk-full.ts'
import { PreparedStatement } from './prepared-statement.ts'
import { schemaOf } from './schema-version.ts'

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

/** For a monitoring system, counted since the file was opened. */
export interface SqliteFigures {
  commits: number
  writes: number
  /** Writes that wait for their commit, or for its sync, now. */
  waitingWrites: number
  syncTimes: Durations
}

interface Pending {
  work: () => unknown
  /** What the work returned, once it was done. */
  value: unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface Batch {
  done: readonly Pending[]
  synced: boolean
}

const syncsInFlightMax = 4
/** One turn of the event loop commits no more, so that whoever asks for something else meanwhile need not wait for all of them. */
const writesPerCommitMax = 512
/** From a disk with a battery behind it to one that hangs. */
const syncTimeClassesMs = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000]
const pageBytes = 4_096
/** To ask how long the log is takes as long as a small write. */
const batchesPerLook = 8
/** So many pages that are in the log only are copied into the file. */
const pagesPerCheckpoint = 2_048
/** What is left for the event loop to copy when it finishes a checkpoint: a millisecond's work. */
const pagesLeftMax = 256
/** A log that grows as fast as it is copied is finished all the same, lest it grow without end. */
const passesMax = 8
/** Also what the log's file is cut to when it starts over: to write where it was written before costs half of what to append does. */
const finishCheckpointHereBytes = 16 * 1_048_576

/**
 * One SQLite file with group commit: all writes that arrive in one turn of the event loop are one
 * transaction, and each promise settles only after the write-ahead log that holds it is on disk.
 *
 * SQLite commits with `synchronous=NORMAL`, which leaves the log unsynced; `fdatasync` of the log then
 * runs on the thread pool, so the event loop never waits for the disk. Later commits may be made while
 * up to four syncs are in flight. Checkpoints run in a thread of their own (decision 0002).
 */
export class SqliteFile {
  readonly #db: DatabaseSync
  readonly #sync: NonNullable<SqliteFileOptions['sync']>
  readonly #onFailure: (error: Error) => void
  readonly #statements = new Map<string, PreparedStatement>()
  readonly #changeListeners = new Map<string, (() => void)[]>()
  readonly #path: string
  readonly #checkpointer: Checkpointer
  readonly #begin: StatementSync
  readonly #beginImmediate: StatementSync
  readonly #end: StatementSync
  readonly #lookAtLog: StatementSync
  readonly #logFd: number
  /** Closed after SQLite's own: to close any of a file's takes the locks of the whole process off it. */
  readonly #fileFd: number
  #pending: Pending[] = []
  #flushScheduled = false
  /** How many were pending when the flush was put off last. */
  #gathered = 0
  /** Committed and on their way to the disk, the oldest first. */
  readonly #syncing: Batch[] = []
  #failure: StoreUnavailable | undefined
  #closing: (() => void) | undefined
  #closed = false
  #reading = false
  #checkpointing = false
  #commits = 0
  #writes = 0
  readonly #syncTimes = new Durations(syncTimeClassesMs)

  constructor(options: SqliteFileOptions) {
    this.#path = options.path
    this.#checkpointer = options.checkpointer
    this.#sync = options.sync ?? fdatasync
    this.#onFailure = options.onFailure ?? (() => {})
    this.#db = new DatabaseSync(options.path, { timeout: 5_000 })
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;')
    this.#db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${finishCheckpointHereBytes};`)
    this.#db.exec(`PRAGMA cache_size = -${options.cacheMaxBytes / 1_024}; PRAGMA temp_store = MEMORY`)
    this.#migrate(options.migrations)
    // From here on nobody else writes (decision 0006). If a tool does, to be told so soon is better than to stand still.
    this.#db.exec('PRAGMA busy_timeout = 100')
    this.#begin = this.#db.prepare('BEGIN')
    this.#beginImmediate = this.#db.prepare('BEGIN IMMEDIATE')
    this.#end = this.#db.prepare('COMMIT')
    this.#lookAtLog = this.#db.prepare('PRAGMA wal_checkpoint(NOOP)')
    this.#logFd = openSync(`${options.path}-wal`, 'r+')
    this.#fileFd = openSync(options.path, 'r+')
  }

  /**
   * Runs `work` in this turn's transaction and resolves with its result once that is on disk.
   * `work` is synchronous and touches nothing but the database: when another work of the same turn
   * throws, it is rolled back and run again.
   *
   * @throws what `work` throws (its own writes undone), or {@link StoreUnavailable}.
   */
  write<T>(work: () => T): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#closing !== undefined || this.#closed) {
      return Promise.reject(new StoreUnavailable('the store is closing'))
    }
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (value: unknown) => void
      this.#pending.push({ work, value: undefined, resolve: settle, reject })
      this.#schedule()
    })
  }

  /**
   * A prepared statement, prepared once for its text. Used outside `write` it reads the last committed
   * state, and all that one synchronous piece of code reads is one snapshot: nothing runs in between.
   */
  statement(sql: string): PreparedStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = new PreparedStatement(this.#db.prepare(sql))
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /**
   * Calls `told` whenever a row of the table changes, whatever changes it, within the transaction: before anybody can
   * read the change, and also when it is rolled back after all.
   */
  onChange(table: string, told: () => void): void {
    const listeners = this.#changeListeners.get(table) ?? this.#watch(table)
    listeners.push(told)
  }

  /** Has the database call a function of ours. */
  #watch(table: string): (() => void)[] {
    const listeners: (() => void)[] = []
    this.#changeListeners.set(table, listeners)
    const name = `change_of_${table}`
    this.#db.function(name, () => {
      for (const told of listeners) told()
      return null
    })
    for (const change of ['INSERT', 'UPDATE', 'DELETE']) {
      this.#db.exec(
        `CREATE TEMP TRIGGER ${name}_by_${change} AFTER ${change} ON main.${table} BEGIN SELECT ${name}(); END`,
      )
    }
    return listeners
  }

  /**
   * Makes all that is read until the end of this turn of the event loop one transaction, unless a commit ends it
   * before: SQLite then takes and drops its locks once, and not for every statement, which would cost as much as
   * to find the row. For the hot paths; called before they read, also inside `write`.
   */
  readTogether(): void {
    if (this.#reading || this.#db.isTransaction) return
    this.#begin.run()
    this.#reading = true
    setImmediate(() => this.#stopReading())
  }

  #stopReading(): void {
    if (!this.#reading) return
    this.#reading = false
    this.#end.run()
  }

  /**
   * Writes what is there already, so that it is the disk that answers.
   *
   * @throws StoreUnavailable
   */
  probe(): Promise<void> {
    return this.write(() => this.#db.exec(`PRAGMA user_version = ${schemaOf(this.#db)}`))
  }

  /** Why writes are refused, or undefined while they are taken. */
  get failure(): Error | undefined {
    return this.#failure
  }

  get figures(): SqliteFigures {
    const waitingWrites = this.#syncing.reduce((sum, { done }) => sum + done.length, this.#pending.length)
    return { commits: this.#commits, writes: this.#writes, waitingWrites, syncTimes: this.#syncTimes }
  }

  /** Commits and syncs what is pending, then closes. */
  async close(): Promise<void> {
    if (this.#closed) return
    if (this.#pending.length > 0 || this.#syncing.length > 0) {
      await new Promise<void>((resolve) => {
        this.#closing = resolve
      })
    }
    this.#closed = true
    this.#stopReading()
    await this.#checkpointer.release(this.#path)
    this.#statements.clear()
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

  #schedule(): void {
    if (this.#pending.length === 0 || this.#flushScheduled || this.#syncing.length >= syncsInFlightMax) return
    this.#flushScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#flushScheduled = false
    if (this.#closed) return
    if (this.#gathers()) {
      this.#schedule()
      return
    }
    const batch = this.#pending
    this.#pending = batch.length > writesPerCommitMax ? batch.splice(writesPerCommitMax) : []
    this.#gathered = 0
    const done = this.#commit(batch)
    if (done.length === 0) {
      this.#schedule()
      this.#settleClosing()
      return
    }
    const syncing: Batch = { done, synced: false }
    this.#syncing.push(syncing)
    this.#commits += 1
    this.#writes += done.length
    const begunMs = performance.now()
    this.#sync(this.#logFd, (error) => {
      this.#syncTimes.note(performance.now() - begunMs)
      syncing.synced = true
      if (error !== null) this.#fail(error)
      this.#settleSynced()
      this.#schedule()
      this.#settleClosing()
    })
    this.#schedule()
    this.#checkpointWhenDue()
  }

  /**
   * Whether to wait for more: a sync is under way and this turn brought some. The process is busy then, so that nobody
   * waits for nothing, and each sync takes as much of its time as several requests.
   */
  #gathers(): boolean {
    const grown = this.#pending.length > this.#gathered
    this.#gathered = this.#pending.length
    return grown && this.#syncing.length > 0 && this.#gathered < writesPerCommitMax
  }

  /**
   * Answers for what is on disk, in the order of the commits: a sync that ends before an earlier one says nothing of
   * it, since the system tells of a page it could not write only once, to the one or the other.
   */
  #settleSynced(): void {
    while (this.#syncing[0]?.synced) {
      for (const pending of this.#syncing.shift()?.done ?? []) {
        if (this.#failure === undefined) pending.resolve(pending.value)
        else pending.reject(this.#failure)
      }
    }
  }

  /** Commits the batch as one transaction; what throws is left out and rejected, the rest committed. */
  #commit(batch: Pending[]): Pending[] {
    this.#stopReading()
    let remaining = batch
    for (;;) {
      if (remaining.length === 0) return []
      let at = 0
      try {
        this.#beginImmediate.run()
        for (; at < remaining.length; at += 1) {
          const pending = remaining[at] as Pending
          pending.value = pending.work()
        }
        this.#end.run()
        return remaining
      } catch (error) {
        this.#rollBack()
        if (at >= remaining.length || isOfTheFile(error)) {
          // No fault of one work: the commit failed, or the file is held or its disk full. Nothing of the batch happened.
          const refusal = new StoreUnavailable('the database did not take the commit', error)
          for (const pending of remaining) pending.reject(refusal)
          return []
        }
        remaining[at]?.reject(error)
        remaining = remaining.filter((_, index) => index !== at)
      }
    }
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  /**
   * After a failed sync the kernel may have dropped the pages it could not write, and a later sync
   * would report success for data that is not there. So the file is not trusted again in this process.
   */
  #fail(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = new StoreUnavailable('the disk refused a sync; restart once it is healthy', error)
    for (const pending of this.#pending.splice(0)) pending.reject(this.#failure)
    this.#onFailure(this.#failure)
  }

  #settleClosing(): void {
    if (this.#pending.length === 0 && this.#syncing.length === 0) this.#closing?.()
  }

  #checkpointWhenDue(): void {
    if (this.#checkpointing || this.#commits % batchesPerLook !== 0 || this.#pagesLeft() < pagesPerCheckpoint) return
    this.#checkpointing = true
    this.#checkpoint().catch((error) => this.#fail(error))
  }

  async #checkpoint(): Promise<void> {
    const logBytes = (await this.#checkpointer.checkpoint(this.#path)) * pageBytes
    if (logBytes > finishCheckpointHereBytes) await this.#finishCheckpoint()
    this.#checkpointing = false
  }

  /**
   * Under constant writes the checkpointer never meets a log it has copied whole, and only such a log starts over. So
   * when it has grown long, the few pages written since are copied by the event loop, between two batches. SQLite syncs
   * the file there: all that was copied until then has to be on disk before, or the event loop would wait for it.
   */
  async #finishCheckpoint(): Promise<void> {
    for (let passes = 1; !this.#closed; passes += 1) {
      await this.#syncFile()
      if (this.#closed || passes === passesMax || this.#pagesLeft() <= pagesLeftMax) break
      await this.#checkpointer.checkpoint(this.#path)
    }
    if (this.#closed || this.#failure !== undefined) return
    this.#stopReading()
    try {
      this.#db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }

  #syncFile(): Promise<void> {
    return new Promise((resolve, reject) => {
      // Of a file that was closed meanwhile nobody wants to know.
      fdatasync(this.#fileFd, (error) => (error === null || this.#closed ? resolve() : reject(error)))
    })
  }

  /** How many pages are in the log only. */
  #pagesLeft(): number {
    this.#stopReading()
    const { log, checkpointed } = this.#lookAtLog.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
}

/** SQLITE_BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN: the lower byte of the extended codes. */
const codesOfTheFile = new Set([5, 6, 8, 10, 13, 14])

/** Whether an error says that the file can't take anything now, rather than that a work was wrong. */
function isOfTheFile(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && codesOfTheFile.has(errcode & 0xff)
}
