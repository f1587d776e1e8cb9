import { activityTable } from '../../../pages/components/activity.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { section } from '../../../pages/components/card.ts'
import { type Html, html } from '../../../pages/html.ts'
import { activityWords as words } from '../words/activity.ts'
import type { ApplicationView } from './application-view.ts'

export function activitySection({ application, activity }: ApplicationView): Html {
  return section({
    id: 'activity',
    title: words.title,
    about: html`<p>${words.about}</p>`,
    body:
      activity.events.length === 0
        ? html`<p>${words.nothing}</p>`
        : html`${activityTable(activity)}
<p>${linkButton({ label: words.all, href: `/apps/${application.id}/activity`, tone: 'plain' })}</p>`,
  })
}
