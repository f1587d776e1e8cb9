export type Value = string | number | null | Uint8Array

export interface TargetTable {
  name: string
  columns: readonly string[]
}

/** A row to copy, with its values in the order of the table's columns. */
export interface Row {
  table: TargetTable
  values: readonly Value[]
}

/** A sequence of source rows copied in a fixed order, usually the rows of one table. */
export interface Stream {
  name: string
  tables: readonly TargetTable[]
  /**
   * Columns by which the rows are sorted, in source and target. If the stream covers several tables, there must be only
   * one column, and it must be numeric.
   */
  order: readonly string[]
  count(): number
  /** Returns the rows that come after this position, or all rows if it is `undefined`. */
  rows(after: readonly Value[] | undefined): Iterable<Row>
}
