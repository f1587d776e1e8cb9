import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { emptyState } from '../../../pages/components/card.ts'
import { type Html, html } from '../../../pages/html.ts'
import type { Person } from '../../../pages/page.ts'
import { activityWords as words } from '../words/activity.ts'
import { applicationPartPage } from './application-frame.ts'

export function activityPage(
  view: ActivityView & { person: Person; application: OwnedApplication; before: number | undefined },
): Html {
  const { application, events, before } = view
  return applicationPartPage(view, {
    part: 'activity',
    body: html`<div class="stack tight"><h2>${words.heading}</h2><p class="soft">${words.kept}</p></div>
${events.length === 0 ? emptyState({ title: words.nothing, body: html`<p>${words.nothingMeans}</p>` }) : activityTable(view)}
${activityPagination(`/apps/${application.id}/activity`, events, before)}`,
  })
}
