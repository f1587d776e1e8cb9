import { type Html, html } from '../html.ts'
import { copyField } from './copy-field.ts'

/** A secret, this once. The page that holds it is never stored, since every page is sent with `no-store`. */
export function secretReveal(secret: {
  title: string
  label: string
  clearText: string
  testId: string
  explain: Html | string
}): Html {
  const { title, label, clearText, testId, explain } = secret
  const words = typeof explain === 'string' ? html`<p>${explain}</p>` : explain
  return html`<section class="card secret" aria-labelledby="${testId}-title"><div class="stack tight"><h2 id="${testId}-title">${title}</h2>${words}</div>
${copyField({ label, text: clearText, testId })}</section>`
}
