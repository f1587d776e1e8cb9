import { type Html, html } from '../html.ts'

/**
 * Renders a picture on top of the name's initials, which remain visible if the picture is missing or does not load. The
 * browser requests the picture without a referrer, so its host doesn't learn the page's URL.
 *
 * @param picture the picture's URL. Ignored unless it uses HTTPS, because browsers warn about mixed content.
 * @param small uses the size for a line of text instead of the size for a heading.
 */
export function avatar({
  name,
  picture = null,
  small = false,
}: {
  name: string
  picture?: string | null
  small?: boolean
}): Html {
  const shown = picture !== null && /^https:/i.test(picture)
  const side = small ? 40 : 64
  return html`<span class="avatar${small && ' small'}"><span aria-hidden="true">${initials(name)}</span>${shown && html`<img src="${picture}" alt="" width="${side}" height="${side}" referrerpolicy="no-referrer" decoding="async">`}</span>`
}

/** Returns the initials of the first two words. Each initial is a whole grapheme cluster. */
function initials(name: string): string {
  const letters = name.split(/\s+/u).flatMap((word) => {
    const [first] = new Intl.Segmenter().segment(word.replace(/^[\p{P}\p{S}]+(?=[\p{L}\p{N}])/u, ''))
    return first === undefined ? [] : [first.segment]
  })
  return letters.slice(0, 2).join('').toUpperCase()
}
