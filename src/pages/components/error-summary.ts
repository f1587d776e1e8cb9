import { type Html, html, type Text } from '../html.ts'
import { componentWords } from '../words/components.ts'
import { icon } from './icon.ts'

/** Renders a rejected form's errors above the form, each with a link to its field. The summary receives the focus. */
export function errorSummary(faults: readonly { field: string; message: Text }[]): Html | false {
  if (faults.length === 0) return false
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>${icon('warning')}<div class="words"><h2>${componentWords.faults(faults.length)}</h2>
<ul>${faults.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul></div></div>`
}
