import type { ShownEvent } from '../../domain/audit/audit.ts'
import * as limits from '../../domain/limits/limits.ts'
import { type Html, html, t } from '../html.ts'
import { eventWords } from '../words/activity.ts'
import type { ActivityReader } from '../words/activity-objects.ts'
import { browserWords } from '../words/browser.ts'
import { linkButton, state, table } from './elements.ts'
import { time } from './figures.ts'

/** Renders events, newest first: what happened, when and, if the viewer is allowed to see it, from where. Addresses the reader as "you". */
export function activityTable(events: readonly ShownEvent[], reader: ActivityReader, nowMs: number): Html {
  return table({
    caption: t`Activity, newest first`,
    columns: [
      { title: t.in('activity')`Event`, cell: (event: ShownEvent) => what(event, reader) },
      { title: t`Time`, cell: ({ atMs }) => time(atMs, nowMs) },
      { title: t`IP address and browser`, cell: from },
    ],
    rows: events,
  })
}

/** Renders links to the next page of older events and back to the newest events. */
export function activityPagination(address: string, events: readonly ShownEvent[], before: number | undefined): Html {
  const last = events.at(-1)
  const older = events.length === limits.activityPerPage && last !== undefined
  return html`<div class="buttons">${older && linkButton({ label: t`Earlier`, href: `${address}?before=${last.number}`, tone: 'plain' })}${before !== undefined && linkButton({ label: t`Newest`, href: address, tone: 'quiet' })}</div>`
}

/**
 * Returns the `before` query parameter, which is an event number. Returns `undefined` for the newest page, or if the
 * parameter is malformed.
 */
export function readBefore(query: unknown): number | undefined {
  const { before } = query as Record<string, unknown>
  return typeof before === 'string' && /^\d{1,15}$/.test(before) ? Number(before) : undefined
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
