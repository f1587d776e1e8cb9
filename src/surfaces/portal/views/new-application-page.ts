import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { errorSummary } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { applicationsPlace } from '../../../pages/places.ts'
import type { ApplicationInput, FieldErrors } from '../application-fields.ts'
import { registrationWords as words } from '../words/application-list.ts'
import { secretPagesWords } from '../words/secrets.ts'
import { applicationFieldsModule, registrationFields } from './application-form.ts'

export interface NewApplicationView {
  person: Person
  input: ApplicationInput
  errors: FieldErrors
}

export function newApplicationPage({ person, input, errors }: NewApplicationView): Html {
  return page({
    title: errors.length > 0 ? words.failed : words.title,
    place: applicationsPlace,
    trail: [{ name: words.title }],
    person,
    modules: [applicationFieldsModule],
    body: html`<h1>${words.title}</h1>
${errorSummary(errors)}
<form class="card" method="post" action="/apps/new" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${registrationFields(input, errors)}
${buttonRow(button({ label: words.submit, tone: 'primary' }), linkButton({ label: secretPagesWords.cancel, href: '/', tone: 'quiet' }))}
</form>`,
  })
}
