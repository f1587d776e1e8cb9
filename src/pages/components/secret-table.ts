import { type Html, html, type Text } from '../html.ts'
import { secretTableWords as words } from '../words/secret-table.ts'
import { table } from './table.ts'
import { time, timeUntil } from './time.ts'

/** A valid client secret, flow key or runtime key. */
export interface ListedSecret {
  label: Text
  lastFour: string
  createdAtMs: number
  /** When the secret was last used. `null` if it never was. */
  lastUsedAtMs: number | null
  /** When the secret expires. Absent or `null` if it doesn't expire. */
  endsAtMs?: number | null
  /** The page shows the secret in plaintext above the table, so the table doesn't mask it. */
  shownAbove?: boolean
  testId?: string
  /**
   * URL of the page that revokes the secret, or the reason why it can't be revoked. `undefined` if the user isn't
   * allowed to revoke it.
   */
  revocation: { href: string } | { not: Text } | undefined
}

/**
 * Renders secrets that can't be shown again: label, last four characters, when each was created and last used, and a
 * link to revoke it.
 *
 * @param kind what the secrets are, such as “Client secret”.
 * @param hint `false` omits the hint that last-used times are late. The page then shows it elsewhere.
 */
export function secretTable({
  caption,
  kind,
  secrets,
  nowMs,
  hint = true,
}: {
  caption: Text
  kind: Text
  secrets: readonly ListedSecret[]
  nowMs: number
  hint?: boolean
}): Html {
  const mayRevoke = secrets.some(({ revocation }) => revocation !== undefined)
  return html`${table({
    caption,
    rows: secrets,
    columns: [
      {
        title: words.label,
        cell: ({ label, endsAtMs = null }) =>
          html`${label}${endsAtMs !== null && html`<br><span class="soft small">${words.expires(timeUntil(endsAtMs, nowMs))}</span>`}`,
      },
      { title: kind, cell: masked },
      { title: words.created, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
      {
        title: words.lastUsed,
        cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? words.never : time(lastUsedAtMs, nowMs)),
      },
      ...(mayRevoke ? [{ title: words.action, cell: action }] : []),
    ],
  })}
${hint && html`<p class="hint">${words.lastUsedIsLate}</p>`}`
}

function masked({ lastFour, shownAbove, testId }: ListedSecret): Html {
  if (shownAbove) return html`<span class="soft">${words.shownAbove}</span>`
  return html`<code class="whole"${testId !== undefined && html` data-testid="${testId}"`}>••••${lastFour}</code>`
}

function action({ lastFour, revocation }: ListedSecret): Text {
  if (revocation === undefined) return ''
  if ('not' in revocation) return html`<span class="soft">${revocation.not}</span>`
  return html`<a class="button dangerous small" href="${revocation.href}">${words.revoke}<span class="hidden-visually"> ••••${lastFour}</span></a>`
}
