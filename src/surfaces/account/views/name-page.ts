import type { FormErrors } from '../../../http/account-errors.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { type PageFrame, page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'

export interface NameView {
  person: NonNullable<PageFrame['person']>
  name: string
  errors: FormErrors
}

export function namePage({ person, name, errors }: NameView): Html {
  return page({
    title: hasErrors(errors) ? 'Name not changed' : 'Change your name',
    place: identityPlace,
    person,
    width: 'narrow',
    body: html`<a class="back" href="/account">Your account</a>
<h1>Change your name</h1>
${accountForm({
  action: '/account/name',
  formToken: person.formToken,
  errors,
  does: 'Save name',
  fields: [
    textField({
      name: 'name',
      label: 'Name',
      autocomplete: 'name',
      hint: 'Applications that you sign in to can see it.',
      value: name,
      error: errors.fields.name,
      autofocus: true,
    }),
  ],
})}`,
  })
}
