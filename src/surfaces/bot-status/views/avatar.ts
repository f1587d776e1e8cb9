import { type Html, html } from '../../../pages/html.ts'

/**
 * The picture of somebody or something, over the initials of the name: these show where there is no picture, and
 * where it does not load. It comes from another host, which is not told on what page it is shown.
 *
 * @param picture its address; one without TLS is left out, since browsers would warn of the page.
 */
export function avatar({ name, picture }: { name: string; picture: string | null }): Html {
  const shown = picture !== null && /^https:/i.test(picture)
  return html`<span class="avatar"><span aria-hidden="true">${initials(name)}</span>${shown && html`<img src="${picture}" alt="" width="64" height="64" referrerpolicy="no-referrer" decoding="async">`}</span>`
}

/** Of the first two words, whole characters as readers see them. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => {
    const [first] = new Intl.Segmenter().segment(word.replace(/^[\p{P}\p{S}]+(?=[\p{L}\p{N}])/u, ''))
    return first === undefined ? [] : [first.segment]
  })
  return letters.slice(0, 2).join('').toUpperCase()
}
