import type { FastifyRequest } from 'fastify'
import { selectField, textField } from '../form.ts'
import { type Html, html, type Text, t, type Words } from '../html.ts'
import { button, linkButton } from './button.ts'
import { emptyState } from './card.ts'

/** Lists with at most this many rows have no search field and no sort options. */
const rowsWithoutForm = 8

/** The search text and sort order of a list, from its URL. */
export interface ListChoice<Sort extends string> {
  search: string
  sort: Sort
}

const names = new Intl.Collator('en', { numeric: true })

/** Compares names for sorting. Numbers in names compare by value: `flow-2` comes before `flow-10`. */
export function byName(one: { name: string }, other: { name: string }): number {
  return names.compare(one.name, other.name)
}

export function readListChoice<Sort extends string>(query: unknown, sorts: readonly Sort[]): ListChoice<Sort> {
  const { search, sort } = query as Record<string, unknown>
  return {
    search: typeof search === 'string' ? search.trim() : '',
    sort: sorts.find((known) => known === sort) ?? (sorts[0] as Sort),
  }
}

/** Returns the rows that contain the search text, ignoring case, in the chosen order. */
export function chosenRows<Row, Sort extends string>(
  rows: readonly Row[],
  { search, sort }: ListChoice<Sort>,
  textsOf: (row: Row) => readonly string[],
  orders: Readonly<Record<Sort, ((one: Row, other: Row) => number) | undefined>>,
): Row[] {
  const wanted = search.toLowerCase()
  const found = rows.filter((row) => textsOf(row).some((text) => text.toLowerCase().includes(wanted)))
  const order = orders[sort]
  return order === undefined ? found : found.sort(order)
}

/** Renders the form that searches and sorts a list. Returns `false` for a short list. */
export function listForm<Sort extends string>(list: {
  action: string
  label: Text
  choice: ListChoice<Sort>
  sorts: Readonly<Record<Sort, Text>>
  found: number
  all: number
}): Html | false {
  const { action, label, choice, sorts, found, all } = list
  if (all <= rowsWithoutForm) return false
  const options = Object.entries<Text>(sorts).map(([value, name]) => ({ value, label: name }))
  return html`<form method="get" action="${action}" role="search" class="search">
${textField({ label, autocomplete: 'off' }).show('search', choice.search)}
${selectField({ label: t`Sort by`, options }).show('sort', choice.sort)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}</div></form>
${choice.search !== '' && html`<p class="soft" role="status">${t`${found} of ${all} match.`} ${linkButton({ label: t`Show all`, href: action, tone: 'quiet' })}</p>`}`
}

/** Renders filters that are folded on a phone, unless they are in use. */
export function folded(form: Html, inUse: boolean): Html {
  return html`<details class="folded"${inUse && html` open`}><summary>${t`Filter`}</summary>${form}</details>`
}

/** Renders the message for a search without results. */
export const noneFound: Html = emptyState({
  title: t`Nothing matches`,
  body: html`<p>${t`Search for any part of a name or ID.`}</p>`,
})

/** Returns the query string of another page of the list. */
export function listQueryText({ search, sort }: ListChoice<string>, page: number): string {
  const query = new URLSearchParams({ ...(search !== '' && { search }), sort, page: String(page) })
  return `?${query}`
}

/** Returns the rows on the page whose number is in the URL. A number out of range means the nearest page. */
export function pageOf<Row>(
  rows: readonly Row[],
  perPage: number,
  { query }: FastifyRequest,
): { rows: Row[]; pageNumber: number; pages: number } {
  const { page } = query as Record<string, unknown>
  const pages = Math.max(1, Math.ceil(rows.length / perPage))
  const pageNumber = Math.min(pages, Math.max(1, Number.parseInt(String(page), 10) || 1))
  return { rows: rows.slice((pageNumber - 1) * perPage, pageNumber * perPage), pageNumber, pages }
}

/** Renders links to a list's previous and next page. Returns `false` if there is only one page. */
export function pagination(
  address: string,
  choice: ListChoice<string>,
  pageNumber: number,
  pages: number,
): Html | false {
  if (pages <= 1) return false
  const link = (to: number, label: Words) =>
    linkButton({ label, href: `${address}${listQueryText(choice, to)}`, tone: 'plain' })
  return html`<div class="buttons pager">${pageNumber > 1 && link(pageNumber - 1, t`Previous page`)}${pageNumber < pages && link(pageNumber + 1, t`Next page`)}<span class="soft small">${t`Page ${pageNumber} of ${pages}`}</span></div>`
}
