import { type Html, html, type Text } from '../html.ts'

/** A framed part of a page. Without a title it frames the only thing there is. */
export function card({ title, body, id }: { title?: Text; body: Html; id?: string }): Html {
  if (title === undefined) return html`<div class="card"${id !== undefined && html` id="${id}"`}>${body}</div>`
  const heading = `${
    id ??
    inEnglish(title)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
  }-title`
  return html`<section class="card"${id !== undefined && html` id="${id}"`} aria-labelledby="${heading}"><h2 id="${heading}">${title}</h2>${body}</section>`
}

/** A part of a long page: what it is about on the left, the work on the right; stacked on a phone. */
export function section({ id, title, about, body }: { id: string; title: Text; about: Html; body: Html }): Html {
  return html`<section class="section" id="${id}" aria-labelledby="${id}-title">
<div class="about"><h2 id="${id}-title">${title}</h2>${about}</div>
<div class="stack">${body}</div>
</section>`
}

/** For ids, which are the same in every language. */
function inEnglish(title: Text): string {
  return typeof title === 'string' ? title : html`${title}`.in('en')
}
