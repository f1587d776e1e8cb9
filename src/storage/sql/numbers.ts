/** A source of row numbers that are needed before the row is stored. */
export interface Numbers {
  /** Returns an unused number. Numbers may be skipped, for example when a process ends. */
  next(): number | Promise<number>
}
