import type { FastifyRequest } from 'fastify'
import { selectField, textField } from '../form.ts'
import { type Html, html, type Text, t, type Words } from '../html.ts'
import { button, emptyState, linkButton } from './elements.ts'

/** Lists with at most this many rows have no search field and no sort options, unless the URL has a search text. */
const rowsWithoutForm = 8

/** How a list is searched, sorted and divided into pages. */
interface Listing<Row> {
  action: string
  label: Text
  perPage: number
  textsOf(row: Row): readonly string[]
  /** The sort orders by their value in the URL, the default first. One without a comparison keeps the order of the rows. */
  sorts: Readonly<Record<string, readonly [name: Text, compare?: (one: Row, other: Row) => number]>>
}

const names = new Intl.Collator('en', { numeric: true })

/** Compares names for sorting. Numbers in names compare by value: `flow-2` comes before `flow-10`. */
export function byName(one: { name: string }, other: { name: string }): number {
  return names.compare(one.name, other.name)
}

/**
 * Returns the rows that a list shows for the search text, sort order and page number in the URL, the form that searches
 * and sorts it (`false` for a short list), and the links to its other pages. A page out of range means the nearest one.
 */
export function listed<Row>(all: readonly Row[], { query }: Pick<FastifyRequest, 'query'>, listing: Listing<Row>) {
  const { action, label, perPage, textsOf, sorts } = listing
  const asked = query as Record<string, unknown>
  const search = typeof asked.search === 'string' ? asked.search.trim() : ''
  const sort = Object.keys(sorts).find((known) => known === asked.sort) ?? (Object.keys(sorts)[0] as string)
  const wanted = search.toLowerCase()
  const found = all.filter((row) => textsOf(row).some((text) => text.toLowerCase().includes(wanted)))
  const compare = sorts[sort]?.[1]
  if (compare !== undefined) found.sort(compare)
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  const pageNumber = Math.min(pages, Math.max(1, Number.parseInt(String(asked.page), 10) || 1))
  const options = Object.entries(sorts).map(([value, [name]]) => ({ value, label: name }))
  const link = (to: number, label: Words) => {
    const text = new URLSearchParams({ ...(search !== '' && { search }), sort, page: String(to) })
    return linkButton({ label, href: `${action}?${text}`, tone: 'plain' })
  }
  return {
    rows: found.slice((pageNumber - 1) * perPage, pageNumber * perPage),
    form:
      (all.length > rowsWithoutForm || search !== '') &&
      html`<form method="get" action="${action}" role="search" class="search">
${textField({ label, autocomplete: 'off' }).show('search', search)}
${selectField({ label: t`Sort by`, options }).show('sort', sort)}
<div class="buttons">${button({ label: t`Search`, tone: 'plain' })}</div></form>
${search !== '' && html`<p class="soft" role="status">${t`${found.length} of ${all.length} match.`} ${linkButton({ label: t`Show all`, href: action, tone: 'quiet' })}</p>`}`,
    pager:
      pages > 1 &&
      html`<div class="buttons pager">${pageNumber > 1 && link(pageNumber - 1, t`Previous page`)}${pageNumber < pages && link(pageNumber + 1, t`Next page`)}<span class="soft small">${t`Page ${pageNumber} of ${pages}`}</span></div>`,
  }
}

/** Renders links to older entries of a list and back to its newest ones. An absent URL has no link. */
export function olderAndNewest(older: string | false | undefined, newest: string | false): Html {
  return html`<div class="buttons pager">${older && linkButton({ label: t`Earlier`, href: older, tone: 'plain' })}${newest && linkButton({ label: t`Newest`, href: newest, tone: 'quiet' })}</div>`
}

/** Renders filters that are folded on a phone, unless they are in use. */
export function folded(form: Html, inUse: boolean): Html {
  return html`<details class="folded"${inUse && html` open`}><summary>${t`Filter`}</summary>${form}</details>`
}

export const noneFound: Html = emptyState({
  title: t`Nothing matches`,
  body: html`<p>${t`Search for any part of a name or ID.`}</p>`,
})
