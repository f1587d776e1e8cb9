import { type Content, type Html, html, type Text } from '../html.ts'

interface Column<Row> {
  title: Text
  /** Renders the column's cell in a row. Cells of the first column are row headers. */
  cell(row: Row): Text | number
  number?: boolean
  /** Omits the column's title on a phone, where each row is a card, because the cells explain themselves. */
  unlabelled?: true
  /** Set if the cells are in English in every language of the page. Ignored in the first column. */
  lang?: 'en'
}

/**
 * Renders a table that becomes one card per row on a phone. ARIA roles are set explicitly, because browsers drop them
 * when CSS changes a table's layout.
 *
 * @param caption describes the rows, for screen readers.
 * @param oneLine for a list of objects: one line per row, on a phone two. The first column has an {@link objectLink}.
 */
export function table<Row>(shown: {
  caption: Text
  /** `false` stands for a column that isn't shown. */
  columns: readonly (Column<Row> | false)[]
  rows: readonly Row[]
  oneLine?: boolean
}): Html {
  const { caption, rows, oneLine = false } = shown
  const columns = shown.columns.filter((column) => column !== false)
  const tone = (column: Column<Row>) => column.number === true && html` class="number"`
  return html`<div class="table${oneLine && ' one-line'}"><table role="table"><caption class="hidden-visually">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => html`<th scope="col" role="columnheader"${tone(column)}>${column.title}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${columns.map((column, index) =>
      index === 0
        ? html`<th scope="row" role="rowheader"${tone(column)}>${column.cell(row)}</th>`
        : html`<td role="cell"${!column.unlabelled && html` data-label="${column.title}"`}${tone(column)}><span${column.lang !== undefined && html` lang="${column.lang}"`}>${column.cell(row)}</span></td>`,
    )}</tr>
`,
  )}</tbody></table></div>`
}

/** Renders an object's name as the link of its whole row. A long name is cut, and its title attribute has all of it. */
export function objectLink(object: { name: string; href: string; picture?: Html; after?: Content }): Html {
  const { name, href, picture, after } = object
  return html`<div class="named">${picture}<a class="row-link" href="${href}" title="${name}">${name}</a> ${after}</div>`
}

/** Renders a figure, such as 0, that isn't worth its place on a phone. */
export function zeroAs(shown: Text | number): Html {
  return html`<span class="zero">${shown}</span>`
}
export const zero = zeroAs(0)
