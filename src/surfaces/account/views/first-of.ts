/** Maximum number of rows until the user asks for the whole list. Keeps the page short. */
const rowsAtFirst = 15

/** Returns the rows to show, and whether there are more. */
export function firstOf<Row>(rows: readonly Row[], all: boolean): { shown: readonly Row[]; more: boolean } {
  return all ? { shown: rows, more: false } : { shown: rows.slice(0, rowsAtFirst), more: rows.length > rowsAtFirst }
}
