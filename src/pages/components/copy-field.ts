import { type Html, html, type Text, t } from '../html.ts'

interface CopyField {
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
${copyButton(label)}</div></div>`
}

/** Renders a block of several lines to copy, such as a command. */
export function copyBlock({ label, text }: { label: Text; text: string }): Html {
  return html`<div class="copy block"><div class="head-row"><div class="hint">${label}</div>${copyButton('')}</div>
<pre class="text" tabindex="0"><code>${text}</code></pre></div>`
}

/**
 * Renders a button that copies the element with this ID. If `id` is empty, the button copies the element with the class
 * `text` in the same `.copy` element. A script makes the button visible.
 */
export function copyButton(label: Text, id = ''): Html {
  return html`<button type="button" class="plain" data-copy="${id}" data-copied="${t`Copied`}" data-selected="${t`Selected`}" data-selected-how="${t`The text is selected. Copy it with your keyboard.`}" hidden>${t`Copy`}<span class="hidden-visually"> ${label}</span></button>`
}

/**
 * Renders a code sample in several languages, one of which is visible. Radio buttons switch between them, so no script
 * is needed. A script adds a copy button.
 *
 * @param name unique on the page.
 */
export function codeSample({
  name,
  title,
  samples,
}: {
  name: string
  title: Text
  samples: readonly { language: string; code: Text }[]
}): Html {
  return html`<div class="sample"><fieldset><legend class="hidden-visually">${t`${title}: language`}</legend>${samples.map(
    (
      { language, code },
      index,
    ) => html`<input type="radio" name="${name}" id="${name}-${index + 1}"${index === 0 && html` checked`}><label for="${name}-${index + 1}">${language}</label>
<pre tabindex="0" aria-label="${title}, ${language}"><code id="${name}-${index + 1}-code">${code}</code></pre>${copyButton(language, `${name}-${index + 1}-code`)}`,
  )}</fieldset></div>`
}
