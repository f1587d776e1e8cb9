import type {
  DifferenceKind,
  DifferencePart,
  RedirectUriDifference,
} from '../../domain/applications/redirect-uri-difference.ts'
import { type Content, type Html, html, plural, type Text, t, type Words } from '../html.ts'

/** Renders failures with the same cause, as an item of a list: the cause, how often it occurred, and what can be done. */
export function failureGroup(group: { cause: Text; times: Words; about: Html; more?: Content }): Html {
  const { cause, times, about, more } = group
  return html`<li><div class="head"><p><strong>${cause}</strong></p><span class="count">${times}</span></div>
<p class="meta soft small">${about}</p>
${more}</li>`
}

export function timesWords(count: number): Words {
  return plural(count, t`Once`, t`${count} times`)
}

const differenceWords: Record<DifferenceKind, Words> = {
  'slash-at-end': t`They differ only in the slash at the end.`,
  case: t`They differ only in capitalization.`,
  scheme: t`They differ only in the scheme: http and https.`,
  www: t`One has www. before the host, and the other doesn’t.`,
  port: t`They differ only in the port.`,
  query: t`They differ only in the query.`,
  otherwise: t`This is the closest registered URI. Differences are marked.`,
}

/** Renders the registered redirect URI above the one in the request, highlights the differences and describes them. */
export function redirectUriDifferenceView({ kind, parts }: RedirectUriDifference): Html {
  return html`<div class="difference stack tight"><dl>
<dt>${t`Registered`}</dt><dd>${address(parts, 'registered')}</dd>
<dt>${t`Sent`}</dt><dd>${address(parts, 'sent')}</dd>
</dl>
<p class="soft small">${differenceWords[kind]}</p></div>`
}

function address(parts: readonly DifferencePart[], of: 'registered' | 'sent'): Html {
  const own = parts.filter((part) => part.in === 'both' || part.in === of)
  return html`<code dir="ltr">${own.map(({ in: where, text }) => (where === 'both' ? text : html`<mark>${visible(text)}</mark>`))}</code>`
}

/** Replaces invisible characters with visible ones, because a highlight on them wouldn't show. */
function visible(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]/gu, (character) =>
    character === ' ' ? '␣' : `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`,
  )
}
