import { type ActivityView, activityPagination, activityTable } from '../../../pages/components/activity.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { identityPlace, identityPlaces } from '../../../pages/places.ts'
import { activityWords } from '../../../pages/words/activity.ts'
import { accountWords } from '../words.ts'

export function activityPage(view: ActivityView & { person: Person; before: number | undefined }): Html {
  return page({
    title: activityWords.title,
    place: identityPlace,
    places: identityPlaces('account'),
    person: view.person,
    width: 'wide',
    body: html`<a class="back" href="/account">${accountWords.title}</a>
<h1>${activityWords.title}</h1>
<p class="soft">${activityWords.kept}</p>
${view.events.length === 0 ? html`<p>${activityWords.noneBefore}</p>` : activityTable(view)}
${activityPagination('/account/activity', view.events, view.before)}`,
  })
}
