import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { Usage } from '../../../domain/applications/request-log.ts'
import type { ApplicationId } from '../../../domain/ids.ts'
import { avatar } from '../../../pages/components/avatar.ts'
import { button, buttonRow, linkButton, postForm } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { byName, chosenRows, type ListChoice, listForm } from '../../../pages/components/list-form.ts'
import { pagination } from '../../../pages/components/pagination.ts'
import { objectLink, table, zero } from '../../../pages/components/table.ts'
import { fieldErrorSummary } from '../../../pages/form.ts'
import { type Html, html, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import { countWords } from '../../../pages/words/figures.ts'
import type { FilledApplication } from '../application-fields.ts'
import { applicationFieldsModule, registrationFields } from './application-form.ts'
import { exceptionTags, lastActivity, lastActivityMs, portalFrame } from './application-frame.ts'

interface ApplicationListView {
  person: Person
  /** The applications on this page. */
  rows: readonly OwnedApplication[]
  pageNumber: number
  pages: number
  /** Number of applications on all pages that match the search. */
  found: number
  all: number
  /** Usage per application. Contains only applications that have been used. */
  usage: ReadonlyMap<ApplicationId, Usage>
  nowMs: number
  /** Failed requests in the last 7 days. Contains only applications that have any. */
  failed: ReadonlyMap<ApplicationId, number>
  choice: ListChoice<(typeof applicationSorts)[number]>
  done: Html | undefined
}

export const applicationSorts = ['newest', 'name', 'failed', 'used'] as const

export function applicationListPage(view: ApplicationListView): Html {
  const { person, all, done } = view
  const register = linkButton({ label: t`Register an application`, href: '/apps/new', tone: 'primary' })
  const some = all > 0
  return page({
    ...portalFrame(person),
    title: t`Applications`,
    body: html`${done}
<div class="title"><h1>${t`Applications`}</h1>${some && register}</div>
${
  some
    ? listOf(view)
    : emptyState({
        title: t`You have no applications yet`,
        body: html`${t.html`<p>An application lets users sign in to your product with their account here. It reads only what they allow, such as their name, bots or logs.</p>
<ol>
<li>Register it. You get a client ID and a client secret.</li>
<li>Send users to its authorization URL. They give their consent and return with a code.</li>
<li>Exchange the code for tokens on your server, then read the user’s data.</li>
</ol>`}`,
        action: buttonRow(
          register,
          linkButton({ label: t`First steps`, href: `${person.sites?.base}/welcome`, tone: 'quiet' }),
        ),
      })
}`,
  })
}

const listWords = {
  sorts: {
    newest: t`Newest first`,
    name: t`Name`,
    failed: t`Most failed requests`,
    used: t`Last activity`,
  },
}

/** Returns the applications that match the search, in the chosen order. */
export function chosenApplications(
  applications: readonly OwnedApplication[],
  { usage, failed }: Pick<ApplicationListView, 'usage' | 'failed'>,
  choice: ApplicationListView['choice'],
): OwnedApplication[] {
  const failures = ({ id }: OwnedApplication) => failed.get(id) ?? 0
  return chosenRows(applications, choice, ({ name, websiteUrl, clientId }) => [name, websiteUrl, clientId], {
    newest: undefined,
    name: byName,
    failed: (one, other) => failures(other) - failures(one),
    used: (one, other) => lastActivityMs(other, usage.get(other.id)) - lastActivityMs(one, usage.get(one.id)),
  })
}

/** Renders the applications, one line each. */
function listOf({ rows, pageNumber, pages, found, all, usage, failed, nowMs, choice }: ApplicationListView): Html {
  const form = listForm({
    action: '/',
    label: t`Name, website or client ID`,
    choice,
    sorts: listWords.sorts,
    found,
    all,
  })
  if (found === 0) {
    return html`${form}${emptyState({ title: t`No applications found`, body: html`<p>${t`Search for any part of the name, website or client ID.`}</p>` })}`
  }
  return html`${form}${table({
    caption: t`Your applications`,
    rows,
    oneLine: true,
    columns: [
      {
        title: t`Name`,
        cell: (application) =>
          objectLink({
            name: application.name,
            href: `/apps/${application.id}`,
            picture: avatar({ name: application.name, small: true }),
            after: html`<span class="soft small">${new URL(application.websiteUrl).host}</span>${exceptionTags(application)}`,
          }),
      },
      { title: t`Client ID`, unlabelled: true, cell: ({ clientId }) => html`<code>${clientId}</code>` },
      { title: t`Users`, number: true, cell: ({ id }) => usage.get(id)?.users ?? zero },
      {
        title: t`Failed in 7 days`,
        number: true,
        cell: ({ id }) => {
          const count = failed.get(id) ?? 0
          return count === 0 ? zero : html`<a href="/apps/${id}/logs">${countWords(count)}</a>`
        },
      },
      {
        title: t`Last activity`,
        unlabelled: true,
        cell: (application) => lastActivity(application, usage.get(application.id), nowMs),
      },
    ],
  })}
${pagination('/', choice, pageNumber, pages)}`
}

export function newApplicationPage({ person, filled }: { person: Person; filled: FilledApplication }): Html {
  const { errors } = filled
  return page({
    title: errors.length > 0 ? t`Application not registered` : t`Register an application`,
    place: applicationsPlace,
    trail: [{ name: t`Register an application` }],
    person,
    modules: [applicationFieldsModule],
    body: html`<h1>${t`Register an application`}</h1>
${fieldErrorSummary(errors)}
${postForm(
  { action: '/apps/new', style: 'card', novalidate: true },
  registrationFields(filled),
  buttonRow(
    button({ label: t`Register application`, tone: 'primary' }),
    linkButton({ label: t`Cancel`, href: '/', tone: 'quiet' }),
  ),
)}`,
  })
}
