import { type ActivityView, activityTable } from '../../../http/components/activity.ts'
import { linkButton } from '../../../http/components/button.ts'
import { card } from '../../../http/components/card.ts'
import { type Html, html } from '../../../http/html.ts'
import { accountWords } from '../../../http/words/account.ts'

const said = accountWords.activity

/** The latest of what happened, on the page of the account. */
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
