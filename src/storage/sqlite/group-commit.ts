import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { DurationHistogram, type FileFigures } from '../../domain/background-work.ts'
import { StoreUnavailable } from '../../domain/store-unavailable.ts'

interface PendingWrite {
  work: () => unknown
  value: unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

interface Batch {
  done: readonly PendingWrite[]
  synced: boolean
}

const syncsInFlightMax = 4
/** Maximum number of writes per commit, so that other requests don't have to wait for a long commit. */
const writesPerCommitMax = 512
/** Upper bounds of the histogram of sync times: from disks with a battery-backed cache to disks that hang. */
const syncTimeClassesMs = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000]

export interface GroupCommitParts {
  db: DatabaseSync
  /** Syncs the write-ahead log. Fails if the disk does, or if the log is no longer where the next start reads it. */
  sync: (done: (error: Error | null) => void) => void
  /** Called before each commit. */
  onCommit: () => void
  /** Called after each commit with the number of commits so far. */
  onCommitted: (commits: number) => void
  /** Called once if the file can no longer be trusted. */
  onFailure: (error: Error) => void
}

/**
 * Commits all writes of an event loop tick as one transaction, and settles each one once the write-ahead log is on
 * disk. Up to four syncs are in flight at once. A failed sync is permanent: every later write is rejected.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts
  readonly #begin: StatementSync
  readonly #end: StatementSync
  #pending: PendingWrite[] = []
  #flushScheduled = false
  /** Number of pending writes when the flush was last deferred. */
  #pendingWhenDeferred = 0
  /** Batches that are committed but not synced yet, oldest first. */
  readonly #syncing: Batch[] = []
  #failure: StoreUnavailable | undefined
  #closing: (() => void) | undefined
  #closed = false
  #commits = 0
  #writes = 0
  readonly #syncTimes = new DurationHistogram(syncTimeClassesMs)

  constructor(parts: GroupCommitParts) {
    this.#parts = parts
    this.#begin = parts.db.prepare('BEGIN IMMEDIATE')
    this.#end = parts.db.prepare('COMMIT')
  }

  /** @throws what `work` throws, after its writes have been rolled back, or StoreUnavailable. */
  write<T>(work: () => T): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    if (this.#closing !== undefined || this.#closed) {
      return Promise.reject(new StoreUnavailable('store is closing'))
    }
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (value: unknown) => void
      this.#pending.push({ work, value: undefined, resolve: settle, reject })
      this.#schedule()
    })
  }

  /** The reason why writes are rejected; `undefined` while they are accepted. */
  get failure(): Error | undefined {
    return this.#failure
  }

  get figures(): FileFigures {
    const waitingWrites = this.#syncing.reduce((sum, { done }) => sum + done.length, this.#pending.length)
    return { commits: this.#commits, writes: this.#writes, waitingWrites, syncTimes: this.#syncTimes }
  }

  /**
   * Rejects all further writes. After a failed sync the kernel may have dropped the pages it could not write, and a
   * later sync would report success for data that is lost. For this reason, the process never trusts the file again.
   */
  fail(error: Error): void {
    if (this.#failure !== undefined) return
    this.#failure = new StoreUnavailable(
      'writes can not be made durable; see the cause, and restart once it is fixed',
      error,
    )
    for (const pending of this.#pending.splice(0)) pending.reject(this.#failure)
    this.#parts.onFailure(this.#failure)
  }

  /** Rejects new writes, and resolves once the pending ones are settled. */
  async close(): Promise<void> {
    if (this.#pending.length > 0 || this.#syncing.length > 0) {
      await new Promise<void>((resolve) => {
        this.#closing = resolve
      })
    }
    this.#closed = true
  }

  #schedule(): void {
    if (this.#pending.length === 0 || this.#flushScheduled || this.#syncing.length >= syncsInFlightMax) return
    this.#flushScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#flushScheduled = false
    if (this.#closed) return
    if (this.#waitsForMore()) {
      this.#schedule()
      return
    }
    const batch = this.#pending
    this.#pending = batch.length > writesPerCommitMax ? batch.splice(writesPerCommitMax) : []
    this.#pendingWhenDeferred = 0
    const done = this.#commit(batch)
    if (done.length === 0) {
      this.#schedule()
      this.#settleClosing()
      return
    }
    this.#commits += 1
    this.#writes += done.length
    this.#syncLog(done)
    this.#schedule()
    this.#parts.onCommitted(this.#commits)
  }

  #syncLog(done: readonly PendingWrite[]): void {
    const syncing: Batch = { done, synced: false }
    this.#syncing.push(syncing)
    const startedMs = performance.now()
    this.#parts.sync((error) => {
      this.#syncTimes.record(performance.now() - startedMs)
      syncing.synced = true
      if (error !== null) this.fail(error)
      this.#settleSynced()
      this.#schedule()
      this.#settleClosing()
    })
  }

  /** Returns whether new writes wait another tick during a sync: each costs as much CPU time as several requests. */
  #waitsForMore(): boolean {
    const grown = this.#pending.length > this.#pendingWhenDeferred
    this.#pendingWhenDeferred = this.#pending.length
    return grown && this.#syncing.length > 0 && this.#pendingWhenDeferred < writesPerCommitMax
  }

  /**
   * Settles the writes that are on disk, in the order of their commits. A successful sync proves nothing about an
   * earlier one that is still in flight: the kernel reports a failed page write only once, to one of the two syncs.
   */
  #settleSynced(): void {
    while (this.#syncing[0]?.synced) {
      for (const pending of this.#syncing.shift()?.done ?? []) {
        if (this.#failure === undefined) pending.resolve(pending.value)
        else pending.reject(this.#failure)
      }
    }
  }

  /** Commits the batch as one transaction and returns its writes. A write that throws is rejected and excluded. */
  #commit(batch: PendingWrite[]): PendingWrite[] {
    this.#parts.onCommit()
    let remaining = batch
    for (;;) {
      if (remaining.length === 0) return []
      let at = 0
      try {
        this.#begin.run()
        for (; at < remaining.length; at += 1) {
          const pending = remaining[at] as PendingWrite
          pending.value = pending.work()
        }
        this.#end.run()
        return remaining
      } catch (error) {
        this.#rollBack()
        if (at >= remaining.length || isFileError(error)) {
          // The failure is not caused by a single write: the commit failed, the file is locked, or the disk is full.
          // Nothing was written.
          const refusal = new StoreUnavailable('database commit failed', error)
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
      if (this.#parts.db.isTransaction) this.#parts.db.exec('ROLLBACK')
    } catch (error) {
      this.fail(error as Error)
    }
  }

  #settleClosing(): void {
    if (this.#pending.length === 0 && this.#syncing.length === 0) this.#closing?.()
  }
}

/** Lower bytes of the extended codes for SQLITE_BUSY, LOCKED, READONLY, IOERR, FULL and CANTOPEN. */
const fileErrorCodes = new Set([5, 6, 8, 10, 13, 14])

/** Returns whether the error concerns the whole file rather than one statement. */
export function isFileError(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode !== undefined && fileErrorCodes.has(errcode & 0xff)
}
