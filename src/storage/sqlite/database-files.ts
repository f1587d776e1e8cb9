import { type BigIntStats, statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

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

/**
 * Detects that an open file has been deleted, moved or replaced. Writes to such a file still succeed and can be synced,
 * but the next start does not find them.
 */
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
