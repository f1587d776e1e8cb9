import { type Content, type Html, html, type Text, t } from '../html.ts'

/**
 * Renders the head of the pages about one object: its name on one line, and the tabs, which are links to these pages.
 * The head has the same height on all of them, so that nothing moves between them. Below a tab, the name isn't the
 * page's heading.
 */
export function objectHead(object: {
  name: Text
  picture?: Html
  tags?: Content
  label: Text
  /** `current` marks the tab that contains the shown page. */
  pages: readonly { name: Text; href: string; current: boolean }[]
  /**
   * Whether the shown page is below the current tab's own page. Screen readers then don't announce the tab as the
   * current page.
   */
  inside?: boolean
}): Html {
  const { name, picture, tags, label, pages, inside = false } = object
  return html`<div class="name object${inside && ' inside'}" title="${name}">${picture}${inside ? html`<p class="of"><a href="${pages[0]?.href ?? ''}">${name}</a></p>` : html`<h1>${name}</h1>`}${tags}</div>
<nav class="tabs" aria-label="${label}">${pages.map(
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

/** Renders breadcrumbs: the pages that contain this one, the outermost first, and links to the pages beside it. */
export function trail(crumbs: readonly Crumb[], beside?: Content): Html {
  return html`<nav class="trail" aria-label="${t`Breadcrumbs`}"><ol>${crumbs.map(
    ({ name, href }) =>
      html`<li>${href === undefined ? html`<span aria-current="page">${name}</span>` : html`<a href="${href}">${name}</a>`}</li>`,
  )}</ol>${beside}</nav>`
}

const pages = [
  { name: t`API reference`, href: '/reference' },
  { name: t`Guides`, href: '/guides' },
  { name: t`Packages`, href: '/packages' },
] as const

/** Renders the heading of a part of the public documentation, and the tabs: API reference, guides and packages. */
export function documentationHead(name: Text, current: (typeof pages)[number]['href']): Html {
  const links = pages.map((one) => ({ ...one, current: one.href === current }))
  return objectHead({ name, label: t`Documentation`, pages: links })
}
