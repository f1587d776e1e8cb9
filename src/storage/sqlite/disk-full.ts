/** SQLITE_FULL. */
const diskFull = 13

/** Whether an error of SQLite says that there is no room. */
export function isDiskFull(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === diskFull
}
