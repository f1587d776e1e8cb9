import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountParts } from '../../../pages/places.ts'
import { activityWords } from '../../../pages/words/activity.ts'
import { type AccountPageView, accountPartPage } from './account-frame.ts'

export function activityPage(view: ActivityView & AccountPageView & { before: number | undefined }): Html {
  return accountPartPage(
    view,
    'activity',
    html`<p class="soft">${activityWords.kept}</p>
${view.events.length === 0 ? html`<p>${activityWords.noneBefore}</p>` : activityTable(view)}
${activityPagination(accountParts.activity.href, view.events, view.before)}`,
  )
}
