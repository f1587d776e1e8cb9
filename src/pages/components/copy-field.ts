import { type Html, html, type Text } from '../html.ts'
import { componentWords } from '../words/components.ts'

const { copy, copied, selected, withTheKeyboard } = componentWords.copy

export interface CopyField {
  label: Text
  text: string
  hint?: Text
  testId?: string
}

/** Something to take elsewhere. One click selects it whole; with scripts there is a button that copies it. */
export function copyField({ label, text, hint, testId }: CopyField): Html {
  return html`<div class="copy"><div class="label">${label}</div>
${hint !== undefined && html`<div class="hint">${hint}</div>`}
<div class="value"><code class="text"${testId !== undefined && html` data-testid="${testId}"`}>${text}</code>
<button type="button" class="plain" data-copy data-copied="${copied}" data-selected="${selected}" data-selected-how="${withTheKeyboard}" hidden>${copy}<span class="hidden-visually"> ${label}</span></button></div></div>`
}

/** Renders a secret that can't be shown again, by its last characters. */
export function maskedSecret(field: { label: Text; lastFour: string; hint?: Text; testId?: string }): Html {
  const { label, lastFour, hint, testId } = field
  return html`<div class="copy"><div class="label">${label}</div>
<div class="value"><code class="text masked"${testId !== undefined && html` data-testid="${testId}"`}>••••${lastFour}</code></div>
${hint !== undefined && html`<div class="hint">${hint}</div>`}</div>`
}
