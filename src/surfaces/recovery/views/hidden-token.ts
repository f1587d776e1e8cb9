import { type Html, html } from '../../../pages/html.ts'

/** Renders the link's secret as a hidden field. This is safe, because all pages are sent with `no-store`. */
export function hiddenToken(clearTextToken: string): Html {
  return html`<input type="hidden" name="token" value="${clearTextToken}">`
}
