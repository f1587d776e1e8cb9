import type { OwnedApplication } from '../../../domain/applications/applications.ts'
import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { textField } from '../../../pages/components/field.ts'
import { formTokenField, type Html, html, type Text, t } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import { applicationCrumb } from './application-frame.ts'

export function newSecretPage(view: {
  person: Person
  application: OwnedApplication
  label: string
  error: Text | undefined
}): Html {
  const { person, application, label, error } = view
  return page({
    title: t`New client secret`,
    place: applicationsPlace,
    trail: [applicationCrumb(application), { name: t`New client secret` }],
    person,
    body: html`<h1>${t`New client secret`}</h1>
<form class="card" method="post" action="/apps/${application.id}/secrets" novalidate>
${formTokenField}
<p>${t`Both secrets stay valid while you update your servers. Then revoke the old one. If others may have seen a secret, rotate it instead.`}</p>
${textField({ name: 'label', label: t`Label`, hint: t`For example, the server that uses it.`, autocomplete: 'off', value: label, error, autofocus: true })}
${buttonRow(
  button({ label: t`Create secret`, tone: 'primary' }),
  linkButton({ label: t`Cancel`, href: `/apps/${application.id}`, tone: 'quiet' }),
)}
</form>`,
  })
}
