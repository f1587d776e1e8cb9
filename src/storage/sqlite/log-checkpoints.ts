import { fdatasync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Checkpointer } from './checkpointer.ts'
import { isDiskFull } from './database-files.ts'

const pageBytes = 4_096
/** Reading the log's length costs about as much as a small write, so it is read only on every eighth commit. */
const commitsPerLengthCheck = 8
/** A checkpoint starts when this many pages in the log have not been copied. */
const pagesPerCheckpoint = 2_048
/**
 * Maximum number of pages left for the event loop to copy when it finishes a checkpoint: about a millisecond of work.
 */
const uncopiedPagesMax = 256
/**
 * Maximum number of passes by the checkpointer's thread before the event loop copies all remaining pages. Without this
 * limit, a log that grows as fast as it is copied would never be reset.
 */
const passesMax = 8
/** If the log is longer than this, the event loop copies the last pages, so that SQLite can reset the log. */
export const longLogBytes = 16 * 1_048_576

export interface LogCheckpointsParts {
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

  /**
   * Starts a checkpoint if the log is long enough.
   *
   * @param commits number of commits so far.
   */
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
