import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { FailureGroup } from '../../../domain/applications/failure-groups.ts'
import { button, linkButton } from '../../../pages/components/button.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { selectField, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { type FailureFilter, isFiltered, queryOf, type Since, sinceHours } from '../failure-filter.ts'
import { additionWords, failuresWords as words } from '../words/failures.ts'
import { applicationPartPage } from './application-frame.ts'
import { failureItem } from './failure-item.ts'

export interface LogsView {
  person: Person
  application: OwnedApplication
  groups: readonly FailureGroup[]
  filter: FailureFilter
  /** Whether a redirect URI was just added. */
  added: boolean
  nowMs: number
}

/** Renders an application's failed requests, grouped by cause, with a search and a time range. */
export function logsPage(view: LogsView): Html {
  const { application, groups, filter, added } = view
  const address = `/apps/${application.id}/logs`
  return applicationPartPage(view, {
    part: 'logs',
    body: html`${added && notice({ tone: 'good', body: additionWords.added })}
<div class="stack tight"><h2>${words.title}</h2><p class="soft">${words.about}</p></div>
${(groups.length > 0 || isFiltered(filter)) && filterForm(filter, address)}
${
  groups.length === 0
    ? nothing(filter)
    : html`<ul class="failures">${groups.map((group) => failureItem(group, view))}</ul>
<div class="buttons">${linkButton({ label: words.exportCsv, href: `${address}.csv${queryOf(filter)}`, tone: 'quiet' })}${linkButton({ label: words.exportJson, href: `${address}.ndjson${queryOf(filter)}`, tone: 'quiet' })}</div>`
}`,
  })
}

function filterForm(filter: FailureFilter, address: string): Html {
  return html`<form class="search" method="get" action="${address}" role="search">
${textField({ name: 'search', label: words.search, autocomplete: 'off', value: filter.search })}
${selectField({
  name: 'since',
  label: words.time,
  value: filter.since,
  options: (Object.keys(sinceHours) as Since[]).map((value) => ({ value, label: words.since[value] })),
})}
<div class="buttons">${button({ label: words.apply, tone: 'plain' })}${isFiltered(filter) && linkButton({ label: words.showAll, href: address, tone: 'quiet' })}</div></form>`
}

function nothing(filter: FailureFilter): Html {
  return isFiltered(filter)
    ? emptyState({ title: words.noneFound, body: html`<p>${words.noneFoundMeans}</p>` })
    : emptyState({ title: words.none, body: html`<p>${words.noneMeans}</p>` })
}
