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
   * Columns that determine the row order in both source and target. A stream that covers several tables has one numeric
   * column.
   */
  order: readonly string[]
  count(): number
  /** Returns the rows after this position in the order. Returns all rows for `undefined`. */
  rows(after: readonly Value[] | undefined): Iterable<Row>
}
