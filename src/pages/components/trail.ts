import { type Html, html, type Text } from '../html.ts'
import { componentWords } from '../words/components.ts'

/** One step of a page's breadcrumbs. A step without a link is the page itself. */
export interface Crumb {
  name: Text
  href?: string
}

/** A step that is always a link, such as a page that contains others. */
export type LinkedCrumb = Required<Crumb>

/** Returns the breadcrumbs for the page of the last step, which then isn't a link. */
export function endingHere(crumbs: readonly LinkedCrumb[]): Crumb[] {
  return crumbs.map(({ name, href }, at) => (at === crumbs.length - 1 ? { name } : { name, href }))
}

/** Renders breadcrumbs: the pages that contain this one, the outermost first. */
export function trail(crumbs: readonly Crumb[]): Html {
  return html`<nav class="trail" aria-label="${componentWords.trail}"><ol>${crumbs.map(
    ({ name, href }) =>
      html`<li>${href === undefined ? html`<span aria-current="page">${name}</span>` : html`<a href="${href}">${name}</a>`}</li>`,
  )}</ol></nav>`
}
