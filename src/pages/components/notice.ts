import { Html, html, plural, type Text, t } from '../html.ts'
import { type IconName, icon } from './pictures.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad'

const icons: Record<Tone, IconName> = { neutral: 'info', good: 'check', warn: 'warning', bad: 'cross' }

/** Renders a notice. Screen readers announce `good` and `bad` notices immediately. */
export function notice({ tone, title, body }: { tone: Tone; title?: Text; body: Text }): Html {
  const role = tone === 'bad' ? 'alert' : tone === 'good' ? 'status' : 'note'
  const words = body instanceof Html ? body : html`<p>${body}</p>`
  return html`<div class="notice ${tone}" role="${role}">${icon(icons[tone])}<div class="words">${title !== undefined && html`<p><strong>${title}</strong></p>`}${words}</div></div>`
}

/** Renders a state as a word with an icon, so that it never relies on colour alone. */
export function state({ tone, word }: { tone: Tone; word: Text }): Html {
  return html`<span class="state ${tone}">${icon(tone === 'neutral' ? 'dash' : icons[tone])}${word}</span>`
}

/** Renders a name or value inside a sentence. */
export const code = (text: string): Html => html`<code>${text}</code>`

export function tag(word: Text): Html {
  return html`<span class="tag">${word}</span>`
}

/** Renders a rejected form's errors above the form, each with a link to its field. The summary receives the focus. */
export function errorSummary(faults: readonly { field: string; message: Text }[]): Html | false {
  const count = faults.length
  if (count === 0) return false
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus>${icon('warning')}<div class="words"><h2>${plural(count, t`Check 1 field`, t`Check ${count} fields`)}</h2>
<ul>${faults.map(({ field, message }) => html`<li><a href="#${field}">${message}</a></li>`)}</ul></div></div>`
}
