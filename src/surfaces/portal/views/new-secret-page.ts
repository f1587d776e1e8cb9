import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { textField } from '../../../pages/components/field.ts'
import { formTokenField, type Html, html, type Text } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import { secretPagesWords as words } from '../words/secrets.ts'
import { applicationCrumb } from './application-frame.ts'

export function newSecretPage(view: {
  person: Person
  application: OwnedApplication
  label: string
  error: Text | undefined
}): Html {
  const { person, application, label, error } = view
  return page({
    title: words.addTitle,
    place: applicationsPlace,
    trail: [applicationCrumb(application), { name: words.addTitle }],
    person,
    body: html`<h1>${words.addTitle}</h1>
<form class="card" method="post" action="/apps/${application.id}/secrets" novalidate>
${formTokenField}
<p>${words.addAbout}</p>
${textField({ name: 'label', label: words.label, hint: words.labelHint, autocomplete: 'off', value: label, error, autofocus: true })}
${buttonRow(
  button({ label: words.create, tone: 'primary' }),
  linkButton({ label: words.cancel, href: `/apps/${application.id}`, tone: 'quiet' }),
)}
</form>`,
  })
}
