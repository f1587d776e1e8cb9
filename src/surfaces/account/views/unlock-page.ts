import { accountForm, type FormErrors, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { accountPlace, identityPlace } from '../../../pages/places.ts'
import { unlockWords } from '../words.ts'
import { cancelForm, type PendingAttempt } from './cancel-form.ts'

export interface UnlockView {
  person: Person
  /** Form action. Its query includes the authorization attempt, if any. */
  action: string
  /** How to replace a forgotten PIN. `null` for users with neither password nor passkey. */
  replacing: { by: 'password' | 'passkey'; address: string } | null
  pendingAttempt: PendingAttempt | undefined
  errors: FormErrors
}

export function unlockPage({ person, action, replacing, pendingAttempt, errors }: UnlockView): Html {
  return page({
    title: hasErrors(errors) ? unlockWords.refused : unlockWords.title,
    place: pendingAttempt === undefined ? accountPlace : identityPlace,
    trail: [{ name: unlockWords.title }],
    person,
    width: 'narrow',
    body: html`<h1>${unlockWords.title}</h1>
<p>${pendingAttempt ? unlockWords.asked(pendingAttempt.applicationName) : unlockWords.about}</p>
${accountForm({
  action,
  formToken: person.formToken,
  errors,
  does: unlockWords.does,
  fields: [
    textField({
      name: 'pin',
      label: unlockWords.pin,
      type: 'password',
      inputmode: 'numeric',
      autocomplete: 'off',
      short: true,
      error: errors.fields.pin,
      autofocus: true,
    }),
  ],
})}
${replacing !== null && html`<p>${unlockWords.forgotten(replacing.address, replacing.by)}</p>`}
${pendingAttempt && cancelForm(pendingAttempt, person.formToken)}`,
  })
}
