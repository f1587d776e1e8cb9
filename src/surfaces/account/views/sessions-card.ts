import type { ListedSession } from '../../../domain/accounts/sessions/session-store.ts'
import { card } from '../../../pages/components/card.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { browserWords } from '../../../pages/words/browser.ts'
import { accountWords } from '../words.ts'
import type { AccessView } from './access-view.ts'

const said = accountWords.sessions

export interface SessionsCard {
  access: AccessView
  formToken: string
  nowMs: number
}

export function sessionsCard({ access, formToken, nowMs }: SessionsCard): Html {
  const { sessions, thisSession } = access
  const token = html`<input type="hidden" name="form_token" value="${formToken}">`
  const isThis = ({ number }: ListedSession) => number === thisSession
  return card({
    id: 'sessions',
    title: said.title,
    body: html`${table({
      caption: said.caption,
      rows: sessions,
      columns: [
        {
          title: said.browser,
          cell: (session) =>
            html`${browserWords(session.userAgent)}${session.surface === 'portal' && html` ${tag(said.portal)}`}${isThis(session) && html` ${tag(said.thisOne)}`}<br><code class="soft small">${session.address ?? said.unknownAddress}</code>`,
        },
        { title: said.signedIn, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
        {
          title: said.lastSeen,
          cell: (session) => (isThis(session) ? said.now : time(session.lastSeenAtMs, nowMs)),
        },
        {
          title: said.end,
          cell: (session) =>
            isThis(session)
              ? html`<span class="soft">${said.signOutAbove}</span>`
              : html`<form method="post" action="/account/sessions/end">${token}<input type="hidden" name="session" value="${session.number}"><button type="submit" class="plain small">${said.signOut}<span class="hidden-visually"> ${browserWords(session.userAgent)} ${said.at(session.address)}</span></button></form>`,
        },
      ],
    })}
${
  sessions.length > 1 &&
  html`<form method="post" action="/account/sessions/others/end">${token}<p class="soft small">${said.othersMeans}</p>
<div class="buttons"><button type="submit" class="dangerous">${said.others}</button></div></form>`
}`,
  })
}
