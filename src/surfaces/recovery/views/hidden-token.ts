import { type Html, html } from '../../../pages/html.ts'

/** Carries the link's secret on from its page to its form. Every page is sent with `no-store`. */
export function hiddenToken(clearTextToken: string): Html {
  return html`<input type="hidden" name="token" value="${clearTextToken}">`
}
