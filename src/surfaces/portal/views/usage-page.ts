import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import type { DayOfRequests } from '../../../domain/applications/request-log.ts'
import { card } from '../../../pages/components/card.ts'
import { table } from '../../../pages/components/table.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { usageWords as words } from '../words/usage.ts'
import { applicationPartPage } from './application-frame.ts'
import { dayChart } from './day-chart.ts'

export interface UsageView {
  person: Person
  application: OwnedApplication
  /** Number of users who have granted access. */
  users: number
  days: readonly DayOfRequests[]
}

/** Renders the number of users and the daily request counts. */
export function usagePage(view: UsageView): Html {
  const { application, users, days } = view
  const shared = { from: dayOf(days[0]), to: words.today, peak: words.peak }
  return applicationPartPage(view, {
    part: 'usage',
    body: html`<div class="stack tight"><h2>${words.title}</h2><p class="soft">${words.about}</p></div>
<p>${words.users(users)}</p>
${card({
  body: html`${dayChart({ ...shared, title: words.grants, tone: 'plain', figures: days.map(({ grants }) => grants) })}
${dayChart({ ...shared, title: words.refreshes, tone: 'plain', figures: days.map(({ refreshes }) => refreshes) })}
${dayChart({ ...shared, title: words.errors, tone: 'bad', figures: days.map(({ errors }) => errors) })}
<p><a href="/apps/${application.id}/logs">${words.seeFailed}</a></p>
<details class="reveal"><summary>${words.asTable}</summary>${dayTable(days)}</details>`,
})}`,
  })
}

function dayTable(days: readonly DayOfRequests[]): Html {
  const eventful = days.filter(({ grants, refreshes, errors }) => grants + refreshes + errors > 0).reverse()
  if (eventful.length === 0) return html`<p>${words.nothing}</p>`
  return table({
    caption: words.asTable,
    columns: [
      { title: words.day, cell: (of) => dayOf(of) },
      { title: words.grants, cell: ({ grants }) => grants, number: true },
      { title: words.refreshes, cell: ({ refreshes }) => refreshes, number: true },
      { title: words.errors, cell: ({ errors }) => errors, number: true },
    ],
    rows: eventful,
  })
}

function dayOf(of: DayOfRequests | undefined): string {
  return of === undefined ? '' : new Date(of.day * 24 * 3_600_000).toISOString().slice(0, 10)
}
