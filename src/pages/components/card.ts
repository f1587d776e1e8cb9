import { type Html, html, type Text } from '../html.ts'

/**
 * Renders a framed part of a page. Omit the title if the page has no other part.
 *
 * @param compact reduces the spacing, for pages with several forms.
 */
export function card(shown: {
  title?: Text
  body: Html
  id?: string
  /** Shown on the line of the title. */
  beside?: Html
  compact?: boolean
}): Html {
  const { title, body, id, beside, compact = false } = shown
  const attributes = html`class="card${compact && ' compact'}"${id !== undefined && html` id="${id}"`}`
  if (title === undefined) return html`<div ${attributes}>${body}</div>`
  const heading = `${id ?? inEnglish(title).replace(/[^a-z0-9]+/g, '-')}-title`
  return html`<section ${attributes} aria-labelledby="${heading}">${beside === undefined ? html`<h2 id="${heading}">${title}</h2>` : html`<div class="title"><h2 id="${heading}">${title}</h2>${beside}</div>`}${body}</section>`
}

interface Section {
  id: string
  title: Text
  about: Html
  body: Html
  /** Shows the description beside the content instead of above it, for settings. On a phone, it is always above. */
  aside?: boolean
}

export function section({ id, title, about, body, aside = false }: Section): Html {
  return html`<section class="section${aside && ' aside'}" id="${id}" aria-labelledby="${id}-title">
<div class="about"><h2 id="${id}-title">${title}</h2>${about}</div>
<div class="stack">${body}</div>
</section>`
}

/** Returns the English text in lower case, from which element IDs are derived. This keeps the IDs the same in every language. */
function inEnglish(title: Text): string {
  return (typeof title === 'string' ? title : html`${title}`.in('en')).toLowerCase()
}

/** Renders a placeholder for an empty list. It says what the list will contain and how to add the first item. */
export function emptyState({ title, body, action }: { title: Text; body: Html; action?: Html }): Html {
  return html`<div class="empty"><h2>${title}</h2>${body}${action}</div>`
}

export interface Tile {
  title: Text
  /** URL of the page with the details. */
  href?: string | undefined
  figure: Html
  detail?: Text | false | undefined
}

/** Renders tiles side by side, for the top of an overview. On a phone, they are arranged in two columns. */
export function tiles(all: readonly Tile[]): Html {
  return html`<dl class="tiles">${all.map(
    ({ title, href, figure, detail }) =>
      html`<div><dt>${href === undefined ? title : html`<a href="${href}">${title}</a>`}</dt><dd class="figure">${figure}</dd>${detail && html`<dd class="soft small">${detail}</dd>`}</div>`,
  )}</dl>`
}
