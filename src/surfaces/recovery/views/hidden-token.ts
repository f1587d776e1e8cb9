import { type Html, html } from '../../../pages/html.ts'

/** Renders the link's token as a hidden field. The page isn't cached, because all pages are sent with `no-store`. */
export function hiddenToken(clearTextToken: string): Html {
  return html`<input type="hidden" name="token" value="${clearTextToken}">`
}
