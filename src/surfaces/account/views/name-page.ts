import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import { nameWords } from '../words.ts'

export interface NameView {
  person: Person
  name: string
  errors: FormErrors
}

export function namePage({ person, name, errors }: NameView): Html {
  return page({
    title: hasErrors(errors) ? nameWords.refused : nameWords.title,
    place: accountPlace,
    trail: [{ name: nameWords.title }],
    person,
    width: 'narrow',
    body: html`<h1>${nameWords.title}</h1>
${accountForm({
  action: '/account/name',
  formToken: person.formToken,
  errors,
  does: nameWords.does,
  fields: [
    textField({
      name: 'name',
      label: accountFieldWords.name,
      autocomplete: 'name',
      hint: accountFieldWords.nameHint,
      value: name,
      error: errors.fields.name,
      autofocus: true,
    }),
  ],
})}`,
  })
}
