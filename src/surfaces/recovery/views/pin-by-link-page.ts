import { accountForm, hasErrors } from '../../../pages/account-form.ts'
import { textField } from '../../../pages/components/field.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import type { LinkForm } from '../link-form.ts'
import { linkWords } from '../words.ts'
import { hiddenToken } from './hidden-token.ts'

const said = linkWords.pin

export function pinByLinkPage({ formToken, clearTextToken, userName, errors }: LinkForm): Html {
  const digits = { type: 'password', inputmode: 'numeric', autocomplete: 'off', short: true } as const
  return page({
    title: hasErrors(errors) ? said.refused : said.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.about(userName)}</p>
${accountForm({
  action: '/recover-pin',
  formToken,
  errors,
  does: said.does,
  fields: [
    textField({
      ...digits,
      name: 'pin',
      label: accountFieldWords.newPin,
      hint: accountFieldWords.pinHint,
      error: errors.fields.pin,
      autofocus: !hasErrors(errors),
    }),
    textField({ ...digits, name: 'pin_again', label: accountFieldWords.samePin, error: errors.fields.pin_again }),
    hiddenToken(clearTextToken),
  ],
})}`,
  })
}
