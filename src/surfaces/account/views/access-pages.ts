import type { ListedSession } from '../../../domain/accounts/sessions/session.ts'
import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card, emptyState } from '../../../pages/components/card.ts'
import { tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { formTokenField, type Html, html, type Text } from '../../../pages/html.ts'
import { accountParts } from '../../../pages/places.ts'
import { activityWords } from '../../../pages/words/activity.ts'
import { browserWords } from '../../../pages/words/browser.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { accountWords } from '../words.ts'
import { type AccountPageView, accountPartPage, firstOf } from './account-frame.ts'

const { sessions: sessionWords, applications: applicationWords, events } = accountWords

interface SessionsView extends AccountPageView {
  /** Sessions, the current one first. */
  sessions: readonly ListedSession[]
  /** The `number` of the current session in `sessions`. */
  thisSession: number
  /** Whether to list all sessions, however many there are. */
  all: boolean
  nowMs: number
}

export function sessionsPage(view: SessionsView): Html {
  const { sessions, thisSession, all, nowMs } = view
  const token = html`${formTokenField}`
  const isThis = ({ number }: ListedSession) => number === thisSession
  const { shown, more } = firstOf(sessions, all)
  return accountPartPage(
    view,
    'sessions',
    html`${
      sessions.length > 1 &&
      html`<form method="post" action="/account/sessions/others/end">${token}
<div class="buttons"><button type="submit" class="dangerous">${sessionWords.others}</button><p class="soft small">${sessionWords.othersMeans}</p></div></form>`
    }
${table({
  caption: sessionWords.caption,
  rows: shown,
  columns: [
    {
      title: sessionWords.browser,
      cell: (session) =>
        html`${browserWords(session.userAgent)}${session.surface === 'portal' && html` ${tag(sessionWords.portal)}`}${isThis(session) && html` ${tag(sessionWords.thisOne)}`}`,
    },
    {
      title: sessionWords.address,
      cell: ({ address }) => html`<code>${address ?? sessionWords.unknownAddress}</code>`,
    },
    { title: sessionWords.signedIn, cell: ({ createdAtMs }) => time(createdAtMs, nowMs) },
    {
      title: sessionWords.lastSeen,
      cell: (session) => (isThis(session) ? sessionWords.now : time(session.lastSeenAtMs, nowMs)),
    },
    {
      title: sessionWords.end,
      cell: (session) =>
        isThis(session)
          ? html`<span class="soft">${sessionWords.signOutInMenu}</span>`
          : html`<form method="post" action="/account/sessions/end">${token}<input type="hidden" name="session" value="${session.number}"><button type="submit" class="plain small">${sessionWords.signOut}<span class="hidden-visually"> ${browserWords(session.userAgent)} ${sessionWords.at(session.address)}</span></button></form>`,
    },
  ],
})}
${more && html`<p><a href="?all=1">${sessionWords.all(sessions.length)}</a></p>`}`,
  )
}

export interface ApplicationAccess {
  id: string
  name: string
  websiteHost: string
  /** Descriptions of the granted scopes. */
  scopes: readonly Text[]
  firstGrantedAtMs: number
  /** When one of the application's access tokens was last used, accurate to the minute. `null` if never. */
  lastUsedAtMs: number | null
}

interface ApplicationsView extends AccountPageView {
  applications: readonly ApplicationAccess[]
  /** Whether to list all applications, however many there are. */
  all: boolean
  nowMs: number
}

export function applicationsPage(view: ApplicationsView): Html {
  return accountPartPage(
    view,
    'applications',
    html`${view.applications.length === 0 ? emptyState({ title: applicationWords.noneTitle, body: html`<p>${applicationWords.none}</p>` }) : accessTable(view)}
${card({
  title: events.title,
  body: html`<p>${events.about}</p>
<p>${linkButton({ label: events.open, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}`,
  )
}

function accessTable({ applications, all, nowMs }: ApplicationsView): Html {
  const { shown, more } = firstOf(applications, all)
  return html`<p class="soft">${applicationWords.revokeMeans}</p>
${table({
  caption: applicationWords.title,
  rows: shown,
  columns: [
    {
      title: applicationWords.application,
      cell: ({ name, websiteHost }) => html`${name}<br><span class="soft small">${websiteHost}</span>`,
    },
    { title: applicationWords.may, cell: ({ scopes }) => permissions(scopes, applications.length <= openUpTo) },
    { title: applicationWords.allowed, cell: ({ firstGrantedAtMs }) => time(firstGrantedAtMs, nowMs) },
    {
      title: secretTableWords.lastUsed,
      cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? secretTableWords.never : time(lastUsedAtMs, nowMs)),
    },
    { title: secretTableWords.action, cell: ({ id, name }) => revokeForm(id, name) },
  ],
})}
${more && html`<p><a href="?all=1">${applicationWords.all(applications.length)}</a></p>`}
<p class="hint">${secretTableWords.lastUsedIsLate}</p>`
}

/** With at most this many applications, the page shows all permissions expanded. */
const openUpTo = 3

function permissions(scopes: readonly Text[], open: boolean): Html {
  return html`<details${open && html` open`}><summary>${applicationWords.permissions(scopes.length)}</summary><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul></details>`
}

function revokeForm(id: string, name: string): Html {
  return html`<form method="post" action="/account/applications/withdrawal">${formTokenField}<input type="hidden" name="application" value="${id}"><button type="submit" class="dangerous small">${applicationWords.revoke}<span class="hidden-visually"> ${applicationWords.of(name)}</span></button></form>`
}

export function activityPage(view: ActivityView & AccountPageView & { before: number | undefined }): Html {
  return accountPartPage(
    view,
    'activity',
    html`<p class="soft">${activityWords.kept}</p>
${view.events.length === 0 ? html`<p>${activityWords.noneBefore}</p>` : activityTable(view)}
${activityPagination(accountParts.activity.href, view.events, view.before)}`,
  )
}
