import type { AuditPage, ShownEvent } from '../../domain/audit/audit.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Html, html, t } from '../html.ts'
import type { SignedInRequest } from '../page-guard.ts'
import { eventWords } from '../words/activity.ts'
import type { ActivityReader } from '../words/activity-objects.ts'
import { browserWords } from '../words/browser.ts'
import { state, table } from './elements.ts'
import { time } from './figures.ts'
import { olderAndNewest } from './list.ts'

type ReadActivity = (page: AuditPage) => Promise<ShownEvent[]>

/** Renders a page of events, newest first; a malformed query means the newest. `none` replaces an empty list. */
export async function activityList(
  { by, person, request }: Pick<SignedInRequest, 'by' | 'person' | 'request'>,
  { address, nowMs, none, read }: { address: string; nowMs: number; none: Html; read: ReadActivity },
): Promise<Html> {
  const asked = (request.query as Record<string, unknown>).before
  const before = typeof asked === 'string' && /^\d{1,15}$/.test(asked) ? Number(asked) : undefined
  const found = await read({ before, atMost: limits.activityPerPage + 1 })
  const rows = found.slice(0, limits.activityPerPage)
  const list = table({
    caption: t`Activity, newest first`,
    columns: [
      {
        title: t.in('activity')`Event`,
        cell: (event: ShownEvent) => what(event, { userId: by.userId, sites: person.sites }),
      },
      { title: t`Time`, cell: ({ atMs }) => time(atMs, nowMs) },
      { title: t`IP address and browser`, cell: from },
    ],
    rows,
  })
  const older = found.length > rows.length && `${address}?before=${rows.at(-1)?.number}`
  return html`${rows.length === 0 ? none : list}
${olderAndNewest(older, before !== undefined && address)}`
}

function what(event: ShownEvent, reader: ActivityReader): Html {
  const { title, more, mark } = eventWords(event, reader)
  return html`${title}${mark && html`<br>${state(mark)}`}${more && html`<br><span class="soft small">${more}</span>`}`
}

function from({ kind, actor, address, userAgent, detail }: ShownEvent): Html {
  if (address === null) return html`<span class="soft">${t`Hidden`}</span>`
  const { personalTokenName } = detail
  // Tokens are created and revoked on pages. Any other event with a token's name comes from a request to the API.
  if (personalTokenName !== undefined && !kind.startsWith('personal-token-')) {
    return html`<code>${address}</code> <span class="soft small" title="${userAgent ?? ''}">${t`Personal access token “${personalTokenName}”`}</span>`
  }
  // An application's user agent is usually one product name, so it is shown as sent. A browser's names many products.
  const agent =
    actor === 'client'
      ? html`<span class="agent soft small" title="${userAgent ?? ''}">${userAgent ?? t`No user agent`}</span>`
      : html`<span class="soft small" title="${userAgent ?? ''}">${browserWords(userAgent)}</span>`
  return html`<code>${address}</code> ${agent}`
}
