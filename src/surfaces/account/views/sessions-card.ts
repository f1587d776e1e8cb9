import type { ListedSession } from '../../../domain/accounts/session-store.ts'
import { browserInWords } from '../../../http/browser-in-words.ts'
import { card } from '../../../http/components/card.ts'
import { tag } from '../../../http/components/notice.ts'
import { table } from '../../../http/components/table.ts'
import { time } from '../../../http/components/time.ts'
import { type Html, html } from '../../../http/html.ts'
import type { AccessView } from './access-view.ts'

export interface SessionsCard {
  access: AccessView
  formToken: string
  nowMs: number
}

/** Where the person is signed in, and how to end that from here. */
export function sessionsCard({ access, formToken, nowMs }: SessionsCard): Html {
  const { sessions, thisSession } = access
  const token = html`<input type="hidden" name="form_token" value="${formToken}">`
  const isThis = ({ number }: ListedSession) => number === thisSession
  return card({
    id: 'sessions',
    title: 'Where you are signed in',
    body: html`${table({
      caption: 'Your sessions, this one first',
      rows: sessions,
      columns: [
        {
          title: 'Browser',
          cell: (session) =>
            html`${browserInWords(session.userAgent)}${session.surface === 'portal' && html` ${tag('Developer portal')}`}${isThis(session) && html` ${tag('This one')}`}<br><code class="soft small">${session.address ?? 'unknown address'}</code>`,
        },
        { title: 'Signed in', cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
        {
          title: 'Last seen',
          cell: (session) => (isThis(session) ? 'now' : time(session.lastSeenAtMs, nowMs)),
        },
        {
          title: 'End it',
          cell: (session) =>
            isThis(session)
              ? html`<span class="soft">Sign out above</span>`
              : html`<form method="post" action="/account/sessions/end">${token}<input type="hidden" name="session" value="${session.number}"><button type="submit" class="plain small">Sign out<span class="hidden-visually"> ${browserInWords(session.userAgent)} at ${session.address}</span></button></form>`,
        },
      ],
    })}
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/others/end">${token}<p class="soft small">Sign out everywhere else: all browsers but this one are signed out now. Applications keep the access you gave them.</p>
<div class="buttons"><button type="submit" class="dangerous">Sign out everywhere else</button></div></form>`
}`,
  })
}
