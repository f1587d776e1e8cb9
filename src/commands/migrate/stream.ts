export type Value = string | number | null | Uint8Array

export interface TargetTable {
  name: string
  columns: readonly string[]
}

/** A row to copy, with values in the order of its table's columns. */
export interface Row {
  table: TargetTable
  values: readonly Value[]
}

/** Rows of the source that are copied in one order, usually those of one table. */
export interface Stream {
  name: string
  tables: readonly TargetTable[]
  /** Columns that order the rows in the source and in the target. A stream of several tables has one numeric column. */
  order: readonly string[]
  count(): number
  /** Returns the rows after that position in the order. `undefined` returns all. */
  rows(after: readonly Value[] | undefined): Iterable<Row>
}
