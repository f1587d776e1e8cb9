import { type Html, html } from '../../../pages/html.ts'
import { listWords } from './list-words.ts'

/**
 * Renders the line that says how a page is kept up to date, with the texts for `live.js`.
 *
 * @param events URL of the page's stream. `undefined` if the page isn't live.
 */
export function liveStatus(events: string | undefined): Html {
  const { off, on, lost, looked } = listWords.live
  if (events === undefined) return html``
  return html`<span data-events="${events}" data-live-said="${on}" data-lost="${lost}" data-looked="${looked}"><span data-live-words>${off}</span></span>`
}
