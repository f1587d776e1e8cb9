import { type ActivityView, activityTable, activityWays } from '../../../http/components/activity.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

/** All that is kept of what happened with an account, page by page. */
export function activityPage(
  view: ActivityView & { person: NonNullable<PageFrame['person']>; before: number | undefined },
): Html {
  return page({
    title: 'Activity',
    place: identityPlace,
    person: view.person,
    width: 'wide',
    body: html`<a class="back" href="/account">Your account</a>
<h1>Activity</h1>
<p class="soft">Kept for 400 days. If something here was not you, change your password and withdraw what you don’t know.</p>
${view.events.length === 0 ? html`<p>There is nothing before this.</p>` : activityTable(view)}
${activityWays('/account/activity', view.events, view.before)}`,
  })
}
