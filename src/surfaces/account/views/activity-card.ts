import { type ActivityView, activityTable } from '../../../http/components/activity.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { type Html, html } from '../../../http/html.ts'

/** The latest of what happened, on the page of the account. */
export function activityCard(view: ActivityView): Html {
  return card({
    id: 'activity',
    title: 'Recent activity',
    body:
      view.events.length === 0
        ? html`<p>Nothing yet. Sign-ins, changes and what you allow applications will stand here.</p>`
        : html`${activityTable(view)}
<p>${linkButton({ label: 'All activity', href: '/account/activity', tone: 'plain' })}</p>`,
  })
}
