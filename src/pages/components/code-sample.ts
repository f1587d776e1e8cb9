import { type Html, html, type Text } from '../html.ts'
import { componentWords } from '../words/components.ts'
import { copyButton } from './copy-field.ts'

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
  return html`<div class="sample"><fieldset><legend class="hidden-visually">${componentWords.sampleLanguage(title)}</legend>${samples.map(
    (
      { language, code },
      index,
    ) => html`<input type="radio" name="${name}" id="${name}-${index + 1}"${index === 0 && html` checked`}><label for="${name}-${index + 1}">${language}</label>
<pre tabindex="0" aria-label="${title}, ${language}"><code id="${name}-${index + 1}-code">${code}</code></pre>${copyButton(language, `${name}-${index + 1}-code`)}`,
  )}</fieldset></div>`
}
