import { type Html, html, type Text } from '../html.ts'
import { componentWords } from '../words/components.ts'

const { copy, copied, selected, withTheKeyboard } = componentWords.copy

export interface CopyField {
  label: Text
  text: string
  hint?: Text
  testId?: string
}

/** Renders text to copy. A click selects all of it. A script adds a copy button. */
export function copyField({ label, text, hint, testId }: CopyField): Html {
  return html`<div class="copy"><div class="label">${label}</div>
${hint !== undefined && html`<div class="hint">${hint}</div>`}
<div class="value"><code class="text"${testId !== undefined && html` data-testid="${testId}"`}>${text}</code>
<button type="button" class="plain" data-copy data-copied="${copied}" data-selected="${selected}" data-selected-how="${withTheKeyboard}" hidden>${copy}<span class="hidden-visually"> ${label}</span></button></div></div>`
}

/** Renders the last characters of a secret that can't be shown again. */
export function maskedSecret(field: { label: Text; lastFour: string; hint?: Text; testId?: string }): Html {
  const { label, lastFour, hint, testId } = field
  return html`<div class="copy"><div class="label">${label}</div>
<div class="value"><code class="text masked"${testId !== undefined && html` data-testid="${testId}"`}>••••${lastFour}</code></div>
${hint !== undefined && html`<div class="hint">${hint}</div>`}</div>`
}
