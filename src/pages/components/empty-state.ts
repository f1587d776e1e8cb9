import { type Html, html, type Text } from '../html.ts'

/** Where a list would be: what will stand here, and the step that puts the first one there. */
export function emptyState({ title, body, action }: { title: Text; body: Html; action?: Html }): Html {
  return html`<div class="empty"><h2>${title}</h2>${body}${action}</div>`
}
