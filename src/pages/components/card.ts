import { type Html, html, type Text } from '../html.ts'

/**
 * Renders a framed part of a page. Omit the title if the page has no other part.
 *
 * @param compact reduces the spacing, for pages with several forms.
 */
export function card({
  title,
  body,
  id,
  compact = false,
}: {
  title?: Text
  body: Html
  id?: string
  compact?: boolean
}): Html {
  const attributes = html`class="card${compact && ' compact'}"${id !== undefined && html` id="${id}"`}`
  if (title === undefined) return html`<div ${attributes}>${body}</div>`
  const heading = `${
    id ??
    inEnglish(title)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
  }-title`
  return html`<section ${attributes} aria-labelledby="${heading}"><h2 id="${heading}">${title}</h2>${body}</section>`
}

/**
 * Renders a section of a long page with the description on the left and the content on the right. On a phone, they are
 * stacked.
 */
export function section({ id, title, about, body }: { id: string; title: Text; about: Html; body: Html }): Html {
  return html`<section class="section" id="${id}" aria-labelledby="${id}-title">
<div class="about"><h2 id="${id}-title">${title}</h2>${about}</div>
<div class="stack">${body}</div>
</section>`
}

/** Returns the English text, from which element IDs are derived. This keeps the IDs the same in every language. */
function inEnglish(title: Text): string {
  return typeof title === 'string' ? title : html`${title}`.in('en')
}
