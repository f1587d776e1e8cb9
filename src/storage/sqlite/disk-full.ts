/** SQLITE_FULL. */
const diskFull = 13

/** Returns whether SQLite failed because the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === diskFull
}
