import { type Html, html, type Text } from '../html.ts'

/**
 * Renders links to the pages about one object. `current` marks the page that is shown.
 *
 * @param inside whether the shown page is inside the current tab, so that the tab leads to another page.
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
