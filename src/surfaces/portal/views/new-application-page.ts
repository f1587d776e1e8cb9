import { button, buttonRow, linkButton } from '../../../pages/components/button.ts'
import { errorSummary } from '../../../pages/components/error-summary.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { portalPlace } from '../../../pages/places.ts'
import type { ApplicationInput, FieldErrors } from '../application-fields.ts'
import { listWords, registrationWords as words } from '../words/application-list.ts'
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
    place: portalPlace,
    person,
    modules: [applicationFieldsModule],
    body: html`<a class="back" href="/">${listWords.title}</a>
<h1>${words.title}</h1>
${errorSummary(errors)}
<form class="card" method="post" action="/apps/new" novalidate>
<input type="hidden" name="form_token" value="${person.formToken}">
${registrationFields(input, errors)}
${buttonRow(button({ label: words.submit, tone: 'primary' }), linkButton({ label: secretPagesWords.cancel, href: '/', tone: 'quiet' }))}
</form>`,
  })
}
