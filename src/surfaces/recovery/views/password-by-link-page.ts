import { passwordMinCharacters } from '../../../domain/limits.ts'
import { accountForm, hasErrors } from '../../../http/account-form.ts'
import { textField } from '../../../http/components/field.ts'
import { type Html, html } from '../../../http/html.ts'
import { page } from '../../../http/page.ts'
import { identityPlace } from '../../../http/places.ts'
import type { LinkForm } from '../link-form.ts'
import { hiddenToken } from './hidden-token.ts'

export function passwordByLinkPage({ formToken, clearTextToken, userName, errors }: LinkForm): Html {
  return page({
    title: hasErrors(errors) ? 'Password not saved' : 'Set a new password',
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>Set a new password</h1>
<p>For the account of <strong>${userName}</strong>. You are signed out everywhere, and sign in with the new password.</p>
${accountForm({
  action: '/reset-password',
  formToken,
  errors,
  does: 'Save password',
  fields: [
    textField({
      name: 'password',
      label: 'New password',
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${passwordMinCharacters} characters. Spaces are welcome.`,
      error: errors.fields.password,
      autofocus: true,
    }),
    hiddenToken(clearTextToken),
  ],
})}`,
  })
}
