import type { FastifyRequest } from 'fastify'
import { type Html, html, t, type Words } from '../html.ts'
import { linkButton } from './button.ts'
import { type ListChoice, listQueryText } from './list-form.ts'

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
