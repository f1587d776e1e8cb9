import { button, buttonRow, linkButton } from '../../pages/components/button.ts'
import type { LinkedCrumb } from '../../pages/components/navigation.ts'
import { type Html, html, type Text } from '../../pages/html.ts'
import { type Person, page } from '../../pages/page.ts'
import { botsFrame } from './bot-frame.ts'

/** Renders a confirmation page that states what a change will do. */
export function confirmPage(question: {
  person: Person
  /** Breadcrumbs of the page. *Cancel* leads to the last one. */
  within: readonly LinkedCrumb[]
  title: Text
  effect: Html
  action: string
  /** Additional form fields. */
  fields?: Html
  label: Text
  /** Label of the cancel link. */
  aside: Text
}): Html {
  const { person, within, title, effect, action, fields, label, aside } = question
  return page({
    ...botsFrame(person),
    width: 'narrow',
    title,
    trail: within,
    body: html`<h1>${title}</h1>
<div class="card"><div class="stack tight">${effect}</div>
<form method="post" action="${action}"><input type="hidden" name="form_token" value="${person.formToken}">
${fields}${buttonRow(button({ label, tone: 'dangerous' }), linkButton({ label: aside, href: within.at(-1)?.href ?? '/bots', tone: 'quiet' }))}
</form></div>`,
  })
}
