import { type Html, html } from '../../../pages/html.ts'

/**
 * Renders a picture on top of the name's initials, which remain visible if the picture is missing or does not load. The
 * picture's host isn't told which page shows it.
 *
 * @param picture its URL. A URL without TLS is omitted, because browsers would show a warning for the page.
 */
export function avatar({ name, picture }: { name: string; picture: string | null }): Html {
  const shown = picture !== null && /^https:/i.test(picture)
  return html`<span class="avatar"><span aria-hidden="true">${initials(name)}</span>${shown && html`<img src="${picture}" alt="" width="64" height="64" referrerpolicy="no-referrer" decoding="async">`}</span>`
}

/** Returns the initials of the first two words. Each initial is a whole grapheme cluster. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => {
    const [first] = new Intl.Segmenter().segment(word.replace(/^[\p{P}\p{S}]+(?=[\p{L}\p{N}])/u, ''))
    return first === undefined ? [] : [first.segment]
  })
  return letters.slice(0, 2).join('').toUpperCase()
}
