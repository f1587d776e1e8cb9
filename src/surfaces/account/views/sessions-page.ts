import type { ListedSession } from '../../../domain/accounts/sessions/session.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { browserWords } from '../../../pages/words/browser.ts'
import { accountWords } from '../words.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'
import { firstOf } from './first-of.ts'

const said = accountWords.sessions

export interface SessionsView extends AccountPageView {
  /** Sessions, the current one first. */
  sessions: readonly ListedSession[]
  /** The `number` of the current session in `sessions`. */
  thisSession: number
  /** Whether to list all sessions, however many there are. */
  all: boolean
  nowMs: number
}

export function sessionsPage(view: SessionsView): Html {
  const { person, sessions, thisSession, all, nowMs } = view
  const token = html`<input type="hidden" name="form_token" value="${person.formToken}">`
  const isThis = ({ number }: ListedSession) => number === thisSession
  const { shown, more } = firstOf(sessions, all)
  return accountPartPage(
    view,
    'sessions',
    html`${
      sessions.length > 1 &&
      html`<form method="post" action="/account/sessions/others/end">${token}
<div class="buttons"><button type="submit" class="dangerous">${said.others}</button><p class="soft small">${said.othersMeans}</p></div></form>`
    }
${table({
  caption: said.caption,
  rows: shown,
  columns: [
    {
      title: said.browser,
      cell: (session) =>
        html`${browserWords(session.userAgent)}${session.surface === 'portal' && html` ${tag(said.portal)}`}${isThis(session) && html` ${tag(said.thisOne)}`}`,
    },
    { title: said.address, cell: ({ address }) => html`<code>${address ?? said.unknownAddress}</code>` },
    { title: said.signedIn, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
    {
      title: said.lastSeen,
      cell: (session) => (isThis(session) ? said.now : time(session.lastSeenAtMs, nowMs)),
    },
    {
      title: said.end,
      cell: (session) =>
        isThis(session)
          ? html`<span class="soft">${said.signOutInMenu}</span>`
          : html`<form method="post" action="/account/sessions/end">${token}<input type="hidden" name="session" value="${session.number}"><button type="submit" class="plain small">${said.signOut}<span class="hidden-visually"> ${browserWords(session.userAgent)} ${said.at(session.address)}</span></button></form>`,
    },
  ],
})}
${more && html`<p><a href="?all=1">${said.all(sessions.length)}</a></p>`}`,
  )
}
