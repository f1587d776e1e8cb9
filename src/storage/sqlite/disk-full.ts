/** SQLite's result code SQLITE_FULL. */
const diskFull = 13

/** Returns whether SQLite or the file system failed because the disk, or its user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: number; code?: string }
  return errcode === diskFull || code === 'ENOSPC' || code === 'EDQUOT'
}
