import { type Html, html, type Text } from '../html.ts'

export interface Column<Row> {
  title: Text
  /** The first column names its row. */
  cell(row: Row): Text | number
  number?: boolean
}

/**
 * A table that becomes one card a row on a phone. The roles are written out because browsers forget
 * them when a table is laid out as anything else.
 *
 * @param caption what the rows are, for screen readers.
 */
export function table<Row>({
  caption,
  columns,
  rows,
}: {
  caption: Text
  columns: readonly Column<Row>[]
  rows: readonly Row[]
}): Html {
  const tone = (column: Column<Row>) => column.number === true && html` class="number"`
  return html`<div class="table"><table role="table"><caption class="hidden-visually">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th scope="col" role="columnheader"${tone(column)}>${column.title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${columns.map((column, index) =>
      index === 0
        ? html`<th scope="row" role="rowheader"${tone(column)}>${column.cell(row)}</th>`
        : html`<td role="cell" data-label="${column.title}"${tone(column)}><span>${column.cell(row)}</span></td>`,
    )}</tr>
`,
  )}</tbody></table></div>`
}
