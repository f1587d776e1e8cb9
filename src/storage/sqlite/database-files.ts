import { type BigIntStats, fdatasync, statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'

export const identityFile = {
  name: 'identity.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /** A cache for a few hundred thousand token families. */
  cacheMaxBytes: 32 * 1_048_576,
} as const

export const queueFile = {
  name: 'queue.sqlite',
  migrations: new URL('./queue/migrations/', import.meta.url),
  /** Most events are written, delivered and finished within moments, and little else is read. */
  cacheMaxBytes: 8 * 1_048_576,
} as const

/** Returns the number of the last migration applied to the database, or 0 if none was. */
export function schemaOf(db: DatabaseSync): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version
}

/** An error of SQLite that names the file. */
export class DatabaseFileError extends Error {
  /** SQLite's primary result code. */
  readonly code: number

  private constructor(path: string, cause: Error & { errcode: number }) {
    super(`${path} can't be used (${cause.message})`, { cause })
    this.name = 'DatabaseFileError'
    this.code = cause.errcode & 0xff
  }

  /** Returns the error itself if SQLite did not throw it. */
  static of(path: string, error: unknown): unknown {
    return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
      ? new DatabaseFileError(path, error as Error & { errcode: number })
      : error
  }
}

/** Primary result codes of SQLite. */
export const sqliteCodes = { busy: 5, readOnly: 8, corrupt: 11, full: 13, notADatabase: 26 } as const

/** Returns whether SQLite or the file system failed because the disk, or its user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  return errcode === sqliteCodes.full || code === 'ENOSPC' || code === 'EDQUOT'
}

const placeCheckedEveryMs = 1_000

/** Detects that an open file was deleted, moved or replaced: writes still succeed, but the next start misses them. */
export class FilePlace {
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
    if (nowMs - this.#checkedAtMs < placeCheckedEveryMs) return undefined
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

/** A request to the worker: copy the file's log, or close the file. */
export interface CheckpointRequest {
  path: string
  close: boolean
}

/** The worker's response: the number of pages in the log, including those already copied, or an error message. */
export type CheckpointResponse = { pages: number } | { failure: string }

/**
 * Copies write-ahead logs into their database files in a worker thread, which all files share because it uses 8 MiB.
 * The thread starts with the first checkpoint and ends when the last file is released.
 */
export class Checkpointer {
  readonly #paths = new Set<string>()
  #worker: Worker | undefined
  /** Requests that are waiting for a response, oldest first. */
  #waiting: { resolve: (pages: number) => void; reject: (error: Error) => void }[] = []

  /**
   * Copies as much of the file's log as open readers allow. Resolves with the number of pages in the log, or with 0 if
   * the disk is full.
   *
   * @throws Error for any other disk or database error.
   */
  checkpoint(path: string): Promise<number> {
    this.#paths.add(path)
    return this.#send({ path, close: false })
  }

  /** Closes the worker's connection, so that the caller's is the last. A checkpoint in progress may never settle. */
  async release(path: string): Promise<void> {
    if (!this.#paths.delete(path)) return
    if (this.#paths.size > 0) {
      await this.#send({ path, close: true })
      return
    }
    const worker = this.#worker
    this.#worker = undefined
    this.#waiting = []
    await worker?.terminate()
  }

  #send(request: CheckpointRequest): Promise<number> {
    this.#worker ??= this.#start()
    // The worker keeps the process alive only while a response is outstanding.
    this.#worker.ref()
    this.#worker.postMessage(request)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('./checkpoint-worker.ts', import.meta.url))
    worker.on('message', (response: CheckpointResponse) => {
      const first = this.#waiting.shift()
      if ('pages' in response) first?.resolve(response.pages)
      else first?.reject(new Error(response.failure))
      if (this.#waiting.length === 0) worker.unref()
    })
    worker.on('error', (error) => {
      this.#worker = undefined
      for (const { reject } of this.#waiting.splice(0)) reject(error as Error)
    })
    return worker
  }
}

const pageBytes = 4_096
/** Reading the log's length costs about as much as a small write, so it is read only on every eighth commit. */
const commitsPerLengthCheck = 8
/** A checkpoint starts when this many pages in the log have not been copied. */
const pagesPerCheckpoint = 2_048
/**
 * Maximum number of pages left for the event loop to copy when it finishes a checkpoint: about a millisecond of work.
 */
const uncopiedPagesMax = 256
/** Passes before the event loop copies the remaining pages. Otherwise, a fast-growing log would never be reset. */
const passesMax = 8
/** If the log is longer than this, the event loop copies the last pages, so that SQLite can reset the log. */
export const longLogBytes = 16 * 1_048_576

interface LogCheckpointsParts {
  db: DatabaseSync
  path: string
  fileFd: number
  checkpointer: Checkpointer
  /** Ends the open read transaction, which would block the checkpoint. */
  endRead: () => void
  hasFailed: () => boolean
  onFailure: (error: Error) => void
}

/** Copies the write-ahead log of one file into the database as it grows, mostly in the checkpointer's thread. */
export class LogCheckpoints {
  readonly #parts: LogCheckpointsParts
  readonly #logLength: StatementSync
  #running = false
  #closed = false

  constructor(parts: LogCheckpointsParts) {
    this.#parts = parts
    this.#logLength = parts.db.prepare('PRAGMA wal_checkpoint(NOOP)')
  }

  /** Starts a checkpoint if the log is long enough. `commits` is their number so far. */
  onCommitted(commits: number): void {
    if (this.#running || commits % commitsPerLengthCheck !== 0 || this.#uncopiedPages() < pagesPerCheckpoint) return
    this.#running = true
    this.#checkpoint().catch((error) => this.#parts.onFailure(error))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#parts.checkpointer.release(this.#parts.path)
  }

  async #checkpoint(): Promise<void> {
    const logBytes = (await this.#parts.checkpointer.checkpoint(this.#parts.path)) * pageBytes
    if (logBytes > longLogBytes) await this.#finish()
    this.#running = false
  }

  /**
   * Copies the last pages on the event loop, between two batches. SQLite resets a log only once all of it has been
   * copied, which the checkpointer never achieves under constant writes. SQLite also syncs the database file at this
   * point. The pages copied earlier are synced beforehand, so that the event loop doesn't wait for them.
   */
  async #finish(): Promise<void> {
    for (let passes = 1; !this.#closed; passes += 1) {
      await this.#syncFile()
      if (this.#closed || passes === passesMax || this.#uncopiedPages() <= uncopiedPagesMax) break
      await this.#parts.checkpointer.checkpoint(this.#parts.path)
    }
    if (this.#closed || this.#parts.hasFailed()) return
    this.#parts.endRead()
    try {
      this.#parts.db.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }

  #syncFile(): Promise<void> {
    return new Promise((resolve, reject) => {
      // After `close`, an error from syncing the file no longer matters.
      fdatasync(this.#parts.fileFd, (error) => (error === null || this.#closed ? resolve() : reject(error)))
    })
  }

  #uncopiedPages(): number {
    this.#parts.endRead()
    const { log, checkpointed } = this.#logLength.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
}
