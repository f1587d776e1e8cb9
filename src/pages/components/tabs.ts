import { type Html, html, type Text } from '../html.ts'

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
