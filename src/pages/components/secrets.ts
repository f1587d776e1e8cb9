import { type Html, html, type Text, t } from '../html.ts'
import { table } from './elements.ts'
import { time, timeUntil } from './figures.ts'

/** Renders text to copy. A click selects all of it. A script adds a copy button. */
export function copyField(field: { label: Text; text: string; hint?: Text; testId?: string }): Html {
  const { label, text, hint, testId } = field
  return html`<div class="copy"><div class="label">${label}</div>
${hint !== undefined && html`<div class="hint">${hint}</div>`}
<div class="value"><code class="text"${testId !== undefined && html` data-testid="${testId}"`}>${text}</code>
${copyButton(label)}</div></div>`
}

export function copyBlock({ label, text }: { label: Text; text: string }): Html {
  return html`<div class="copy block"><div class="head-row"><div class="hint">${label}</div>${copyButton('')}</div>
<pre class="text" tabindex="0"><code>${text}</code></pre></div>`
}

/** Renders a button, shown by a script, that copies the element with this ID, or the `.text` beside it if empty. */
export function copyButton(label: Text, id = ''): Html {
  return html`<button type="button" class="plain" data-copy="${id}" data-copied="${t`Copied`}" data-selected="${t`Selected`}" data-selected-how="${t`The text is selected. Copy it with your keyboard.`}" hidden>${t`Copy`}<span class="hidden-visually"> ${label}</span></button>`
}

/** Renders a sample in several languages, chosen by radio buttons, without a script. `name` is unique on the page. */
export function codeSample(sample: {
  name: string
  title: Text
  samples: readonly { language: string; code: Text }[]
}): Html {
  const { name, title, samples } = sample
  return html`<div class="sample"><fieldset><legend class="hidden-visually">${t`${title}: language`}</legend>${samples.map(
    (
      { language, code },
      index,
    ) => html`<input type="radio" name="${name}" id="${name}-${index + 1}"${index === 0 && html` checked`}><label for="${name}-${index + 1}">${language}</label>
<pre tabindex="0" aria-label="${title}, ${language}"><code id="${name}-${index + 1}-code">${code}</code></pre>${copyButton(language, `${name}-${index + 1}-code`)}`,
  )}</fieldset></div>`
}

/** A valid client secret, flow key or runtime key. */
export interface ListedSecret {
  label: Text
  lastFour: string
  createdAtMs: number
  lastUsedAtMs: number | null
  /** When the secret expires. Absent or `null` if it doesn't expire. */
  endsAtMs?: number | null
  /** The page shows the secret in plaintext above the table, so the table doesn't mask it. */
  shownAbove?: boolean
  testId?: string
  /** URL of the page that revokes it, or why that can't be done. `undefined` if the user isn't allowed to. */
  revocation: { href: string } | { not: Text } | undefined
}

/**
 * Renders secrets that can't be shown again, with links to revoke them.
 * @param kind what they are, such as “Client secret”.
 * @param hint `false` if the page says elsewhere that last-used times are late.
 */
export function secretTable(shown: {
  caption: Text
  kind: Text
  secrets: readonly ListedSecret[]
  nowMs: number
  hint?: boolean
}): Html {
  const { caption, kind, secrets, nowMs, hint = true } = shown
  const mayRevoke = secrets.some(({ revocation }) => revocation !== undefined)
  return html`${table({
    caption,
    rows: secrets,
    columns: [
      {
        title: t`Label`,
        cell: ({ label, endsAtMs = null }) =>
          html`${label}${endsAtMs !== null && html`<br><span class="soft small">${t`Expires ${timeUntil(endsAtMs, nowMs)}`}</span>`}`,
      },
      { title: kind, cell: masked },
      { title: t`Created`, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      { title: t`Last used`, cell: ({ lastUsedAtMs }) => time(lastUsedAtMs, nowMs) },
      mayRevoke && { title: t`Action`, cell: action },
    ],
  })}
${hint && html`<p class="hint">${lastUsedIsLate}</p>`}`
}

function masked({ lastFour, shownAbove, testId }: ListedSecret): Html {
  if (shownAbove) return html`<span class="soft">${t`Shown above`}</span>`
  return html`<code class="whole"${testId !== undefined && html` data-testid="${testId}"`}>••••${lastFour}</code>`
}

function action({ lastFour, revocation }: ListedSecret): Text {
  if (revocation === undefined) return ''
  if ('not' in revocation) return html`<span class="soft">${revocation.not}</span>`
  return html`<a class="button dangerous small" href="${revocation.href}">${t`Revoke`}<span class="hidden-visually"> ••••${lastFour}</span></a>`
}

/** Renders a new secret, which can't be shown again. Browsers don't store the page: all are sent with `no-store`. */
export function secretReveal(secret: {
  title: Text
  label: Text
  clearText: string
  testId: string
  explain: Text
}): Html {
  const { title, label, clearText, testId, explain } = secret
  return html`<section class="card secret" aria-labelledby="${testId}-title"><div class="stack tight"><h2 id="${testId}-title">${title}</h2><p>${explain}</p></div>
${copyField({ label, text: clearText, testId })}</section>`
}

/** Last-use times are collected in memory; `startFlushing` in `upkeep/upkeep.ts` stores them every minute. */
export const lastUsedIsLate = t`Last-used times are updated every minute.`
