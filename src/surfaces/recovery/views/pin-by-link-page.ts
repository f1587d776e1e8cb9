import { pinMaxDigits, pinMinDigits } from '../../../domain/limits.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import type { LinkForm } from '../link-form.ts'
import { hiddenToken } from './hidden-token.ts'

export function pinByLinkPage({ formToken, clearTextToken, userName, errors }: LinkForm): Html {
  const digits = { type: 'password', inputmode: 'numeric', autocomplete: 'off', short: true } as const
  return page({
    title: hasErrors(errors) ? 'PIN not saved' : 'Set a new PIN',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Set a new PIN</h1>
<p>For the account of <strong>${userName}</strong>. It takes the place of the PIN you had, and is asked for in every browser again.</p>
${accountForm({
  action: '/recover-pin',
  formToken,
  errors,
  does: 'Save PIN',
  fields: [
    textField({
      ...digits,
      name: 'pin',
      label: 'New PIN',
      hint: `${pinMinDigits} to ${pinMaxDigits} digits.`,
      error: errors.fields.pin,
      autofocus: !hasErrors(errors),
    }),
    textField({ ...digits, name: 'pin_again', label: 'The same PIN again', error: errors.fields.pin_again }),
    hiddenToken(clearTextToken),
  ],
})}`,
  })
}
