import type { Html } from '../../../pages/html.ts'

/** So much of a list goes on one page, whatever stands in it: pages stay quick on a slow line. */
const listMaxBytes = 24_000
const rowsPerPage = 50

/** The first rows, as many as one page takes; at least one. `last` is where the next page goes on. */
export function fitting<Row>(
  rows: readonly Row[],
  render: (row: Row) => Html,
): { shown: Html[]; rest: boolean; last: Row | undefined } {
  const shown: Html[] = []
  let bytes = 0
  for (const row of rows.slice(0, rowsPerPage)) {
    const markup = render(row)
    bytes += Buffer.byteLength(markup.in('en'))
    if (shown.length > 0 && bytes > listMaxBytes) break
    shown.push(markup)
  }
  return { shown, rest: shown.length < rows.length, last: rows[shown.length - 1] }
}
