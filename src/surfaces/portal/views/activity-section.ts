import { activityTable } from '../../../http/components/activity.ts'
import { linkButton } from '../../../http/components/button.ts'
import { section } from '../../../http/components/card.ts'
import { type Html, html } from '../../../http/html.ts'
import type { ApplicationView } from './application-view.ts'

/** The latest of what happened with an application. */
export function activitySection({ application, activity }: ApplicationView): Html {
  return section({
    id: 'activity',
    title: 'Recent activity',
    about: html`<p>What you, the people who use it, and its own calls did. Where people browse from is not shown.</p>`,
    body:
      activity.events.length === 0
        ? html`<p>Nothing yet. Grants, revocations and changes will stand here.</p>`
        : html`${activityTable(activity)}
<p>${linkButton({ label: 'All activity', href: `/apps/${application.id}/activity`, tone: 'plain' })}</p>`,
  })
}
