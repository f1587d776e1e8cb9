import { type ActivityView, activityTable } from '../../../pages/components/activity.ts'
import { linkButton } from '../../../pages/components/button.ts'
import { card } from '../../../pages/components/card.ts'
import { type Html, html } from '../../../pages/html.ts'
import { accountWords } from '../words.ts'

const said = accountWords.activity

export function activityCard(view: ActivityView): Html {
  return card({
    id: 'activity',
    title: said.title,
    body:
      view.events.length === 0
        ? html`<p>${said.none}</p>`
        : html`${activityTable(view)}
<p>${linkButton({ label: said.all, href: '/account/activity', tone: 'plain' })}</p>`,
  })
}
