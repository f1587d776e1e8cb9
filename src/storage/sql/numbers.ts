/** A source of row numbers that are needed before the row is stored. */
export interface Numbers {
  /** Returns a number that no stored row has. Numbers may be skipped, for example when a process ends. */
  next(): number | Promise<number>
}
