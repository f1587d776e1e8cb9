import type { Html } from '../../../pages/html.ts'

/** Maximum size of the list on one page, in bytes, so that pages load quickly on slow connections. */
const listMaxBytes = 24_000
const rowsPerPage = 50

/** Returns as many rows as fit on one page, but at least one. `last` is the next page's cursor. */
export function rowsThatFit<Row>(
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
