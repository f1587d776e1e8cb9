import { type Html, html } from '../../../http/html.ts'

/** The way to the pages before and after this one of a list; nothing when there is one page only. */
export function pageWays(address: string, pageNumber: number, pages: number): Html | false {
  if (pages <= 1) return false
  const link = (to: number, words: string) => html`<a class="button plain" href="${address}?page=${to}">${words}</a>`
  return html`<div class="buttons">${pageNumber > 1 && link(pageNumber - 1, 'Page before')}${pageNumber < pages && link(pageNumber + 1, 'Next page')}<span class="soft small">Page ${pageNumber} of ${pages}</span></div>`
}
