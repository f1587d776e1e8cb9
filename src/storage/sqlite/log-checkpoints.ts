import { fdatasync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Checkpointer } from './checkpointer.ts'
import { isDiskFull } from './disk-full.ts'

const pageBytes = 4_096
/** Reading the log's length costs about as much as a small write, so only every eighth commit does. */
const commitsPerLook = 8
/** Pages that only the log has, at which a checkpoint begins. */
const pagesPerCheckpoint = 2_048
/** Maximum pages left for the event loop to copy when it finishes a checkpoint: about a millisecond's work. */
const pagesLeftMax = 256
/** After this many passes a log that grows as fast as it is copied is finished all the same, to bound its length. */
const passesMax = 8
/** Length of the log from which the event loop finishes a checkpoint. */
export const longLogBytes = 16 * 1_048_576

export interface LogCheckpointsParts {
  db: DatabaseSync
  path: string
  /** File descriptor of the database file. */
  fileFd: number
  checkpointer: Checkpointer
  /** Ends the read transaction, which would hold the checkpoint back. */
  endRead: () => void
  /** Returns whether the file is no longer trusted. */
  hasFailed: () => boolean
  onFailure: (error: Error) => void
}

/** Copies the write-ahead log of one file into the database as it grows, mostly in the checkpointer's thread. */
export class LogCheckpoints {
  readonly #parts: LogCheckpointsParts
  readonly #lookAtLog: StatementSync
  #running = false
  #closed = false

  constructor(parts: LogCheckpointsParts) {
    this.#parts = parts
    this.#lookAtLog = parts.db.prepare('PRAGMA wal_checkpoint(NOOP)')
  }

  /** Begins a checkpoint when the log is long enough. @param commits number of commits so far. */
  onCommitted(commits: number): void {
    if (this.#running || commits % commitsPerLook !== 0 || this.#pagesLeft() < pagesPerCheckpoint) return
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
   * Copies the last pages on the event loop, between two batches. SQLite only starts a log over that is copied whole,
   * which the checkpointer never reaches under constant writes. SQLite syncs the file here, so everything copied before
   * must be on disk already: otherwise the event loop would wait for it.
   */
  async #finish(): Promise<void> {
    for (let passes = 1; !this.#closed; passes += 1) {
      await this.#syncFile()
      if (this.#closed || passes === passesMax || this.#pagesLeft() <= pagesLeftMax) break
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
      // Errors of a file that was closed meanwhile don't matter.
      fdatasync(this.#parts.fileFd, (error) => (error === null || this.#closed ? resolve() : reject(error)))
    })
  }

  /** Returns how many pages only the log has. */
  #pagesLeft(): number {
    this.#parts.endRead()
    const { log, checkpointed } = this.#lookAtLog.get() as { log: number; checkpointed: number }
    return log - checkpointed
  }
}
