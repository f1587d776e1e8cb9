import { type Html, html, type Text } from '../html.ts'

/** Renders a placeholder for an empty list. It says what the list will contain and how to add the first item. */
export function emptyState({ title, body, action }: { title: Text; body: Html; action?: Html }): Html {
  return html`<div class="empty"><h2>${title}</h2>${body}${action}</div>`
}
