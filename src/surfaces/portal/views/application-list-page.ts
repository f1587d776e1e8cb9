import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log-store.ts'
import type { ApplicationId } from '../../../domain/ids.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/empty-state.ts'
import { textField } from '../../../pages/components/field.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { frameWords } from '../words/application-frame.ts'
import { listWords as words } from '../words/application-list.ts'
import { environmentTag } from './environment-tag.ts'
import { lastActivity } from './last-activity.ts'
import { portalFrame } from './portal-frame.ts'

export interface ApplicationListView {
  person: Person
  applications: readonly OwnedApplication[]
  /** Usage per application. Contains only applications that have been used. */
  usage: ReadonlyMap<ApplicationId, Usage>
  nowMs: number
  /** Search text. If empty, everything matches. */
  search: string
  deleted: boolean
}

/** The list has a search form if there are more applications than this. */
const listedWithoutSearch = 8

export function applicationListPage(view: ApplicationListView): Html {
  const { person, applications, deleted } = view
  const register = linkButton({ label: words.register, href: '/apps/new', tone: 'primary' })
  const some = applications.length > 0
  return page({
    ...portalFrame(person),
    title: words.title,
    body: html`${deleted && notice({ tone: 'good', body: words.deleted })}
<div class="title"><h1>${words.title}</h1>${some && register}</div>
${some ? listOf(view) : emptyState({ title: words.emptyTitle, body: html`${words.empty}`, action: register })}`,
  })
}

function listOf(view: ApplicationListView): Html {
  const { applications, usage, nowMs, search } = view
  const wanted = search.toLowerCase()
  const found = applications.filter(({ name, websiteUrl, clientId }) =>
    [name, websiteUrl, clientId].some((text) => text.toLowerCase().includes(wanted)),
  )
  const searching = applications.length > listedWithoutSearch && searchForm(search, found.length, applications.length)
  if (found.length === 0) {
    return html`${searching}${emptyState({ title: words.noneFound, body: html`<p>${words.noneFoundHint}</p>` })}`
  }
  return html`${searching}${table({
    caption: words.caption,
    rows: found,
    columns: [
      {
        title: words.name,
        cell: ({ id, name, websiteUrl }) =>
          html`<a href="/apps/${id}">${name}</a><br><span class="soft small">${new URL(websiteUrl).host}</span>`,
      },
      { title: words.clientId, cell: ({ clientId }) => html`<code>${clientId}</code>` },
      { title: words.users, number: true, cell: ({ id }) => usage.get(id)?.users ?? 0 },
      { title: words.lastActivity, cell: (application) => lastActivity(application, usage.get(application.id), nowMs) },
      {
        title: words.state,
        cell: ({ environment, disabled }) =>
          html`${environmentTag(environment)}${disabled && html` ${tag(frameWords.disabled)}`}`,
      },
    ],
  })}`
}

function searchForm(search: string, found: number, all: number): Html {
  return html`<form method="get" action="/" role="search" class="card">
${textField({ name: 'search', label: words.searchField, autocomplete: 'off', value: search })}
<div class="buttons">${button({ label: words.search, tone: 'plain' })}${
    search !== '' &&
    html`${linkButton({ label: words.all, href: '/', tone: 'quiet' })}<span class="soft small">${words.found(found, all)}</span>`
  }</div></form>`
}
