import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { activityWords as words } from '../words/activity.ts'
import { portalFrame } from './portal-frame.ts'

export function activityPage(
  view: ActivityView & { person: Person; application: OwnedApplication; before: number | undefined },
): Html {
  const address = `/apps/${view.application.id}`
  return page({
    ...portalFrame(view.person),
    title: words.pageTitle(view.application.name),
    body: html`<a class="back" href="${address}">${view.application.name}</a>
<h1>${words.heading}</h1>
<p class="soft">${words.kept}</p>
${view.events.length === 0 ? html`<p>${words.nothingBefore}</p>` : activityTable(view)}
${activityPagination(`${address}/activity`, view.events, view.before)}`,
  })
}
