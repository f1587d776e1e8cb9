import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace } from '../../../pages/places.ts'
import { activityWords } from '../../../pages/words/activity.ts'

export function activityPage(view: ActivityView & { person: Person; before: number | undefined }): Html {
  return page({
    title: activityWords.title,
    place: accountPlace,
    trail: [{ name: activityWords.title }],
    person: view.person,
    width: 'wide',
    body: html`<h1>${activityWords.title}</h1>
<p class="soft">${activityWords.kept}</p>
${view.events.length === 0 ? html`<p>${activityWords.noneBefore}</p>` : activityTable(view)}
${activityPagination('/account/activity', view.events, view.before)}`,
  })
}
