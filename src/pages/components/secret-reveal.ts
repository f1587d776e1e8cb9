import { Html, html, type Text } from '../html.ts'
import { copyField } from './copy-field.ts'

/**
 * Renders a new secret, which can't be shown again. Browsers don't store the page, because all pages are sent with
 * `no-store`.
 */
export function secretReveal(secret: {
  title: Text
  label: Text
  clearText: string
  testId: string
  explain: Text
}): Html {
  const { title, label, clearText, testId, explain } = secret
  const words = explain instanceof Html ? explain : html`<p>${explain}</p>`
  return html`<section class="card secret" aria-labelledby="${testId}-title"><div class="stack tight"><h2 id="${testId}-title">${title}</h2>${words}</div>
${copyField({ label, text: clearText, testId })}</section>`
}
