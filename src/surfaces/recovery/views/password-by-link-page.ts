import { accountForm, hasErrors } from '../../../pages/account-form.ts'
import { choices, textField } from '../../../pages/components/field.ts'
import { notice } from '../../../pages/components/notice.ts'
import { type Html, html } from '../../../pages/html.ts'
import { page } from '../../../pages/page.ts'
import { identityPlace } from '../../../pages/places.ts'
import { accountFieldWords } from '../../../pages/words/account-form.ts'
import type { LinkForm } from '../link-form.ts'
import { linkWords } from '../words.ts'
import { hiddenToken } from './hidden-token.ts'

const said = linkWords.password

export function passwordByLinkPage({ formToken, clearTextToken, userName, emailState, errors }: LinkForm): Html {
  const neverConfirmed = emailState === 'unverified'
  return page({
    title: hasErrors(errors) ? said.refused : said.title,
    place: identityPlace,
    width: 'narrow',
    body: html`<h1>${said.title}</h1>
<p>${said.about(userName)}</p>
${neverConfirmed && notice({ tone: 'warn', body: said.access.neverConfirmed })}
${accountForm({
  action: '/reset-password',
  formToken,
  errors,
  does: said.does,
  fields: [
    textField({
      name: 'password',
      label: accountFieldWords.newPassword,
      type: 'password',
      autocomplete: 'new-password',
      hint: accountFieldWords.passwordHint,
      error: errors.fields.password,
      autofocus: true,
    }),
    !neverConfirmed &&
      choices({
        name: 'remove_access',
        label: said.access.question,
        choose: 'several',
        among: [{ value: 'yes', label: said.access.remove, hint: said.access.what }],
        chosen: [],
      }),
    hiddenToken(clearTextToken),
  ],
})}`,
  })
}
