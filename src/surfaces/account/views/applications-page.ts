import { linkButton } from '../../../pages/components/button.ts'
import { card, emptyState } from '../../../pages/components/card.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html, type Text } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import { accountWords } from '../words.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'
import { firstOf } from './first-of.ts'

const { applications: said, events } = accountWords

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

export interface ApplicationsView extends AccountPageView {
  applications: readonly ApplicationAccess[]
  /** Whether to list all applications, however many there are. */
  all: boolean
  nowMs: number
}

export function applicationsPage(view: ApplicationsView): Html {
  return accountPartPage(
    view,
    'applications',
    html`${view.applications.length === 0 ? emptyState({ title: said.noneTitle, body: html`<p>${said.none}</p>` }) : accessTable(view)}
${card({
  title: events.title,
  body: html`<p>${events.about}</p>
<p>${linkButton({ label: events.open, href: '/account/subscriptions', tone: 'plain' })}</p>`,
})}`,
  )
}

function accessTable({ person, applications, all, nowMs }: ApplicationsView): Html {
  const { shown, more } = firstOf(applications, all)
  return html`<p class="soft">${said.revokeMeans}</p>
${table({
  caption: said.title,
  rows: shown,
  columns: [
    {
      title: said.application,
      cell: ({ name, websiteHost }) => html`${name}<br><span class="soft small">${websiteHost}</span>`,
    },
    { title: said.may, cell: ({ scopes }) => permissions(scopes, applications.length <= openUpTo) },
    { title: said.allowed, cell: ({ firstGrantedAtMs }) => time(firstGrantedAtMs, nowMs) },
    {
      title: secretTableWords.lastUsed,
      cell: ({ lastUsedAtMs }) => (lastUsedAtMs === null ? secretTableWords.never : time(lastUsedAtMs, nowMs)),
    },
    { title: secretTableWords.action, cell: ({ id, name }) => revokeForm(id, name, person.formToken) },
  ],
})}
${more && html`<p><a href="?all=1">${said.all(applications.length)}</a></p>`}
<p class="hint">${secretTableWords.lastUsedIsLate}</p>`
}

/** With at most this many applications, the page shows all permissions expanded. */
const openUpTo = 3

function permissions(scopes: readonly Text[], open: boolean): Html {
  return html`<details${open && html` open`}><summary>${said.permissions(scopes.length)}</summary><ul>${scopes.map((scope) => html`<li>${scope}</li>`)}</ul></details>`
}

function revokeForm(id: string, name: string, formToken: string): Html {
  return html`<form method="post" action="/account/applications/withdrawal"><input type="hidden" name="form_token" value="${formToken}"><input type="hidden" name="application" value="${id}"><button type="submit" class="dangerous small">${said.revoke}<span class="hidden-visually"> ${said.of(name)}</span></button></form>`
}
