import { type Html, html, type Text, t } from '../html.ts'

/**
 * Renders links to the pages about one object. `current` marks the tab that contains the shown page.
 *
 * @param inside whether the shown page is below the current tab's own page. Screen readers then don't announce the tab
 * as the current page.
 */
export function tabs({
  label,
  pages,
  inside = false,
}: {
  label: Text
  pages: readonly { name: Text; href: string; current: boolean }[]
  inside?: boolean
}): Html {
  return html`<nav class="tabs" aria-label="${label}">${pages.map(
    ({ name, href, current }) =>
      html`<a href="${href}"${current && html` aria-current="${inside ? 'true' : 'page'}"`}>${name}</a>`,
  )}</nav>`
}

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
  return html`<nav class="trail" aria-label="${t`Breadcrumbs`}"><ol>${crumbs.map(
    ({ name, href }) =>
      html`<li>${href === undefined ? html`<span aria-current="page">${name}</span>` : html`<a href="${href}">${name}</a>`}</li>`,
  )}</ol></nav>`
}

const pages = [
  { name: t`API reference`, href: '/reference' },
  { name: t`Guides`, href: '/guides' },
  { name: t`Packages`, href: '/packages' },
] as const

/** Renders the tabs of the public documentation: API reference, guides and packages. */
export function documentationTabs(current: (typeof pages)[number]['href']): Html {
  return tabs({ label: t`Documentation`, pages: pages.map((one) => ({ ...one, current: one.href === current })) })
}
