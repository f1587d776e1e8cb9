import type { DatabaseSync } from 'node:sqlite'

/** File name, migrations and cache size of the identity database. */
export const identityFile = {
  name: 'identity.sqlite',
  migrations: new URL('./migrations/', import.meta.url),
  /** A cache for a few hundred thousand token families. */
  cacheMaxBytes: 32 * 1_048_576,
} as const

/** File name, migrations and cache size of the queue's database. */
export const queueFile = {
  name: 'queue.sqlite',
  migrations: new URL('./queue/migrations/', import.meta.url),
  /**
   * A small cache is enough, because most events are written, delivered and finished within moments, and little else is
   * read.
   */
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
