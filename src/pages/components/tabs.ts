import { type Html, html, type Text } from '../html.ts'

/** Renders links to the pages about one object. `current` marks the page that is shown. */
export function tabs({
  label,
  pages,
}: {
  label: Text
  pages: readonly { name: Text; href: string; current: boolean }[]
}): Html {
  return html`<nav class="tabs" aria-label="${label}">${pages.map(
    ({ name, href, current }) => html`<a href="${href}"${current && html` aria-current="page"`}>${name}</a>`,
  )}</nav>`
}
