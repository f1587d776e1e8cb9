export type Value = string | number | null | Uint8Array

/** A table of the target, with what is copied of it. */
export interface TargetTable {
  name: string
  columns: readonly string[]
}

/** A row on its way: values in the order of its table's columns. */
export interface Row {
  table: TargetTable
  values: readonly Value[]
}

/** Rows of the source that are copied in one order, most often those of one table. */
export interface Stream {
  name: string
  /** The tables that its rows go to. */
  tables: readonly TargetTable[]
  /** The columns by which rows are ordered, in the source as in the target. Of several tables: one, of numbers. */
  order: readonly string[]
  count(): number
  /** Rows behind that place in the order; undefined: all. */
  rows(after: readonly Value[] | undefined): Iterable<Row>
}
