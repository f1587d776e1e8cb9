import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log-store.ts'
import type { ApplicationId } from '../../../domain/ids.ts'
import { avatar } from '../../../pages/components/avatar.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { chosenRows, type ListChoice, listForm } from '../../../pages/components/list-form.ts'
import { notice, tag } from '../../../pages/components/notice.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { countWords } from '../../../pages/words/figures.ts'
import { frameWords } from '../words/application-frame.ts'
import { listWords as words } from '../words/application-list.ts'
import { environmentTag } from './environment-tag.ts'
import { lastActivity, lastActivityMs } from './last-activity.ts'
import { portalFrame } from './portal-frame.ts'

export interface ApplicationListView {
  person: Person
  applications: readonly OwnedApplication[]
  /** Usage per application. Contains only applications that have been used. */
  usage: ReadonlyMap<ApplicationId, Usage>
  nowMs: number
  /** Failed requests in the last 7 days. Contains only applications that have any. */
  failed: ReadonlyMap<ApplicationId, number>
  choice: ListChoice<(typeof applicationSorts)[number]>
  deleted: boolean
}

export const applicationSorts = ['newest', 'name', 'failed', 'used'] as const

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
  const { applications, usage, failed, nowMs, choice } = view
  const failures = ({ id }: OwnedApplication) => failed.get(id) ?? 0
  const found = chosenRows(applications, choice, ({ name, websiteUrl, clientId }) => [name, websiteUrl, clientId], {
    newest: undefined,
    name: (one, other) => one.name.localeCompare(other.name),
    failed: (one, other) => failures(other) - failures(one),
    used: (one, other) => lastActivityMs(other, usage.get(other.id)) - lastActivityMs(one, usage.get(one.id)),
  })
  const form = listForm({
    action: '/',
    label: words.searchField,
    choice,
    sorts: words.sorts,
    found: found.length,
    all: applications.length,
  })
  if (found.length === 0) {
    return html`${form}${emptyState({ title: words.noneFound, body: html`<p>${words.noneFoundHint}</p>` })}`
  }
  return html`${form}${table({
    caption: words.caption,
    rows: found,
    columns: [
      {
        title: words.name,
        cell: ({ id, name, websiteUrl }) =>
          html`<div class="named">${avatar({ name, small: true })}<div><a href="/apps/${id}">${name}</a><br><span class="soft small">${new URL(websiteUrl).host}</span></div></div>`,
      },
      { title: words.clientId, cell: ({ clientId }) => html`<code>${clientId}</code>` },
      { title: words.users, number: true, cell: ({ id }) => usage.get(id)?.users ?? 0 },
      {
        title: words.failed,
        number: true,
        cell: (application) =>
          failures(application) === 0
            ? 0
            : html`<a href="/apps/${application.id}/logs">${countWords(failures(application))}</a>`,
      },
      { title: words.lastActivity, cell: (application) => lastActivity(application, usage.get(application.id), nowMs) },
      {
        title: words.state,
        cell: ({ environment, disabled }) =>
          html`${environmentTag(environment)}${disabled && html` ${tag(frameWords.disabled)}`}`,
      },
    ],
  })}`
}
